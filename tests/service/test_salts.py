"""Salts: never the same twice, in any process, and of the alphabet that keys have."""

import os
import re

from referee.service.taking.salts import salt


def test_no_two_salts_are_equal() -> None:
    """Over several fetches of random bytes, and all of one shape."""
    salts = [salt() for _ in range(1000)]
    assert len(set(salts)) == 1000
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{16}", one) for one in salts)


def test_a_forked_process_has_salts_of_its_own() -> None:
    """What was fetched before the fork is not handed out twice."""
    salt()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, salt().encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reading, 64).decode()
    os.close(reading)
    os.close(writing)
    assert theirs not in {salt() for _ in range(300)}
