"""One of the clients of libraries/, measured by the lab: see README.md."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys

from lib.failure import WrongProtocol
from lib.flags import Stop, leave, parse, trust
from lib.meter import Meter
from lib.talk import Talk
from lib.tally import answer, summary
from libraries.variants import VARIANTS


async def measure(flags) -> None:
    opened, harness, library = VARIANTS[flags.variant]
    context = trust(flags)
    meter, talk = Meter(context), Talk(flags.json)
    call = opened(flags, context)

    async def window(phase: str, duration: float):
        done = harness.run(call, flags, phase, duration)  # a coroutine, where tasks make the calls
        return await done if inspect.isawaitable(done) else done

    talk.meet("READY")
    warm = await window("warm", flags.warmup)
    if not warm.succeeded:
        first = warm.failures()[0]["message"] if warm.failures() else "nothing was sent"
        raise Stop(1, f"no request of the warm-up succeeded ({warm.attempts} attempts): {first}")
    talk.meet("WARM")
    before = meter.read()
    run = await window("run", flags.duration)
    talk.meet("DONE")
    a = answer(warm, run, before, meter.read(), library)
    print(json.dumps(a) if flags.json else summary(flags.variant, a), flush=True)
    os._exit(0)  # whatever still hangs


def main() -> None:
    try:
        flags = parse(sys.argv[1:], sorted(VARIANTS))
        asyncio.run(measure(flags))
    except (Stop, WrongProtocol) as err:
        leave(err)


main()
