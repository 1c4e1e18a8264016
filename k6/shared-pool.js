// One VU is one application: a connection pool with CONCURRENCY / POOLS
// requests in flight on it all the time, or with requests that arrive at a
// RATE. This is the script that shows the fault. When the server's GOAWAY uses
// up the pool's one HTTP/2 connection, every request that waits dials for
// itself.
//
//   k6 run -e TARGET=https://127.0.0.1:18101/echo?ms=0 k6/shared-pool.js
//   SSL_CERT_FILE=certs/out/ca.crt k6 run -e TARGET=… -e STATUS_URL=http://127.0.0.1:18102/stub_status -e LIMIT=1000 k6/shared-pool.js
//   GODEBUG=http2client=0 k6 run -e PROTOCOL=h1 -e TARGET=… k6/shared-pool.js
//   k6 run -e RATE=2000 -e TARGET=… k6/shared-pool.js
//
// Knobs, by -e or the environment: CONCURRENCY (100), POOLS (1), DURATION (5s),
// WARMUP (1s), METHOD (POST), BODY (1 byte), PROTOCOL (h2), TLS (1.3, the
// highest version offered), TOPOLOGY and LIMIT (tags), STATUS_URL, SUMMARY (a
// path for JSON), TALLY (log: lines for `h2lab merge`, lib/runner.js). With RATE
// the loop is open: that many requests a second are due, over all pools, whether
// or not earlier ones are answered; CONCURRENCY (1000 with RATE) is then the
// maximum in flight, and latency counts from when a request was due. ARRIVALS is
// constant or poisson (drawn with SEED); lib/open.js explains the loop.
//
// Certificates are verified, always. k6 has no option for a CA: as a Go program
// it takes one from SSL_CERT_FILE, on Linux, in its process's environment (-e
// is too late). HTTP/1.1 is forced the same way, by GODEBUG=http2client=0.
//
// The loops are asynchronous on purpose: http.batch would hold all of a batch
// back for its slowest request, which is not how an application behaves.

import exec from 'k6/execution';
import http from 'k6/http';
import { deliver, pass } from './lib/gate.js';
import { OUR_HEADER, REQUEST_TIMEOUT_MS, commonOptions, oneLongIteration, read } from './lib/knobs.js';
import { Open, openWindow } from './lib/open.js';
import { check } from './lib/runner.js';
import * as status from './lib/status.js';
import { handle } from './lib/summary.js';
import { Tally } from './lib/tally.js';

const knobs = read();
const open = knobs.rate > 0;
if (open && knobs.pools > knobs.rate) {
  throw new Error(`RATE=${knobs.rate} can't be used with POOLS=${knobs.pools}: give at least one request a second for each pool`);
}
if (!open && knobs.arrivals !== 'constant') {
  throw new Error(`ARRIVALS=${knobs.arrivals} can't be used without RATE: give one, such as RATE=2000`);
}

export const options = Object.assign(commonOptions(knobs), {
  scenarios: { pool: oneLongIteration(knobs, knobs.pools) },
});

export function setup() {
  check();
  return status.before(knobs);
}

export default async function () {
  const vu = exec.vu.idInTest - 1; // VUs count from 1, pools from 0
  const share = Math.floor(knobs.concurrency / knobs.pools) + (vu < knobs.concurrency % knobs.pools ? 1 : 0);
  const pool = { vu, share, clock: exec.instance, tally: new Tally(knobs.protocol), sent: 0, tls: '', open: null };
  if (open) pool.open = pool.tally.open = new Open();

  await window(pool, 'warm', knobs.warmupMS);
  pool.tally.endWarmup(pool.tls, open && pool.tally.attempts === 0); // a low rate may leave a warm-up empty
  if (open) pool.open.reset();
  pass(knobs, 'warm');
  await window(pool, 'run', knobs.durationMS);
  pass(knobs, 'done');
  deliver(knobs, 'shared-pool', pool.tally);
}

// window keeps the pool's share of requests in flight for a time, then waits for the answers.
async function window(pool, phase, ms) {
  pool.sent = 0;
  if (open) {
    await openWindow(pool, phase, ms, knobs, (due, now) => scheduled(pool, phase, due, now));
    return;
  }
  const began = pool.clock.currentTestRunDuration;
  const loops = [];
  for (let i = 0; i < pool.share; i++) loops.push(loop(pool, phase, began + ms));
  await Promise.all(loops);
  pool.tally.began = began;
  pool.tally.ended = pool.clock.currentTestRunDuration;
}

// The wall clock of a request is read here, not taken from res.timings: k6's
// tracer keeps only the last try of a request that net/http sent again after a
// GOAWAY (GetConn overwrites its start), so blocked + duration leaves out just
// the waiting that this script is about. Date.now() counts whole milliseconds;
// currentTestRunDuration is time.Now() in nanoseconds as a float
// (internal/js/modules/k6/execution/execution.go). It includes the wait for the
// VU's event loop, as any single-threaded caller's clock does.
async function loop(pool, phase, until) {
  let now = pool.clock.currentTestRunDuration;
  while (now < until) {
    const began = now;
    const res = await request(pool, phase);
    now = pool.clock.currentTestRunDuration;
    pool.tally.answer(res, now - began);
  }
}

// scheduled sends one request of an open loop, which was due before now.
async function scheduled(pool, phase, due, now) {
  const res = await request(pool, phase);
  const answered = pool.clock.currentTestRunDuration;
  if (pool.tally.answer(res, answered - due)) pool.open.uncorrected.add(answered - now);
}

async function request(pool, phase) {
  const id = `${knobs.nonce}-${phase}-${pool.vu}-${pool.sent++}`;
  const params = { headers: { [OUR_HEADER]: id }, timeout: REQUEST_TIMEOUT_MS };
  const res = await http.asyncRequest(knobs.method, knobs.target, knobs.body, params);
  if (pool.tls === '') pool.tls = res.tls_version;
  return res;
}

export function teardown(reading) {
  status.after(knobs, reading);
}

export function handleSummary(data) {
  return handle(knobs, 'shared-pool', data);
}
