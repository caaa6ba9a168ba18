"""The application that is served: the service on its store, over HTTP, as the settings say."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from referee.catalogue import catalogue
from referee.commands import _secret
from referee.http.app import create_app
from referee.http.context import Site
from referee.http.metrics import Metrics
from referee.http.middleware import Middleware
from referee.http.tokens import Tokens
from referee.service import CommandRates, Service, Signer, Timer
from referee.settings import Settings
from referee.store import open_store


def application(settings: Settings, store_url: str) -> Middleware:
    """The application on the store at `store_url`."""
    key = settings.signing_key
    signer = Signer(key.private, *key.others) if key else None

    @contextlib.asynccontextmanager
    async def open_site(metrics: Metrics) -> AsyncGenerator[Site]:
        store = open_store(store_url, min_replicas=settings.min_replicas)
        service = Service(
            store,
            catalogue(),
            signer=signer,
            allow_seed=settings.allow_seed,
            rates=CommandRates(settings.command_rate),
            idle_s=settings.idle_s,
            capacity=settings.cache_matches,
            observer=metrics,
        )
        timer = Timer(store, service, metrics)
        try:
            async with timer.running(), _tokens(settings) as tokens:
                yield Site(service, tokens, metrics)
        finally:
            await store.aclose()

    return create_app(open_site, metrics_apart=settings.metrics_port is not None)


@contextlib.asynccontextmanager
async def _tokens(settings: Settings) -> AsyncGenerator[Tokens]:
    """Tokens of the secrets that are set; of those in a file, as it stands at any time."""
    tokens = Tokens(settings.secrets)
    if settings.secret_file is None:
        yield tokens
        return
    following = asyncio.ensure_future(_secret.follow(settings.secret_file, tokens))
    try:
        yield tokens
    finally:
        following.cancel()
