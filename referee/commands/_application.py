"""The application that is served: the service on its store, over HTTP, as the settings say."""

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Coroutine, Iterator
from functools import partial
from typing import Any

from referee.archive import open_archived_store
from referee.catalogue import catalogue
from referee.commands import _secret
from referee.commands._archive import archive_of, signer_of
from referee.http.app import create_app
from referee.http.context import Site
from referee.http.metrics import Metrics
from referee.http.middleware import Middleware
from referee.http.tokens import Tokens
from referee.http.tracing import spans_for
from referee.service import CommandRates, Service, Timer, mind
from referee.settings import Settings, secrets_in, store_url_in
from referee.store import MatchStore


def application(settings: Settings, store_url: str) -> Middleware:
    """The application on the store at `store_url`."""
    signer, archive = signer_of(settings), archive_of(settings)

    @contextlib.asynccontextmanager
    async def open_site(metrics: Metrics) -> AsyncGenerator[Site]:
        store = open_archived_store(store_url, archive, min_replicas=settings.min_replicas)
        service = Service(
            store,
            catalogue(),
            signer=signer,
            allow_seed=settings.allow_seed,
            rates=CommandRates(settings.command_rate),
            idle_s=settings.idle_s,
            capacity=settings.cache_matches,
            observer=metrics,
            archive=archive,
        )
        timer, tokens = Timer(store, service, metrics), Tokens(settings.secrets)
        following = _following(settings, tokens, store)
        try:
            async with timer.running(), _meanwhile(mind(store, metrics), *following):
                yield Site(service, tokens, metrics)
        finally:
            await store.aclose()

    apart = settings.metrics_port is not None
    return create_app(open_site, metrics_apart=apart, spans=spans_for(os.environ))


def _following(
    settings: Settings, tokens: Tokens, store: MatchStore
) -> Iterator[Coroutine[Any, Any, None]]:
    """What takes anew what stands in files, each time that it changes."""
    secrets, url = settings.secret_file, settings.redis_url_file
    if secrets is not None:
        read = partial(secrets_in, secrets)
        yield _secret.follow(read, tokens.renew, "the secrets stay as they were")
    if url is not None:
        read_url = partial(store_url_in, url)
        yield _secret.follow(
            read_url, store.renew, "the store's user and password stay as they were"
        )


@contextlib.asynccontextmanager
async def _meanwhile(*work: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """Do work that has no end of its own while the context lasts."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
