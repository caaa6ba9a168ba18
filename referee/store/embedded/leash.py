"""Run as a program: become the server that the arguments name, and end with the parent.

    python -I -S leash.py PARENT_PID SERVER ARGUMENT…

A process asks the kernel for a signal at its parent's death itself, between fork and exec; doing
that in Python between them is not safe where there are threads, so this is a program of its own.
The wish survives exec. It imports nothing of the project, to be there fast.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(parent: int, command: list[str]) -> None:
    """Become `command`, tied to the process `parent`; return only if that is gone already."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() == parent:  # it may have died before we asked
        os.execv(command[0], command)  # noqa: S606 - that is what this program is for


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
