// Keeps `concurrency` calls in flight for a time, then waits for the answers.
import { setTimeout as sleep } from 'node:timers/promises'
import { BadAnswer, Hung } from './failure.mjs'
import { Tally } from './tally.mjs'

const scanEvery = 20 // ms; how exactly patience is kept
const afterQuickFailure = 10 // ms; a client that is broken for ever fails millions of times otherwise

export async function run (call, flags, phase, duration) {
  const tally = new Tally()
  const slots = []
  const began = performance.now()
  const watchdog = setInterval(() => giveUp(slots, flags.patience), scanEvery)
  const window = { call, flags, phase, until: began + duration, tally }
  for (let i = 0; i < flags.concurrency; i++) slots.push({ index: i, started: 0, reject: null })
  await Promise.all(slots.map((slot) => work(window, slot)))
  clearInterval(watchdog)
  tally.elapsed = performance.now() - began
  return tally
}

// One timer looks at all calls: a timer for each would weigh more than some calls.
function giveUp (slots, patience) {
  const now = performance.now()
  for (const slot of slots) {
    if (slot.reject && now - slot.started >= patience) slot.reject(new Hung(patience))
  }
}

async function work ({ call, flags, phase, until, tally }, slot) {
  const expected = flags.method === 'GET' ? null : '1'.repeat(flags.bodyBytes)
  for (let n = 1; performance.now() < until; n++) {
    slot.started = performance.now()
    try {
      const answer = await bounded(slot, () => call(`${flags.nonce}-${phase}-${slot.index}-${n}`, expected))
      check(answer, flags, expected)
      tally.success(performance.now() - slot.started)
    } catch (err) {
      tally.failure(err)
      if (performance.now() - slot.started < 1) await sleep(afterQuickFailure)
    }
  }
}

// A call that is given up is left to itself: an application without a signal or
// a time-out cannot do more. Its late rejection goes nowhere.
function bounded (slot, start) {
  return new Promise((resolve, reject) => {
    slot.reject = reject
    start().then(resolve, reject)
  }).finally(() => { slot.reject = null })
}

function check (answer, flags, expected) {
  if (answer.status < 200 || answer.status > 299) throw new BadAnswer('status', `HTTP status ${answer.status}`)
  if (expected !== null && flags.url.includes('/echo') && answer.body !== expected) {
    throw new BadAnswer('transport', `the answer is not the body that was sent: ${expected.length} bytes sent, ${answer.body.length} received`)
  }
}
