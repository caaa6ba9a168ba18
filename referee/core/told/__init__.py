"""What people read: text made safe, words, pictures."""
