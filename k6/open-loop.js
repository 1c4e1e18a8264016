// Requests arrive at a constant RATE, whether or not earlier ones have been
// answered, as users do. Iterations that were due while every VU was busy are
// reported as dropped_iterations: with any of them, the latencies are only
// those of the requests that were let in.
//
//   k6 run -e TARGET=https://127.0.0.1:18101/echo?ms=0 -e RATE=2000 k6/open-loop.js
//   k6 run -e TARGET=https://127.0.0.1:18101/echo?ms=0 -e RATE=4000 -e BURST=50 k6/open-loop.js
//
// RATE (1000) is in requests per second, CONCURRENCY (100, or 1000 if RATE is
// set) the maximum in flight. For a rate on one shared pool, with latencies from
// when a request was due, use shared-pool.js with RATE: here latency counts from
// when k6's executor started an iteration. The executor starts an iteration on
// any idle VU, and each VU has connections of its own: with BURST=1 the load is
// spread as by connection-per-vu.js, and the fault stays hidden. With BURST=n an
// iteration sends n requests at once on its VU's pool, and a GOAWAY meets all of
// them. shared-pool.js explains the other knobs.

import exec from 'k6/execution';
import http from 'k6/http';
import { OUR_HEADER, REQUEST_TIMEOUT_MS, commonOptions, read } from './lib/knobs.js';
import { metrics } from './lib/metrics.js';
import { check, logTally } from './lib/runner.js';
import * as status from './lib/status.js';
import { handle } from './lib/summary.js';
import { PROTO, Tally, dialled, wrongProtocol } from './lib/tally.js';

const knobs = read();
if (knobs.rate === 0) knobs.rate = 1000;
if (knobs.gate !== '') throw new Error("GATE can't be used with open-loop.js: its arrivals don't wait for a conductor");
if (knobs.burst > knobs.concurrency || knobs.burst > knobs.rate) {
  throw new Error(`BURST=${knobs.burst} can't be used: give at most CONCURRENCY=${knobs.concurrency} and RATE=${knobs.rate}`);
}

if (knobs.warmupMS + knobs.durationMS < 1000) {
  throw new Error("WARMUP and DURATION can't be used: k6 requires an arrival rate for at least 1s, such as WARMUP=1s DURATION=5s");
}

const vus = Math.floor(knobs.concurrency / knobs.burst);
knobs.pools = vus; // each VU has a pool
const arrivalsMS = Math.round(knobs.warmupMS + knobs.durationMS);
const graceMS = REQUEST_TIMEOUT_MS + 1000;

const scenarios = {
  arrivals: {
    executor: 'constant-arrival-rate',
    rate: Math.round(knobs.rate / knobs.burst),
    timeUnit: '1s',
    duration: `${arrivalsMS}ms`,
    preAllocatedVUs: vus,
    maxVUs: vus,
    gracefulStop: `${graceMS}ms`,
  },
};

// k6 has no hook for a VU's end. A second scenario that begins when the first one can have no iteration left runs
// on the same VUs: k6 plans as many VUs as the scenarios need at the same time (lib/helpers.go, GetMaxPlannedVUs),
// and per-vu-iterations gives each of them one iteration.
if (knobs.tally === 'log') {
  scenarios.tallies = {
    executor: 'per-vu-iterations',
    exec: 'tell',
    vus,
    iterations: 1,
    startTime: `${arrivalsMS + graceMS}ms`,
    maxDuration: '30s',
    gracefulStop: '1s',
  };
}

export const options = Object.assign(commonOptions(knobs), { scenarios });

const tally = new Tally(knobs.protocol); // this VU's, with TALLY=log

export function tell() {
  logTally('open-loop', knobs, tally);
}

export function setup() {
  check();
  return status.before(knobs);
}

export default async function () {
  const clock = exec.instance;
  // The scenario's own start: the test's clock also runs during setup().
  const warm = Date.now() - exec.scenario.startTime < knobs.warmupMS;
  const requests = [];
  for (let i = 0; i < knobs.burst; i++) requests.push(request(clock, warm, i));
  await Promise.all(requests);
}

async function request(clock, warm, i) {
  const id = `${knobs.nonce}-${warm ? 'warm' : 'run'}-${exec.vu.idInTest - 1}-${exec.vu.iterationInInstance}.${i}`;
  const began = clock.currentTestRunDuration; // why this clock: see shared-pool.js
  const params = { headers: { [OUR_HEADER]: id }, timeout: REQUEST_TIMEOUT_MS };
  const res = await http.asyncRequest(knobs.method, knobs.target, knobs.body, params);
  const ended = clock.currentTestRunDuration;

  if (dialled(res)) metrics.noticed.add(1);
  if (res.status !== 0 && res.proto !== PROTO[knobs.protocol]) wrongProtocol(res.proto, PROTO[knobs.protocol]);
  if (knobs.tally === 'log') count(res, warm, began, ended);
  if (warm) {
    metrics.warmup.add(1);
    return;
  }
  metrics.attempts.add(1);
  metrics.window.add(began);
  metrics.window.add(ended);
  const ok = res.status >= 200 && res.status <= 299;
  metrics.succeeded.add(ok ? 1 : 0);
  metrics.failed.add(ok ? 0 : 1);
  if (ok) metrics.latency.add(ended - began);
}

function count(res, warm, began, ended) {
  if (warm) {
    tally.warmup++;
    return;
  }
  tally.began = tally.attempts > 0 ? Math.min(tally.began, began) : began;
  tally.ended = ended;
  if (tally.tls === '') tally.tls = res.tls_version;
  tally.answer(res, ended - began);
}

export function teardown(reading) {
  status.after(knobs, reading);
}

export function handleSummary(data) {
  return handle(knobs, 'open-loop', data);
}
