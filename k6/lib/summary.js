// The end of a run by hand: JSON to SUMMARY, or a few lines to stdout. Under
// the lab's conductor nothing is written, since the tallies went to the gate.

import { logEnd, segment } from './runner.js';

function value(data, metric, stat) {
  const m = data.metrics[metric];
  return m === undefined || m.values[stat] === undefined ? null : m.values[stat];
}

function times(data, metric, counted) {
  const of = (stat) => (value(data, counted, 'count') > 0 ? value(data, metric, stat) : null);
  return { p50: of('med'), p90: of('p(90)'), p95: of('p(95)'), p99: of('p(99)'), p999: of('p(99.9)'), max: of('max') };
}

// schedule is how an open loop on shared pools kept to its schedule, or null.
function schedule(knobs, script, data) {
  if (script !== 'shared-pool' || knobs.rate === 0) return null;
  const notStarted = value(data, 'lab_not_started', 'count') || 0;
  return {
    rate_per_s: knobs.rate,
    arrivals: knobs.arrivals,
    due: (value(data, 'lab_attempts', 'count') || 0) + notStarted,
    not_started: notStarted,
    late_ms: times(data, 'lab_late_ms', 'lab_attempts'),
    uncorrected_ms: times(data, 'lab_uncorrected_ms', 'lab_succeeded'),
  };
}

// build turns k6's metrics into the summary of a run.
export function build(knobs, script, data) {
  const elapsed = (value(data, 'lab_window_ms', 'max') - value(data, 'lab_window_ms', 'min')) / 1000;
  const succeeded = value(data, 'lab_succeeded', 'count') || 0;
  const requests = (value(data, 'lab_attempts', 'count') || 0) + (value(data, 'lab_warmup_requests', 'count') || 0);
  const source = (data.setup_data || {}).source || null;
  return {
    script,
    target: knobs.target,
    topology: knobs.topology,
    protocol: knobs.protocol,
    limit: knobs.limit || null,
    concurrency: knobs.concurrency,
    pools: knobs.pools,
    // Of a test that several runners share: the counts below are this runner's, the load above is the whole test's.
    segment: segment() || null,
    attempts: value(data, 'lab_attempts', 'count') || 0,
    succeeded,
    failed: value(data, 'lab_failed', 'count') || 0,
    warmup_requests: value(data, 'lab_warmup_requests', 'count') || 0,
    dropped_iterations: value(data, 'dropped_iterations', 'count') || 0,
    elapsed_s: elapsed,
    goodput_rps: elapsed > 0 ? succeeded / elapsed : null,
    latency_ms: times(data, 'lab_latency_ms', 'lab_succeeded'),
    schedule: schedule(knobs, script, data),
    // From the first request to the last, warm-up included, on both sides.
    connections: {
      requests,
      k6_noticed: value(data, 'lab_connections_noticed', 'count') || 0,
      server_accepted: source === null ? null : value(data, 'lab_server_accepted', 'count'),
      server_source: source,
      requests_per_limit: knobs.limit > 0 ? Math.ceil(requests / knobs.limit) : null,
    },
  };
}

const show = (n, digits) => (n === null ? '–' : n.toFixed(digits));

// words is the summary for a reader at a terminal.
export function words(s) {
  if (s.attempts === 0) return `${s.script}: nothing was measured; the reason is on stderr\n`;
  const l = s.latency_ms;
  const c = s.connections;
  const lines = [
    `${s.script}: ${s.topology}, ${s.protocol}, ${s.schedule === null ? '' : `${s.schedule.rate_per_s} requests/s, at most `}${s.concurrency} in flight on ${s.pools} ${s.pools === 1 ? 'pool' : 'pools'}${s.segment === null ? '' : ` of all runners; the numbers below are those of segment ${s.segment}`}`,
    `  ${s.succeeded} succeeded, ${s.failed} failed in ${show(s.elapsed_s, 2)} s: ${show(s.goodput_rps, 0)} requests/s`,
    `  latency ms: p50 ${show(l.p50, 2)}, p90 ${show(l.p90, 2)}, p99 ${show(l.p99, 2)}, p99.9 ${show(l.p999, 2)}, max ${show(l.max, 2)}`,
  ];
  if (s.schedule !== null) {
    const { due, not_started: notStarted, late_ms: late, uncorrected_ms: sent } = s.schedule;
    lines.push(`  ${due} requests were due, ${notStarted} of them not started; sent late by ms: p50 ${show(late.p50, 2)}, p99 ${show(late.p99, 2)}, max ${show(late.max, 2)}`);
    lines.push(`  latency ms from when they were sent: p50 ${show(sent.p50, 2)}, p99 ${show(sent.p99, 2)}, max ${show(sent.max, 2)}`);
  }
  if (s.script === 'open-loop') {
    lines.push(`  dropped_iterations: ${s.dropped_iterations} (were due, but every VU was busy)`);
  }
  let seen = `  connections for ${c.requests} requests, warm-up included: k6 noticed ${c.k6_noticed}`;
  if (c.server_accepted !== null) seen += `, the server accepted ${c.server_accepted} (${c.server_source})`;
  else seen += '; give STATUS_URL to see what the server accepted';
  lines.push(seen);
  if (c.requests_per_limit !== null) {
    lines.push(`  one connection carries ${s.limit} requests, so ${c.requests_per_limit} would have carried them all`);
  }
  return lines.join('\n') + '\n';
}

// handle is what a script's handleSummary returns.
export function handle(knobs, script, data) {
  if (knobs.gate !== '') return {};
  const summary = build(knobs, script, data);
  if (knobs.tally === 'log') logEnd(script, knobs, summary.dropped_iterations);
  if (knobs.summary !== '') return { [knobs.summary]: JSON.stringify(summary, null, 2) + '\n' };
  return { stdout: words(summary) };
}
