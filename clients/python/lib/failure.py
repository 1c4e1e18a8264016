"""What a failed call looks like to the application's log."""

from __future__ import annotations


class WrongProtocol(Exception):
    """Ends the run: its figures would stand under a false name."""


class Hung(Exception):
    """The harness's own bound, not a time-out of the library."""

    def __init__(self, patience: float):
        super().__init__(f"no answer within {patience:g}s (the call never settled)")


class BadAnswer(Exception):
    """An answer that is not a success; kind says whose fault it is."""

    def __init__(self, kind: str, message: str):
        super().__init__(message)
        self.kind = kind


def head(err: BaseException) -> str:
    """The line that a traceback ends with: class and message."""
    kind = type(err)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    text = str(err)
    return f"{name}: {text}" if text else name


def explain(err: BaseException) -> tuple[str, str]:
    """Kind, and the error with its chain of causes on one line."""
    if isinstance(err, BadAnswer):
        return err.kind, str(err)
    if isinstance(err, Hung):
        return "transport", str(err)
    heads, seen = [], err
    while seen is not None and len(heads) < 5:
        heads.append(head(seen))
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return "transport", " <- caused by ".join(" ".join(h.split()) for h in heads)


def check(status: int, body: bytes, flags, sent: bytes | None) -> None:
    """Refuses an answer that is not a success."""
    if not 200 <= status <= 299:
        raise BadAnswer("status", f"HTTP status {status}")
    if sent is not None and "/echo" in flags.url and body != sent:
        raise BadAnswer("transport", f"the answer is not the body that was sent: {len(sent)} bytes sent, {len(body)} received")
