"""The pipeline under the store: what it rests on in the client library."""

import asyncio

from referee.store.connection.servers import servers_at


async def test_the_client_library_still_has_its_socket_where_it_is_taken_over(
    redis_url: str,
) -> None:
    """redis-py has no public way to hand a connection's socket over: `Wire` uses private names.

    Where this fails, redis-py has moved them, and no store connects: look at `Wire`.
    """
    connection = await servers_at(redis_url).dial()
    assert isinstance(getattr(connection, "_writer", None), asyncio.StreamWriter)
    assert isinstance(getattr(connection, "_reader", None), asyncio.StreamReader)
    await connection.disconnect()
