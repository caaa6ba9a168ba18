"""What people see of Giganten: the board as text and as a picture, events in words."""
