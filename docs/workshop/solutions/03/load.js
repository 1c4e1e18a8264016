// Two seconds of load on the front nginx-low, by one application: one user, so
// one pool, with fifty requests in flight on it all the time.
//
//   SSL_CERT_FILE=certs/out/ca.crt k6 run workshop/03/load.js

import http from 'k6/http';

const target = __ENV.TARGET || 'https://127.0.0.1:18101/echo?ms=5';

export const options = {
  scenarios: { pool: { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: '8s' } },
};

export default async function () {
  const until = Date.now() + 2000;
  const loops = [];
  for (let i = 0; i < 50; i++) loops.push(loop(until));
  await Promise.all(loops);
}

async function loop(until) {
  while (Date.now() < until) await http.asyncRequest('POST', target, '1');
}
