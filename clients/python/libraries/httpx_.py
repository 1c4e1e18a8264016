"""httpx over httpcore and h2: one client object that all calls share."""

from __future__ import annotations

import threading

import httpx

from lib.failure import WrongProtocol

LIBRARY = f"httpx {httpx.__version__}"
VERSIONS = {"h1": "HTTP/1.1", "h2": "HTTP/2"}


def options(flags, context) -> dict:
    """What an application with this many calls in flight sets; time-outs are httpx's own (5 s)."""
    most = httpx.Limits(max_connections=flags.concurrency, max_keepalive_connections=flags.concurrency)
    return {"http2": True, "verify": context, "limits": most}


def taken(response: httpx.Response, flags) -> tuple[int, bytes]:
    if response.http_version != VERSIONS[flags.protocol]:
        raise WrongProtocol(f"{flags.protocol} was asked for, but {response.http_version} was negotiated")
    return response.status_code, response.content


def plain(flags, context):
    """One AsyncClient for all tasks."""
    return asynchronous(flags, httpx.AsyncClient(**options(flags, context)))


def plain_h1(flags, context):
    """The same without HTTP/2, which is httpx's default."""
    # httpcore looks at every connection for every waiting call whenever one ends
    # (_assign_requests_to_connections): 100 of each leave time for little else.
    # snippet:httpx-h1
    limits = httpx.Limits(max_connections=10, max_keepalive_connections=10)
    client = httpx.AsyncClient(http2=False, limits=limits, verify=context)
    # snippet:end
    return asynchronous(flags, client)


def asynchronous(flags, client):
    async def call(ident: str, body: bytes | None):
        headers = {"x-lab-request-id": ident}
        return taken(await client.request(flags.method, flags.url, content=body, headers=headers), flags)

    return call


# snippet:httpx-retry
async def send_again(client, *request, tries=5, **more):
    """Sends again what was cut off before all of it was sent; what was sent may have been done."""
    for left in reversed(range(tries)):
        events = set()

        async def trace(event, info):
            events.add(event)

        try:
            return await client.request(*request, extensions={"trace": trace}, **more)
        except (httpx.LocalProtocolError, httpx.RemoteProtocolError):
            if not left or "http2.send_request_body.complete" in events:
                raise
# snippet:end


def retry(flags, context):
    client = httpx.AsyncClient(**options(flags, context))

    async def call(ident: str, body: bytes | None):
        headers = {"x-lab-request-id": ident}
        return taken(await send_again(client, flags.method, flags.url, content=body, headers=headers), flags)

    return call


# snippet:httpx-renew
class Renewing(httpx.AsyncBaseTransport):
    def __init__(self, **options):
        self.options, self.used = options, 900  # below the server's limit

    async def handle_async_request(self, request):
        if self.used == 900:
            self.used, self.pool = 0, httpx.AsyncHTTPTransport(**self.options)
        self.used += 1
        return await self.pool.handle_async_request(request)  # the old pool ends with its last answer
# snippet:end


def renew(flags, context):
    return asynchronous(flags, httpx.AsyncClient(transport=Renewing(**options(flags, context))))


def threads(flags, context):
    """One Client for all threads."""
    return blocking(flags, httpx.Client(**options(flags, context)))


def threads_h1(flags, context):
    """The same without HTTP/2, which is httpx's default."""
    most = flags.concurrency
    # snippet:httpx-threads-h1
    limits = httpx.Limits(max_connections=most, max_keepalive_connections=most)
    client = httpx.Client(http2=False, limits=limits, verify=context)
    # snippet:end
    return blocking(flags, client)


def blocking(flags, client):
    def call(ident: str, body: bytes | None):
        headers = {"x-lab-request-id": ident}
        return taken(client.request(flags.method, flags.url, content=body, headers=headers), flags)

    return call


# snippet:httpx-threads-renew
class RenewingThreads(httpx.BaseTransport):
    def __init__(self, **options):
        self.options, self.own = options, threading.local()

    def handle_request(self, request):
        own = self.own  # h2 is not made for threads: each has its connection
        if getattr(own, "used", 900) == 900:
            own.used, own.pool = 0, httpx.HTTPTransport(**self.options)
        own.used += 1
        return own.pool.handle_request(request)
# snippet:end


def threads_renew(flags, context):
    return blocking(flags, httpx.Client(transport=RenewingThreads(**options(flags, context))))
