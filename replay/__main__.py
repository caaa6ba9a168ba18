"""The `replay` command from its first moment: Ctrl-C ends it in a line, while it loads too."""

import signal
import sys


def main() -> None:
    """Run `replay` with this process's arguments, and end the process."""
    try:
        # Imported here, as it takes the moment in which somebody may think better of it.
        from replay.group import status  # noqa: PLC0415

        sys.exit(status())
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to stop but this very end
        sys.stderr.write("\n" * sys.stderr.isatty() + "replay: stopped\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
