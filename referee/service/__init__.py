"""Taking commands and answering questions about matches. Knows no HTTP and no Redis."""

from referee.service.asking.access import Bearer
from referee.service.asking.bodies import Body
from referee.service.receipts import Signer
from referee.service.service import Audience, Service, now_ms
from referee.service.timing.outages import Outages
from referee.service.timing.timer import Timer

__all__ = ["Audience", "Bearer", "Body", "Outages", "Service", "Signer", "Timer", "now_ms"]
