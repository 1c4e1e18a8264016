// A runner is one k6 process of a test that several machines share. k6's own
// execution segments divide the VUs and the arrivals. With TALLY=log each runner
// logs what `h2lab merge` requires to make one result: a line for each VU, with
// its tally, and a line at the runner's end. The log can come from k6
// --console-output=FILE, from a container engine or from kubectl logs.
//
// k6 gives VUs numbers that are unique over all runners only if every runner
// knows the whole sequence of segments (lib/execution.go, GetUniqueVUIdentifiers;
// without a sequence each runner fills one in for itself, lib/execution_segment.go,
// GetFilledExecutionSegmentSequence). shared-pool.js divides CONCURRENCY by these
// numbers, so a segment without a sequence is refused.

import exec from 'k6/execution';

const FORMAT = 1; // internal/lab/merge reads it

// These knobs may differ between the runners of one test; the body is reported by its length.
const OF_ONE_RUNNER = ['nonce', 'gate', 'statusURL', 'summary', 'body', 'tally'];

// check refuses a runner whose VUs may have the same numbers as another runner's.
export function check() {
  const { executionSegment, executionSegmentSequence } = exec.test.options;
  if (executionSegment && !executionSegmentSequence) {
    throw new Error(
      `--execution-segment=${executionSegment} can't be used alone: give every runner the whole sequence too, ` +
        'such as --execution-segment-sequence=0,1/4,2/4,3/4,1',
    );
  }
}

// segment is the runner's part of the test, or "" where it has the whole test.
export function segment() {
  return exec.test.options.executionSegment || '';
}

function line(script, knobs, more) {
  const { executionSegmentSequence } = exec.test.options;
  const shared = { bodyBytes: knobs.body === null ? 0 : knobs.body.length };
  for (const name of Object.keys(knobs)) {
    if (!OF_ONE_RUNNER.includes(name)) shared[name] = knobs[name];
  }
  const head = { format: FORMAT, script, segment: segment(), sequence: executionSegmentSequence || '' };
  console.log(`h2lab-tally ${JSON.stringify(Object.assign(head, { knobs: shared }, more))}`);
}

// logTally logs the calling VU's tally, with its window by the machine's clock.
export function logTally(script, knobs, tally) {
  const zero = Date.now() - exec.instance.currentTestRunDuration;
  line(script, knobs, {
    vu: exec.vu.idInTest,
    vus: exec.instance.vusInitialized,
    // A VU of open-loop.js may have had no arrival.
    began: tally.attempts > 0 ? zero + tally.began : null,
    ended: tally.attempts > 0 ? zero + tally.ended : null,
    tally: tally.record(),
  });
}

// logEnd is for handleSummary: the runner ended, and this many arrivals found every VU busy.
export function logEnd(script, knobs, dropped) {
  line(script, knobs, { end: true, dropped });
}
