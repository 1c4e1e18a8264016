"""The conversation with the conductor: a word, then a newline is awaited."""

from __future__ import annotations

import sys

from .flags import Stop


class Talk:
    def __init__(self, conducted: bool):
        self.conducted = conducted

    def meet(self, word: str) -> None:
        """Says where the client is and waits. By hand it is over at once."""
        if not self.conducted:
            return
        print(word, flush=True)
        if not sys.stdin.readline():
            raise Stop(1, f"the input ended after {word} (run it without --json to use it by hand)")
