"""What a window counted, and the line of JSON it ends as."""

from __future__ import annotations

import math
import platform
import re
import threading

from .failure import Hung, explain

MOST_GROUPS = 50
DIFFERING = re.compile(r"0x[0-9a-f]+|\d+")


class Tally:
    def __init__(self):
        self.attempts = self.hung = 0
        self.elapsed = 0.0
        self.waited: list[float] = []
        self.groups: dict[str, dict] = {}
        self.lock = threading.Lock()  # for the variants that use threads

    @property
    def succeeded(self) -> int:
        return len(self.waited)

    def success(self, waited: float) -> None:
        with self.lock:
            self.attempts += 1
            self.waited.append(waited)

    def failure(self, err: BaseException) -> None:
        kind, message = explain(err)
        with self.lock:
            self.attempts += 1
            self.hung += isinstance(err, Hung)
            key = kind + " " + DIFFERING.sub("#", message)
            if key not in self.groups and len(self.groups) >= MOST_GROUPS - 1:
                key, kind, message = "further", "transport", "further messages, beyond the kinds that are kept"
            group = self.groups.setdefault(key, {"message": message, "count": 0, "kind": kind})
            group["count"] += 1

    def failures(self) -> list[dict]:
        return sorted(self.groups.values(), key=lambda group: -group["count"])

    def latency(self) -> dict:
        """Exact percentiles: a window is small enough to keep every value."""
        ordered = sorted(self.waited)

        def at(q: float):
            if not ordered:
                return None
            return round(1000 * ordered[max(0, math.ceil(len(ordered) * q) - 1)], 3)

        return {"p50": at(0.5), "p90": at(0.9), "p95": at(0.95), "p99": at(0.99), "p999": at(0.999), "max": at(1)}


def answer(warm: Tally, run: Tally, before: dict, after: dict, library: str) -> dict:
    def grown(name):
        return None if after[name] is None else after[name] - before[name]

    return {
        "attempts": run.attempts,
        "succeeded": run.succeeded,
        "failed": run.attempts - run.succeeded,
        "warmup_requests": warm.attempts,
        "elapsed_s": run.elapsed,
        "failures": run.failures(),
        "latency_ms": run.latency(),
        "dialled": grown("dialled"),
        "client_reported": None,
        "tls": {"version": after["version"], "resumed": grown("resumed")},
        "hung": run.hung,
        "library": library,
        "runtime": f"{platform.python_implementation()} {platform.python_version()}",
    }


def summary(variant: str, a: dict) -> str:
    """The answer for a reader at a terminal."""
    l = a["latency_ms"]
    lines = [
        f"{variant} ({a['library']}, {a['runtime']}): {a['succeeded']} succeeded, {a['failed']} failed, {a['hung']} hung "
        f"in {a['elapsed_s']:.2f} s: {a['succeeded'] / a['elapsed_s']:.0f} requests/s",
        f"  latency ms: p50 {l['p50']}, p90 {l['p90']}, p99 {l['p99']}, p99.9 {l['p999']}, max {l['max']}",
        f"  connections in the window: {a['dialled']}; TLS {a['tls']['version']}",
    ]
    return "\n".join(lines + [f"  {f['count']} × {f['message']}" for f in a["failures"]])
