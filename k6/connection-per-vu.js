// The usual script: CONCURRENCY VUs, each sending one request at a time.
//
// It hides the fault, and this is why. k6 gives every VU a transport of its own
// (internal/js/runner.go, newVU), so a hundred VUs are a hundred connections
// with a hundred budgets of requests: each is used up a hundred times later,
// they are used up at different moments, and when one is, there is a single
// waiting request and so a single dial. That is how a hundred browsers behave.
// An application, a gateway or a proxy keeps its requests on one pool: for
// those, see shared-pool.js, whose head also explains the knobs.
//
//   k6 run -e TARGET=https://127.0.0.1:18101/echo?ms=0 k6/connection-per-vu.js

import exec from 'k6/execution';
import http from 'k6/http';
import { deliver, pass } from './lib/gate.js';
import { OUR_HEADER, REQUEST_TIMEOUT_MS, commonOptions, oneLongIteration, read } from './lib/knobs.js';
import * as status from './lib/status.js';
import { handle } from './lib/summary.js';
import { Tally } from './lib/tally.js';

const knobs = read();

export const options = Object.assign(commonOptions(knobs), {
  scenarios: { users: oneLongIteration(knobs, knobs.concurrency) },
});

export function setup() {
  return status.before(knobs);
}

export default function () {
  const tally = new Tally(knobs.protocol);
  tally.endWarmup(window(tally, 'warm', knobs.warmupMS));
  pass(knobs, 'warm');
  window(tally, 'run', knobs.durationMS);
  pass(knobs, 'done');
  deliver(knobs, tally);
}

// window sends one request after the other for a time and returns the TLS
// version of the last. Why the clock is read here: see shared-pool.js.
function window(tally, phase, ms) {
  const clock = exec.instance;
  const prefix = `${knobs.nonce}-${phase}-${exec.vu.idInTest - 1}-`;
  const began = clock.currentTestRunDuration;
  let now = began;
  let tls = '';
  for (let n = 0; now < began + ms; n++) {
    const sent = now;
    const params = { headers: { [OUR_HEADER]: prefix + n }, timeout: REQUEST_TIMEOUT_MS };
    const res = http.request(knobs.method, knobs.target, knobs.body, params);
    now = clock.currentTestRunDuration;
    tally.answer(res, now - sent);
    tls = res.tls_version;
  }
  tally.began = began;
  tally.ended = now;
  return tls;
}

export function teardown(reading) {
  status.after(knobs, reading);
}

export function handleSummary(data) {
  return handle(knobs, 'connection-per-vu', data);
}
