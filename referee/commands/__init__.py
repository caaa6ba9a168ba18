"""The parts of the `referee` command: each module holds one click command, `command`."""
