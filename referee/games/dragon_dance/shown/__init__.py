"""What people see of dragon-dance: the field as text and as a picture, events in words."""
