// The gate is how the lab's conductor and a script agree where the measured
// window begins and ends: a VU asks at a door and waits for its 200. Without
// GATE every door is open.

import exec from 'k6/execution';
import http from 'k6/http';
import { logTally } from './runner.js';

const PARAMS = { timeout: 180000, tags: { lab: 'gate' } };

// pass waits at a door: "warm" after the warm-up, "done" after the window.
export function pass(knobs, door) {
  if (knobs.gate === '') return;
  const res = http.post(`${knobs.gate}/${door}?vu=${exec.vu.idInTest}`, null, PARAMS);
  if (res.status !== 200) exec.test.abort(`the gate at ${knobs.gate}/${door} did not open: ${res.error || res.status_text}`);
}

// deliver hands a VU's tally to the conductor, or to k6's own metrics when there is none, and to the log with TALLY=log.
export function deliver(knobs, script, tally) {
  if (knobs.gate === '') {
    tally.publish();
    if (knobs.tally === 'log') logTally(script, knobs, tally);
    return;
  }
  const res = http.post(`${knobs.gate}/tally?vu=${exec.vu.idInTest}`, JSON.stringify(tally.record()), PARAMS);
  if (res.status !== 200) exec.test.abort(`the gate at ${knobs.gate}/tally refused a tally: ${res.error || res.status_text}`);
}
