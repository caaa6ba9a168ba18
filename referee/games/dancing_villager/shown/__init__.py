"""What people see of dancing-villager: the table as text and as a picture, events in words."""
