// Every knob comes from the environment (k6 run -e NAME=value, or the process's
// own variables) and is checked here, before a single request is sent.

export const OUR_HEADER = 'X-Lab-Request-Id'; // the backend counts requests that carry it

// A request that has no answer after this is a failure, as in every client of
// the lab: it leaves room for net/http's retries after 0, 1, 2 and 4 s.
export const REQUEST_TIMEOUT_MS = 12000;

function refuse(name, value, hint) {
  throw new Error(`${name}=${value} can't be used: ${hint}`);
}

function text(name, fallback) {
  const v = __ENV[name];
  return v === undefined || v === '' ? fallback : v;
}

function whole(name, fallback, min, max, example = fallback) {
  const v = text(name, String(fallback));
  const n = Number(v);
  if (!/^\d+$/.test(v) || n < min || n > max) {
    refuse(name, v, `give a whole number from ${min} to ${max}, such as ${example}`);
  }
  return n;
}

function oneOf(name, fallback, choices) {
  const v = text(name, fallback);
  if (!choices.includes(v)) refuse(name, v, `choose from ${choices.join(', ')}`);
  return v;
}

function milliseconds(name, fallback) {
  const v = text(name, fallback);
  const m = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(v);
  const ms = m ? Number(m[1]) * { ms: 1, s: 1000, m: 60000 }[m[2]] : 0;
  if (!(ms > 0 && ms <= 3600000)) refuse(name, v, `give a duration such as ${fallback}, 500ms or 1m, one hour at most`);
  return ms;
}

function url(name, required) {
  const v = text(name, '');
  if (v === '' && !required) return '';
  if (v === '') throw new Error(`${name} is required: give a URL, such as -e ${name}=https://127.0.0.1:18101/echo?ms=0`);
  if (!/^https?:\/\/[^\s/]+/.test(v)) {
    refuse(name, v, `give a complete URL, such as -e ${name}=https://127.0.0.1:18101/echo?ms=0`);
  }
  return v;
}

// read returns the knobs; a script calls it once, in its init context.
export function read() {
  const target = url('TARGET', true);
  const rate = whole('RATE', 0, 0, 1000000, 2000);
  // At a rate CONCURRENCY is the most in flight: 100 would hide the queue that a rate is to show.
  const concurrency = whole('CONCURRENCY', rate > 0 ? 1000 : 100, 1, 10000);
  const method = oneOf('METHOD', 'POST', ['GET', 'POST', 'PUT', 'PATCH']);
  const bytes = whole('BODY', 1, 0, 1048576);
  return {
    target,
    method,
    body: method === 'GET' || bytes === 0 ? null : '1'.repeat(bytes),
    concurrency,
    pools: whole('POOLS', 1, 1, concurrency),
    rate, // 0: a closed loop, which keeps CONCURRENCY requests in flight
    arrivals: oneOf('ARRIVALS', 'constant', ['constant', 'poisson']),
    seed: whole('SEED', 1, 0, Number.MAX_SAFE_INTEGER),
    burst: whole('BURST', 1, 1, 10000),
    durationMS: milliseconds('DURATION', '5s'),
    warmupMS: milliseconds('WARMUP', '1s'),
    thinkMS: whole('THINK', 0, 0, 60000),
    delayMS: whole('DELAY', 0, 0, 10000), // of the target, so that users with THINK don't start together
    protocol: oneOf('PROTOCOL', 'h2', ['h1', 'h2']),
    maxTLS: oneOf('TLS', '1.3', ['1.2', '1.3']),
    topology: text('TOPOLOGY', /^https?:\/\/([^/?]+)/.exec(target)[1]),
    limit: text('LIMIT', '') === '' ? 0 : whole('LIMIT', 0, 0, 1000000000, 1000), // 0: none, or not known
    nonce: text('NONCE', Date.now().toString(36)),
    gate: url('GATE', false),
    statusURL: url('STATUS_URL', false),
    summary: text('SUMMARY', ''),
    tally: oneOf('TALLY', 'none', ['none', 'log']), // log: lines for `h2lab merge`, see runner.js
  };
}

// commonOptions are the options that all scripts share.
export function commonOptions(knobs) {
  return {
    // k6 has a transport for each VU, with MaxIdleConns = batch and
    // MaxIdleConnsPerHost = batchPerHost (internal/js/runner.go). The defaults,
    // 20 and 6, would close 94 of 100 HTTP/1.1 connections after every answer.
    batch: knobs.concurrency + 10,
    batchPerHost: knobs.concurrency + 10,
    // Bodies are read to their end but not turned into JavaScript strings.
    discardResponseBodies: true,
    maxRedirects: 0, // a redirect is not the answer that was asked for
    tlsVersion: { min: 'tls1.2', max: `tls${knobs.maxTLS}` },
    // Every system tag is looked up for all nine samples of every request.
    systemTags: ['proto', 'status', 'error_code', 'scenario'],
    tags: { topology: knobs.topology, protocol: knobs.protocol, limit: String(knobs.limit) },
    summaryTrendStats: ['min', 'med', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)', 'max'],
    thresholds: { lab_attempts: ['count>0'], lab_failed: ['count==0'] },
    setupTimeout: '30s',
    teardownTimeout: '30s',
  };
}

// oneLongIteration is a scenario in which each of n VUs runs once and paces
// itself: warm-up, window, and the time that the last answers may take.
export function oneLongIteration(knobs, n) {
  const most = knobs.warmupMS + knobs.durationMS + 2 * REQUEST_TIMEOUT_MS + 240000;
  return { executor: 'per-vu-iterations', vus: n, iterations: 1, maxDuration: `${Math.ceil(most)}ms`, gracefulStop: '1s' };
}
