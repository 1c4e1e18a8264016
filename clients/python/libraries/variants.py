"""The variants by name: how calls are made, and whether tasks or threads make them."""

from __future__ import annotations

from lib import tasks, threads

from . import httpx_

VARIANTS = {
    "httpx": (httpx_.plain, tasks, httpx_.LIBRARY),
    "httpx-retry": (httpx_.retry, tasks, httpx_.LIBRARY),
    "httpx-renew": (httpx_.renew, tasks, httpx_.LIBRARY),
    "httpx-h1": (httpx_.plain_h1, tasks, httpx_.LIBRARY),
    "httpx-threads": (httpx_.threads, threads, httpx_.LIBRARY),
    "httpx-threads-renew": (httpx_.threads_renew, threads, httpx_.LIBRARY),
    "httpx-threads-h1": (httpx_.threads_h1, threads, httpx_.LIBRARY),
}
