"""What `docs/operations.md` says a store must be set to, and its user may do: read from there."""

import re
from pathlib import Path
from typing import Final

PAGE: Final = (Path(__file__).parents[1] / "docs" / "operations.md").read_text()
GRANTS: Final = re.findall(r"^ACL SETUSER .*$", PAGE, re.MULTILINE)
"""What the service needs; and further what the doctor, a cluster, and another database add."""


def settings(first: str) -> list[str]:
    """The lines of a server's configuration, as they stand there from the line `first` on."""
    block = re.search(rf"^{first}.*\n(?:[a-z].+\n)*", PAGE, re.MULTILINE)
    assert block is not None, first
    return [line.partition("#")[0].strip() for line in block[0].splitlines()]
