"""A window of a blocking client: `concurrency` threads, each with one call in flight."""

from __future__ import annotations

import collections
import queue
import threading
import time

from .failure import Hung, WrongProtocol, check
from .flags import leave
from .tally import Tally
from .tasks import AFTER_QUICK_FAILURE, QUICK


_idle: collections.deque = collections.deque()


def hand_over(job) -> None:
    """Runs job in a thread that is free, or in a new one: an application's threads
    outlive the warm-up, and with them what a client keeps for each thread."""
    try:
        jobs = _idle.pop()
    except IndexError:
        jobs = queue.SimpleQueue()
        threading.Thread(target=_serve, args=(jobs,), daemon=True).start()
    jobs.put(job)


def _serve(jobs: queue.SimpleQueue) -> None:
    while True:
        jobs.get()()
        _idle.append(jobs)


class Worker:
    """A worker's present call. A thread that hangs can't be stopped: it is given
    up, and another one takes its place."""

    def __init__(self, prefix: str):
        self.prefix = prefix
        self.n = 0
        self.began = 0.0
        self.generation = 0
        self.busy = False
        self.done = False


class Window:
    def __init__(self, call, flags, phase: str, duration: float):
        self.call, self.flags = call, flags
        self.sent = None if flags.method == "GET" else b"1" * flags.body_bytes
        self.tally = Tally()
        self.lock = threading.Lock()
        self.workers = [Worker(f"{flags.nonce}-{phase}-{i}") for i in range(flags.concurrency)]
        self.began = time.perf_counter()
        self.until = self.began + duration

    def run(self) -> Tally:
        for worker in self.workers:
            self.start(worker)
        while not all(worker.done for worker in self.workers):
            time.sleep(0.02)
            for worker in self.workers:
                self.give_up(worker)
        self.tally.elapsed = time.perf_counter() - self.began
        return self.tally

    def start(self, worker: Worker) -> None:
        generation = worker.generation
        hand_over(lambda: self.work(worker, generation))

    def give_up(self, worker: Worker) -> None:
        with self.lock:
            if not worker.busy or time.perf_counter() - worker.began < self.flags.patience:
                return
            worker.generation += 1
            worker.busy = False
        self.tally.failure(Hung(self.flags.patience))
        self.start(worker)

    def work(self, worker: Worker, generation: int) -> None:
        while True:
            with self.lock:
                if worker.generation != generation:
                    return
                if time.perf_counter() >= self.until:
                    worker.done = True
                    return
                worker.n += 1
                worker.began, worker.busy = time.perf_counter(), True
            if not self.one(worker, generation):
                return

    def one(self, worker: Worker, generation: int) -> bool:
        failed = None
        began = worker.began
        try:
            status, body = self.call(f"{worker.prefix}-{worker.n}", self.sent)
            check(status, body, self.flags, self.sent)
        except WrongProtocol as err:
            leave(err)
        except Exception as err:
            failed = err
        waited = time.perf_counter() - began
        with self.lock:
            if worker.generation != generation:
                return False  # too late: it was counted as hung
            worker.busy = False
        if failed is None:
            self.tally.success(waited)
        else:
            self.tally.failure(failed)
            if waited < QUICK:
                time.sleep(AFTER_QUICK_FAILURE)
        return True


def run(call, flags, phase: str, duration: float) -> Tally:
    return Window(call, flags, phase, duration).run()
