"""What the proofs share."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session")
def share() -> float:
    """The share of a proof's whole length that is run; `make prove SHARE=0.01` asks for less."""
    return float(os.environ.get("PROOF_SHARE", "1"))
