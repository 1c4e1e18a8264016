"""Counts the connections that the client opened."""

from __future__ import annotations

import ssl


class Meter:
    """A hook in the TLS context: every handshake makes one SSLObject or SSLSocket.

    The standard library lets a context name the classes it makes
    (SSLContext.sslobject_class, SSLContext.sslsocket_class), so that no library
    has to be changed for it.
    """

    def __init__(self, context: ssl.SSLContext):
        self.handshakes = self.resumed = 0
        self.version = ""
        context.sslobject_class = self.counting(ssl.SSLObject)
        context.sslsocket_class = self.counting(ssl.SSLSocket)

    def counting(self, base: type) -> type:
        meter = self

        class Counting(base):
            def do_handshake(self, *args, **kwargs):
                super().do_handshake(*args, **kwargs)  # raises until it is over, where it doesn't block
                meter.handshakes += 1
                meter.resumed += bool(self.session_reused)
                meter.version = (self.version() or "").replace("TLSv", "")

        return Counting

    def read(self) -> dict:
        return {"dialled": self.handshakes, "resumed": self.resumed, "version": self.version}
