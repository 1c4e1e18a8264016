// An open loop on one VU's pool: requests are sent when they are due, whether or
// not earlier ones are answered, and latency counts from when a request was due.
// A request that is due while as many as allowed are in flight is counted and
// not sent.
//
// A VU is one event loop: a timer wakes it for the requests that are due, and so
// does every answer. Open records how late requests were sent. k6 has only the
// event loop's timers; the Go client (clients/go --rate) has a thread that
// sleeps in nanosleep(2).

import { metrics } from './metrics.js';
import { Histogram } from './tally.js';

// uniform makes a generator of numbers between 0 and 1 (mulberry32, Tommy Ettinger, public domain): Math.random
// has no seed.
function uniform(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// arrivals gives the moments, in ms from the window's beginning, at which a VU's requests are due. Constant
// arrivals of several pools alternate.
export function arrivals(knobs, vu, phase) {
  const gap = (1000 * knobs.pools) / knobs.rate;
  if (knobs.arrivals === 'constant') {
    let n = vu / knobs.pools - 1;
    return () => ++n * gap;
  }
  const draw = uniform((knobs.seed % 4294967296) * 31 + vu * 7919 + (phase === 'warm' ? 1 : 0));
  let at = 0;
  return () => (at -= gap * Math.log(1 - draw()));
}

// Open counts how well a VU kept its schedule in a window.
export class Open {
  constructor() {
    this.reset();
  }

  // reset forgets the warm-up.
  reset() {
    this.notStarted = 0;
    this.inFlight = 0;
    this.late = new Histogram();
    this.uncorrected = new Histogram();
  }

  record() {
    return {
      not_started: this.notStarted,
      in_flight: this.inFlight,
      late_us: this.late.pairs(),
      uncorrected_us: this.uncorrected.pairs(),
    };
  }

  publish() {
    metrics.notStarted.add(this.notStarted);
    this.late.publish(metrics.late);
    this.uncorrected.publish(metrics.uncorrected);
  }
}

// A timer wakes up to 1 ms late: Go's runtime waits for whole milliseconds (runtime/netpoll_epoll.go). So the first
// timer is set EARLY_MS before a request is due, and the following ones for 0 ms until it is due. Requests are then
// at most 1 ms - EARLY_MS late, and the loop is busy for the rest of the time. With less than 2 × EARLY_MS between
// requests it would never sleep, so there no timer is early.
const EARLY_MS = 0.2;

// openWindow sends the requests that are due within ms and waits for the answers. send(at, now) sends a request that
// was due at the time at, and returns a promise of its answer.
export function openWindow(pool, phase, ms, knobs, send) {
  const { clock, open, tally } = pool;
  const began = clock.currentTestRunDuration;
  const next = arrivals(knobs, pool.vu, phase);
  return new Promise((resolve, reject) => {
    let due = began + next();
    let inFlight = 0;
    let ended = false;
    const until = began + ms;
    const early = knobs.rate / knobs.pools < 500 / EARLY_MS ? EARLY_MS : 0;

    function start(at, now) {
      if (inFlight >= pool.share) {
        open.notStarted++;
        return;
      }
      inFlight++;
      if (inFlight > open.inFlight) open.inFlight = inFlight;
      open.late.add(now - at);
      send(at, now).then(answered, reject);
    }

    // turn sends the requests that are due; it runs at every timer and after every answer.
    function turn() {
      let now = clock.currentTestRunDuration;
      while (due < until && due <= now) {
        start(due, now);
        due = began + next();
        now = clock.currentTestRunDuration;
      }
      if (due >= until && inFlight === 0 && now >= until && !ended) {
        ended = true;
        tally.began = began;
        tally.ended = now;
        resolve();
      }
    }

    function answered() {
      inFlight--;
      turn();
    }

    function wake() {
      turn();
      const now = clock.currentTestRunDuration;
      const left = Math.min(due, until) - now;
      if (now < until) setTimeout(wake, left > early ? left - early : 0);
      // The window may have ended since turn looked. Without a timer and a request in flight nothing would wake this VU.
      else if (inFlight === 0) turn();
    }
    wake();
  });
}
