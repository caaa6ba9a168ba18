"""The API's description at length."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import settings

from tests.http.described import QUICK, described, keeps_its_word
from tests.live.servers import Server

pytestmark = [pytest.mark.long, pytest.mark.prove]

api_of = described(every_keyword=True)


@api_of.parametrize()
@settings(QUICK, max_examples=400, derandomize=False)
def test_keeps_its_word_at_length(
    case: schemathesis.Case[Any], servers: list[Server], match: str
) -> None:
    """The same with many more requests, other ones each time, and some for every keyword."""
    keeps_its_word(case, servers[0], match)
