// Two seconds of load on the front nginx-low, by fifty users.
//
//   SSL_CERT_FILE=certs/out/ca.crt k6 run workshop/03/load.js
//
// k6 finds nothing wrong with it. Make it show what one application does, whose
// fifty requests in flight share a pool. Check with: make step N=3

import http from 'k6/http';

const target = __ENV.TARGET || 'https://127.0.0.1:18101/echo?ms=5';

export const options = {
  vus: 50,
  duration: '2s',
};

export default function () {
  http.post(target, '1');
}
