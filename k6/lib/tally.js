// A tally is one VU's account of its requests. It is kept by hand: check() and
// a custom metric for every request would each cost a sample in k6's pipeline,
// and the generator shares the machine with what it measures.

import exec from 'k6/execution';
import { metrics } from './metrics.js';

export const PROTO = { h1: 'HTTP/1.1', h2: 'HTTP/2.0' };
const MOST_GROUPS = 50;

// Latencies are counted in buckets that are 1 µs wide below 2,048 µs and then
// double every 1,024 buckets: within 0.1 % of the value, in 90 kB.
const BUCKETS = 22528;

function bucketOf(us) {
  if (us < 2048) return us;
  const shift = 21 - Math.clz32(us);
  return shift * 1024 + (us >> shift);
}

function middleOf(bucket) {
  if (bucket < 2048) return bucket;
  const shift = (bucket >> 10) - 1;
  return (bucket - shift * 1024) * 2 ** shift + 2 ** (shift - 1);
}

// Histogram counts times.
export class Histogram {
  constructor() {
    this.buckets = new Uint32Array(BUCKETS);
  }

  add(ms) {
    this.buckets[bucketOf(Math.min(Math.max(Math.round(ms * 1000), 0), 2147483647))]++;
  }

  // pairs are [µs, how many] of the buckets that have some.
  pairs() {
    const out = [];
    for (let i = 0; i < BUCKETS; i++) {
      if (this.buckets[i] > 0) out.push([middleOf(i), this.buckets[i]]);
    }
    return out;
  }

  // publish adds all times, in ms, to a metric of k6.
  publish(trend) {
    for (const [us, n] of this.pairs()) {
      for (let i = 0; i < n; i++) trend.add(us / 1000);
    }
  }
}

// dialled tells whether k6 noticed a new connection for this request.
export function dialled(res) {
  const timings = res.timings;
  return timings.connecting > 0 || timings.tls_handshaking > 0;
}

export class Tally {
  constructor(protocol) {
    this.proto = PROTO[protocol];
    this.tls = '';
    this.warmup = 0;
    this.warmupReported = 0;
    this.began = 0;
    this.ended = 0;
    this.open = null; // lib/open.js sets it
    this.reset();
  }

  reset() {
    this.attempts = 0;
    this.succeeded = 0;
    this.reported = 0;
    this.maxMS = 0;
    this.latency = new Histogram();
    this.groups = new Map();
  }

  // answer counts one finished request and how long its caller waited for it, and returns whether it succeeded.
  answer(res, ms) {
    this.attempts++;
    if (dialled(res)) this.reported++;
    const status = res.status;
    if (status === 0) {
      this.failure('transport', res.error, res.error_code);
      return false;
    }
    if (res.proto !== this.proto) wrongProtocol(res.proto, this.proto);
    if (status < 200 || status > 299) {
      this.failure('status', `HTTP status ${res.status_text}`, res.error_code);
      return false;
    }
    this.succeeded++;
    if (ms > this.maxMS) this.maxMS = ms;
    this.latency.add(ms);
    return true;
  }

  // failure groups messages that differ in numbers only (ports, stream ids) and keeps the first verbatim.
  failure(kind, message, code) {
    let key = `${kind} ${code} ${message.replace(/\d+/g, '#')}`;
    if (!this.groups.has(key) && this.groups.size >= MOST_GROUPS) {
      key = 'further';
      message = `further messages, beyond the ${MOST_GROUPS} kept kinds`;
      kind = 'transport';
      code = 0;
    }
    const group = this.groups.get(key);
    if (group) group.count++;
    else this.groups.set(key, { message: message.slice(0, 2000), count: 1, kind, code });
  }

  // endWarmup sets everything but the warm-up's own figures back to zero. A user of a service may have only
  // failures in a short warm-up: then mayFail is true.
  endWarmup(tls, mayFail) {
    if (this.succeeded === 0 && !mayFail) {
      const first = [...this.groups.values()][0];
      const hint = first && first.code >= 1300 && first.code < 1400 ? ': give k6 the CA by SSL_CERT_FILE=certs/out/ca.crt in its environment' : '';
      exec.test.abort(`no request of the warm-up succeeded: ${first ? first.message : 'none was answered'}${hint}`);
    }
    this.warmup = this.attempts;
    this.warmupReported = this.reported;
    this.tls = tls;
    this.reset();
  }

  // record is what the lab's conductor reads (internal/lab/load/answer.go).
  record() {
    return {
      attempts: this.attempts,
      succeeded: this.succeeded,
      failed: this.attempts - this.succeeded,
      warmup_requests: this.warmup,
      client_reported: this.reported,
      began_ms: this.began,
      ended_ms: this.ended,
      max_ms: this.maxMS,
      tls: this.tls,
      latency_us: this.latency.pairs(),
      failures: [...this.groups.values()],
      open: this.open === null ? null : this.open.record(),
    };
  }

  // publish hands the figures to k6's metrics, after the window, where it disturbs nothing.
  publish() {
    metrics.attempts.add(this.attempts);
    metrics.succeeded.add(this.succeeded);
    metrics.failed.add(this.attempts - this.succeeded);
    metrics.warmup.add(this.warmup);
    metrics.noticed.add(this.warmupReported + this.reported);
    metrics.window.add(this.began);
    metrics.window.add(this.ended);
    this.latency.publish(metrics.latency);
    if (this.open !== null) this.open.publish();
    for (const g of this.groups.values()) console.error(`${g.count} × ${g.message} (k6 error_code ${g.code})`);
  }
}

export function wrongProtocol(got, want) {
  const forced = 'GODEBUG=http2client=0';
  const why =
    want === PROTO.h1
      ? `only its process's environment limits k6 to HTTP/1.1: run ${forced} k6 run -e PROTOCOL=h1 …`
      : `the server doesn't offer h2 by ALPN, or ${forced} is set: unset GODEBUG, or ask for -e PROTOCOL=h1 with ${forced}`;
  exec.test.abort(`the server and k6 agreed on ${got}, but ${want} was requested: ${why}`);
}
