"""Taking commands and answering questions about matches. Knows no HTTP and no Redis."""

from referee.service.access import Bearer
from referee.service.bodies import Body
from referee.service.receipts import Signer
from referee.service.service import Audience, Service

__all__ = ["Audience", "Bearer", "Body", "Service", "Signer"]
