"""A client of the lab in a page: HTTP/1.1 by Python's http.client, a connection a worker.

Its first word says how it behaves: honest, or one of the ways in which a client program can fail.
"""

import http.client, json, ssl, sys, threading, time, urllib.parse

behaviour, flags = sys.argv[1], sys.argv[2:]
given = {flags[i]: flags[i + 1] for i in range(len(flags)) if flags[i].startswith("--") and flags[i] != "--json"}
url = urllib.parse.urlsplit(given["--url"])
context = ssl.create_default_context(cafile=given["--ca"])


def seconds(duration):
    for unit, factor in (("ms", 0.001), ("s", 1)):
        if duration.endswith(unit):
            return float(duration.removesuffix(unit)) * factor


def meet(word):
    print(word, flush=True)
    if not sys.stdin.readline():
        sys.exit(1)


def work(phase, worker, until, took, failed):
    c = None
    for n in range(10**9):
        if time.monotonic() > until:
            return
        began = time.monotonic()
        try:
            c = c or http.client.HTTPSConnection(url.hostname, url.port, context=context, timeout=5)
            c.request("POST", url.path + "?" + url.query, b"1", {"X-Lab-Request-Id": f"{given['--nonce']}-{phase}-{worker}-{n}"})
            if c.getresponse().read() != b"1":
                raise ValueError("another answer than the body that was sent")
            took.append((time.monotonic() - began) * 1000)
        except Exception as e:
            failed.append(f"{type(e).__name__}: {e}")
            c = None


def window(phase, length):
    took, failed, began = [], [], time.monotonic()
    workers = [threading.Thread(target=work, args=(phase, i, began + length, took, failed)) for i in range(int(given["--concurrency"]))]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    return sorted(took), failed, time.monotonic() - began


if behaviour == "garbage":
    print("Segmentation fault")
    sys.exit(0)
if behaviour == "exits":
    sys.exit("cannot open shared object file")
if behaviour == "floods":
    for _ in range(200_000):
        print("warning: this API is deprecated", file=sys.stderr)
meet("READY")
warm, _, _ = window("warm", seconds(given["--warmup"]))
meet("WARM")
if behaviour == "endless":
    time.sleep(3600)
took, failed, elapsed = window("run", seconds(given["--duration"]))
meet("DONE")
lies = 1000 if behaviour == "lies" else 0
at = lambda q: took[min(len(took) - 1, int(len(took) * q))]
print(json.dumps({
    "attempts": len(took) + len(failed) + lies, "succeeded": len(took) + lies, "failed": len(failed),
    "warmup_requests": len(warm), "elapsed_s": elapsed,
    "failures": [{"message": m, "count": failed.count(m), "kind": "transport"} for m in sorted(set(failed))],
    "latency_ms": {"p50": at(0.5), "p90": at(0.9), "p95": at(0.95), "p99": at(0.99), "p999": at(0.999), "max": took[-1]},
    "dialled": None, "client_reported": None, "tls": {"version": "", "resumed": None},
    "hung": 0, "library": "http.client", "runtime": "Python " + sys.version.split()[0]}))
