// Requests arrive at a constant RATE, whether or not earlier ones have been
// answered, as users do. Iterations that were due while every VU was busy are
// reported as dropped_iterations: with any of them, the latencies are only
// those of the requests that were let in.
//
//   k6 run -e TARGET=https://127.0.0.1:18101/echo?ms=0 -e RATE=2000 k6/open-loop.js
//   k6 run -e TARGET=https://127.0.0.1:18101/echo?ms=0 -e RATE=4000 -e BURST=50 k6/open-loop.js
//
// RATE (1000) is in requests per second, CONCURRENCY (1000 with RATE) the most that
// may be in flight. For a rate on one shared pool, with latencies from when a
// request was due, use shared-pool.js with RATE: here k6's executor counts from
// when an iteration started. The executor starts an iteration on any idle VU, and each VU has
// connections of its own: with BURST=1 the load is spread as by
// connection-per-vu.js, and the fault stays hidden. With BURST=n an iteration
// sends n requests at once on its VU's pool, and a GOAWAY finds them all
// waiting. The other knobs are explained in shared-pool.js.

import exec from 'k6/execution';
import http from 'k6/http';
import { OUR_HEADER, REQUEST_TIMEOUT_MS, commonOptions, read } from './lib/knobs.js';
import { metrics } from './lib/metrics.js';
import * as status from './lib/status.js';
import { handle } from './lib/summary.js';
import { PROTO, dialled, wrongProtocol } from './lib/tally.js';

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

export const options = Object.assign(commonOptions(knobs), {
  scenarios: {
    arrivals: {
      executor: 'constant-arrival-rate',
      rate: Math.round(knobs.rate / knobs.burst),
      timeUnit: '1s',
      duration: `${Math.round(knobs.warmupMS + knobs.durationMS)}ms`,
      preAllocatedVUs: vus,
      maxVUs: vus,
      gracefulStop: `${REQUEST_TIMEOUT_MS + 1000}ms`,
    },
  },
});

export function setup() {
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

export function teardown(reading) {
  status.after(knobs, reading);
}

export function handleSummary(data) {
  return handle(Object.assign({}, knobs, { pools: vus }), 'open-loop', data); // each VU has a pool
}
