"""What is asked for: bodies, orders, and who may ask."""
