// One VU is one application: a connection pool with CONCURRENCY / POOLS
// requests in flight on it all the time. This is the script that shows the
// fault. When the server's GOAWAY uses up the pool's one HTTP/2 connection,
// every request that waits dials for itself.
//
//   k6 run -e TARGET=https://127.0.0.1:18101/echo?ms=0 k6/shared-pool.js
//   SSL_CERT_FILE=certs/out/ca.crt k6 run -e TARGET=… -e STATUS_URL=http://127.0.0.1:18102/stub_status -e LIMIT=1000 k6/shared-pool.js
//   GODEBUG=http2client=0 k6 run -e PROTOCOL=h1 -e TARGET=… k6/shared-pool.js
//
// Knobs, by -e or the environment: CONCURRENCY (100), POOLS (1), DURATION (5s),
// WARMUP (1s), METHOD (POST), BODY (1 byte), PROTOCOL (h2), TLS (1.3, the
// highest version offered), TOPOLOGY and LIMIT (tags), STATUS_URL, SUMMARY (a
// path for JSON).
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
import * as status from './lib/status.js';
import { handle } from './lib/summary.js';
import { Tally } from './lib/tally.js';

const knobs = read();

export const options = Object.assign(commonOptions(knobs), {
  scenarios: { pool: oneLongIteration(knobs, knobs.pools) },
});

export function setup() {
  return status.before(knobs);
}

export default async function () {
  const vu = exec.vu.idInTest - 1; // VUs count from 1, pools from 0
  const share = Math.floor(knobs.concurrency / knobs.pools) + (vu < knobs.concurrency % knobs.pools ? 1 : 0);
  const pool = { vu, share, clock: exec.instance, tally: new Tally(knobs.protocol), sent: 0, tls: '' };

  await window(pool, 'warm', knobs.warmupMS);
  pool.tally.endWarmup(pool.tls);
  pass(knobs, 'warm');
  await window(pool, 'run', knobs.durationMS);
  pass(knobs, 'done');
  deliver(knobs, pool.tally);
}

// window keeps the pool's share of requests in flight for a time, then waits for the answers.
async function window(pool, phase, ms) {
  const began = pool.clock.currentTestRunDuration;
  const loops = [];
  pool.sent = 0;
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
  const { clock, tally } = pool;
  const prefix = `${knobs.nonce}-${phase}-${pool.vu}-`;
  let now = clock.currentTestRunDuration;
  while (now < until) {
    const began = now;
    const params = { headers: { [OUR_HEADER]: prefix + pool.sent++ }, timeout: REQUEST_TIMEOUT_MS };
    const res = await http.asyncRequest(knobs.method, knobs.target, knobs.body, params);
    now = clock.currentTestRunDuration;
    tally.answer(res, now - began);
    if (pool.tls === '') pool.tls = res.tls_version;
  }
}

export function teardown(reading) {
  status.after(knobs, reading);
}

export function handleSummary(data) {
  return handle(knobs, 'shared-pool', data);
}
