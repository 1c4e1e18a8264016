"""The application behind the ASGI and WSGI servers: every request is answered "ok"."""


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": b"ok\n"})


def wsgi(environ, start_response):
    start_response("200 OK", [("content-type", "text/plain"), ("content-length", "3")])
    return [b"ok\n"]
