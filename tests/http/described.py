"""The server against its own description, with requests that a library makes up from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec
import schemathesis
from hypothesis import HealthCheck, Phase, reject, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from tests.clients import ORGANIZER, bearer
from tests.live.servers import Server

ALL: Final = msgspec.json.decode((Path(__file__).parents[2] / "schemas/openapi.json").read_bytes())
"""The document, as it is served: two tests see to it that this file is not stale."""


@schemathesis.serializer("application/msgpack")
def _msgpack(_context: Any, value: Any) -> bytes:
    try:
        return msgspec.msgpack.encode(value)
    except OverflowError:  # MessagePack has no such number
        reject()


@schemathesis.deserializer("application/msgpack")
def _from_msgpack(_context: Any, response: Any) -> Any:
    return msgspec.msgpack.decode(response.content)


FAIR: Final = ("2xx", "3xx", "401", "403", "404", "409", "412", "429", "5xx")
"""What a good request may be answered: 412 where its `If-Match` names a version gone by, too."""


def described(*, every_keyword: bool) -> schemathesis.BaseSchema:
    """The document as the library takes it.

    `every_keyword` asks for the requests that are made up one by one for every keyword of the
    schemas: thousands.
    """
    config = {
        "phases": {"coverage": {"enabled": every_keyword}},
        "checks": {"positive_data_acceptance": {"expected-statuses": [*FAIR]}},
    }
    return schemathesis.openapi.from_dict(ALL, config=SchemathesisConfig.from_dict(config))


JUDGED: Final = {"createMatch", "sendCommand", "checkCommand", "listLegalCommands", "reissueToken"}
"""What is judged by what this document does not tell: a game's options, rulings, the version."""


NOTHING: Final[tuple[Any, ...]] = (None, [], {})
"""Parameters that are never sent: a request that was to be bad for one of them is good."""


def keeps_its_word(case: schemathesis.Case[Any], server: Server, match: str) -> None:
    """One request, made up from the description, is answered as it says."""
    good = case.meta is None or case.meta.generation.mode is schemathesis.GenerationMode.POSITIVE
    if good and "match" in case.path_parameters:
        case.path_parameters["match"] = match
    excluded: list[Any] = []
    if any(value in NOTHING for value in (case.query or {}).values()):
        excluded.append(negative_data_rejection)
    if case.operation.definition.raw["operationId"] in JUDGED:
        excluded.append(positive_data_acceptance)
    case.call_and_validate(base_url=server.url, headers=bearer(ORGANIZER), excluded_checks=excluded)


QUICK: Final = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
