// The metrics of a run by hand; lib/summary.js reads them.

import { Counter, Trend } from 'k6/metrics';

export const metrics = {
  attempts: new Counter('lab_attempts'),
  succeeded: new Counter('lab_succeeded'),
  failed: new Counter('lab_failed'),
  warmup: new Counter('lab_warmup_requests'),
  noticed: new Counter('lab_connections_noticed'), // warm-up included, as the server's own count is
  window: new Trend('lab_window_ms'), // when windows began and ended; min and max are the run's
  latency: new Trend('lab_latency_ms'),
  // of an open loop
  notStarted: new Counter('lab_not_started'),
  late: new Trend('lab_late_ms'),
  uncorrected: new Trend('lab_uncorrected_ms'),
};
