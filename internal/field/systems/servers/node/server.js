// Node's own HTTP/2 server, which ends connections as the program says:
//
//   node server.js PORT CERTIFICATE KEY [HOW N]
//
// HOW is close (session.close() while request N of a session is answered), destroy (session.destroy() after
// request N was executed and before it is answered), calm (a GOAWAY with ENHANCE_YOUR_CALM at request N) or
// http1 (HTTP/1.1 alone, with maxRequestsPerSocket N).
'use strict';
const fs = require('fs');
const http2 = require('http2');
const https = require('https');

const [port, cert, key, how = 'none', n = '0'] = process.argv.slice(2);
const limit = Number(n);
const options = { cert: fs.readFileSync(cert), key: fs.readFileSync(key), allowHTTP1: true };

const ends = {
  none: () => {},
  close: (session) => session.close(),
  destroy: (session) => session.destroy(),
  calm: (session) => session.goaway(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM),
};

function answer(request, response) {
  const session = request.stream?.session;
  if (session) session.carried = (session.carried || 0) + 1;
  if (session?.carried === limit) ends[how](session);
  if (!response.stream?.destroyed) response.end('ok\n');
}

let server;
if (how === 'http1') {
  server = https.createServer(options, answer);
  server.maxRequestsPerSocket = limit;
} else {
  server = http2.createSecureServer(options, answer);
}
server.listen(Number(port), '127.0.0.1');
