// The usual script: CONCURRENCY VUs, each sending one request at a time.
//
// It hides the fault, and this is why. k6 gives every VU a transport of its own
// (internal/js/runner.go, newVU), so a hundred VUs are a hundred connections
// with a hundred budgets of requests: each is used up a hundred times later,
// they are used up at different moments, and when one is, there is a single
// waiting request and so a single dial. That is how a hundred browsers behave.
// An application, a gateway or a proxy keeps its requests on one pool: for
// those, see shared-pool.js, whose head also explains the knobs. Of a service
// behind which such a pool is, these are the users. THINK (0) is how many
// milliseconds a user waits between an answer and its next request; DELAY (0) is
// how long the target takes, so that users who think don't start together.
//
//   k6 run -e TARGET=https://127.0.0.1:18101/echo?ms=0 k6/connection-per-vu.js

import { sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { deliver, pass } from './lib/gate.js';
import { OUR_HEADER, REQUEST_TIMEOUT_MS, commonOptions, oneLongIteration, read } from './lib/knobs.js';
import { check } from './lib/runner.js';
import * as status from './lib/status.js';
import { handle } from './lib/summary.js';
import { Tally } from './lib/tally.js';

const knobs = read();
if (knobs.rate > 0) {
  throw new Error(`RATE=${knobs.rate} can't be used with connection-per-vu.js: its users wait for their answers; use shared-pool.js or open-loop.js`);
}
knobs.pools = knobs.concurrency; // each VU has a pool

export const options = Object.assign(commonOptions(knobs), {
  scenarios: { users: oneLongIteration(knobs, knobs.concurrency) },
});

// Plain HTTP under the lab's conductor is a service.
const ofService = knobs.gate !== '' && knobs.target.startsWith('http:');

export function setup() {
  check();
  return status.before(knobs);
}

export default function () {
  const tally = new Tally(knobs.protocol);
  tally.endWarmup(window(tally, 'warm', knobs.warmupMS), ofService);
  pass(knobs, 'warm');
  window(tally, 'run', knobs.durationMS);
  pass(knobs, 'done');
  deliver(knobs, 'connection-per-vu', tally);
}

// window sends one request after the other for a time and returns the TLS
// version of the last. Why the clock is read here: see shared-pool.js.
function window(tally, phase, ms) {
  const clock = exec.instance;
  const vu = exec.vu.idInTest - 1;
  const prefix = `${knobs.nonce}-${phase}-${vu}-`;
  const began = clock.currentTestRunDuration;
  // Users who all think as long would otherwise send all their requests at once, again and again.
  if (knobs.thinkMS > 0) sleep(Math.min(ms / 2, ((knobs.thinkMS + knobs.delayMS) * vu) / knobs.concurrency) / 1000);
  let now = clock.currentTestRunDuration;
  let answered = now;
  let tls = '';
  for (let n = 0; n === 0 || now < began + ms; n++) {
    const sent = now;
    const params = { headers: { [OUR_HEADER]: prefix + n }, timeout: REQUEST_TIMEOUT_MS };
    const res = http.request(knobs.method, knobs.target, knobs.body, params);
    now = answered = clock.currentTestRunDuration;
    tally.answer(res, now - sent);
    tls = res.tls_version;
    if (knobs.thinkMS > 0) {
      sleep(knobs.thinkMS / 1000);
      now = clock.currentTestRunDuration;
    }
  }
  tally.began = began;
  tally.ended = answered;
  return tls;
}

export function teardown(reading) {
  status.after(knobs, reading);
}

export function handleSummary(data) {
  return handle(knobs, 'connection-per-vu', data);
}
