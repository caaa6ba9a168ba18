"""What is due without anybody's command."""
