"""A match told to people: its log in words, the verdict on it, and the page of `report`."""
