"""The command line that all client programs of the lab share."""

from __future__ import annotations

import argparse
import os
import re
import ssl
import sys
import time
from urllib.parse import urlsplit

UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
PART = re.compile(r"(\d+(?:\.\d+)?)(ms|us|µs|ns|s|m|h)")


class Stop(Exception):
    """Ends the program with a line on stderr and one of the lab's exit statuses."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


class Parser(argparse.ArgumentParser):
    def error(self, message: str):
        raise Stop(2, message)


def seconds(text: str) -> float:
    """A duration as Go prints it: 4s, 1.5s, 300ms, 1m0s."""
    total = sum(float(number) * UNITS[unit] for number, unit in PART.findall(text))
    if PART.sub("", text) or total <= 0:
        raise argparse.ArgumentTypeError(f"{text} is no duration longer than nothing: give one such as 4s or 300ms")
    return total


def whole(least: int, most: int):
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text} is out of range: give a whole number from {least} to {most}")
        return int(text)

    return read


def parse(arguments: list[str], variants: list[str]) -> argparse.Namespace:
    p = Parser(prog="python-client", allow_abbrev=False)
    p.add_argument("named", nargs="?", metavar="VARIANT")
    p.add_argument("--variant")
    p.add_argument("--json", action="store_true")
    p.add_argument("--url", required=True)
    p.add_argument("--protocol", choices=["h1", "h2"], default="h2")
    p.add_argument("--concurrency", type=whole(1, 10000), default=100)
    p.add_argument("--pools", type=whole(1, 1), default=1)
    p.add_argument("--warmup", type=seconds, default=1.0)
    p.add_argument("--duration", type=seconds, default=4.0)
    p.add_argument("--ca", default="")
    p.add_argument("--method", choices=["GET", "POST", "PUT", "PATCH"], default="POST")
    p.add_argument("--body-bytes", type=whole(0, 1 << 20), default=1)
    p.add_argument("--max-tls", choices=["1.2", "1.3"], default="1.3")
    p.add_argument("--patience", type=seconds, default=4.0)
    p.add_argument("--nonce", default=f"{time.time_ns():x}")
    flags = p.parse_args(arguments)
    flags.variant = flags.variant or flags.named
    if flags.variant not in variants:
        raise Stop(2, f"--variant={flags.variant} is unknown: give one of {' '.join(variants)}")
    address = urlsplit(flags.url)
    if address.scheme != "https" or not address.hostname:
        raise Stop(2, f"--url={flags.url} is no https address: give one such as https://127.0.0.1:18101/echo?ms=0")
    if flags.ca and not os.path.isfile(flags.ca):
        raise Stop(3, f"--ca {flags.ca}: no such file; make it with: make certs")
    return flags


def trust(flags: argparse.Namespace) -> ssl.SSLContext:
    """The client's TLS: the authority of --ca and no other."""
    try:
        context = ssl.create_default_context(cafile=flags.ca or None)
    except ssl.SSLError as err:
        raise Stop(3, f"--ca {flags.ca} holds no PEM certificate ({err}); make it anew with: make certs") from err
    if flags.max_tls == "1.2":
        context.maximum_version = ssl.TLSVersion.TLSv1_2
    return context


def leave(err: BaseException) -> None:
    """The hard exit: threads and calls that hang are left behind."""
    print("python-client:", err, file=sys.stderr, flush=True)
    os._exit(err.status if isinstance(err, Stop) else 1)
