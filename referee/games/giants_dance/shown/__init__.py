"""What people see of giants-dance: the board as text and as a picture, events in words."""
