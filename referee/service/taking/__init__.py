"""Taking a command: the match at hand, judged and appended."""
