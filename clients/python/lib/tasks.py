"""A window of an asynchronous client: `concurrency` tasks, each with one call in flight."""

from __future__ import annotations

import asyncio
import time

from .failure import Hung, WrongProtocol, check
from .tally import Tally

QUICK = 0.001
AFTER_QUICK_FAILURE = 0.010  # a client that is broken for ever fails millions of times otherwise


async def run(call, flags, phase: str, duration: float) -> Tally:
    tally = Tally()
    began = time.perf_counter()
    workers = [work(call, flags, f"{flags.nonce}-{phase}-{i}", began + duration, tally) for i in range(flags.concurrency)]
    await asyncio.gather(*workers)
    tally.elapsed = time.perf_counter() - began
    return tally


async def work(call, flags, prefix: str, until: float, tally: Tally) -> None:
    sent = None if flags.method == "GET" else b"1" * flags.body_bytes
    n = 0
    while time.perf_counter() < until:
        n += 1
        began = time.perf_counter()
        try:
            status, body = await bounded(call(f"{prefix}-{n}", sent), flags.patience)
            check(status, body, flags, sent)
            tally.success(time.perf_counter() - began)
        except WrongProtocol:
            raise
        except Exception as err:
            tally.failure(err)
            if time.perf_counter() - began < QUICK:
                await asyncio.sleep(AFTER_QUICK_FAILURE)


async def bounded(coroutine, patience: float):
    """The call, cancelled after patience; one that will not be cancelled is abandoned."""
    try:
        async with asyncio.timeout(patience) as bound:
            return await coroutine
    except TimeoutError:
        if bound.expired():
            raise Hung(patience) from None
        raise
