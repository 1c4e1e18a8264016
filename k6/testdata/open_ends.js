// Tells whether openWindow ends when the window is over between two readings of its clock, with nothing in
// flight and no timer left. Run by TestAWindowThatEndsBetweenTwoReadings.

import { openWindow } from '../lib/open.js';

export const options = { iterations: 1, vus: 1 };

export default async function () {
  const readings = [0, 0, 0.5, 0.5, 0.6, 9.999, 10.001, 10.002];
  const clock = { get currentTestRunDuration() { return readings.length > 1 ? readings.shift() : readings[0]; } };
  const open = { notStarted: 0, inFlight: 0, late: { add() {} } };
  const knobs = { rate: 100, pools: 1, arrivals: 'constant' };
  let sent = 0;
  await openWindow({ clock, open, tally: {}, vu: 0, share: 10 }, 'run', 10, knobs, () => (sent++, Promise.resolve()));
  console.log(`ended after ${sent} request`);
}
