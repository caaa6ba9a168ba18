"""What people see of giro-galoppo: the course as text and as a picture, events in words."""
