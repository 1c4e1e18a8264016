// node:http2, the core module: a session is one connection, and a session that
// has received GOAWAY never opens another stream (nodejs.org/api/http2.html,
// ERR_HTTP2_GOAWAY_SESSION). Making a new one is the application's business.
import http2 from 'node:http2'

/** post is one request on a session, as the documentation's example does it. */
function post (session, target, id, body) {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': target.method,
      ':path': target.path,
      'x-lab-request-id': id
    })
    let status, answer = ''
    stream.setEncoding('utf8')
    stream.on('response', (headers) => { status = headers[':status'] })
    stream.on('data', (chunk) => { answer += chunk })
    stream.on('error', reject)
    // A stream that is cancelled without an error ends too, and never had a status.
    stream.on('close', () => status === undefined
      ? reject(new Error(`the stream closed without an answer (rstCode ${stream.rstCode})`))
      : resolve({ status, body: answer }))
    stream.end(body ?? undefined)
  })
}

function connector (flags, meter) {
  const { origin, pathname, search } = new URL(flags.url)
  return {
    target: { method: flags.method, path: pathname + search },
    connect () {
      const session = http2.connect(origin, { ca: flags.caPem })
      session.on('error', (err) => console.error('session:', err.message))
      session.once('connect', (_, socket) => meter.opened(socket))
      return session
    }
  }
}

const library = 'node:http2 of Node.js ' + process.version.slice(1)

/** One session, kept for ever. */
export function naive (flags, meter) {
  const { connect, target } = connector(flags, meter)
  const session = connect()
  return { library, call: async (id, body) => post(session, target, id, body) }
}

// A session that may still open streams: the one there is, or a new one.
function keeper (connect) {
  // snippet:node-http2-reconnect
  let session
  function usable () {
    if (!session || session.closed || session.destroyed) {
      const fresh = session = connect() // http2.connect(...) and an 'error' listener
      fresh.on('goaway', () => { if (session === fresh) session = undefined })
    }
    return session
  }
  // snippet:end
  return usable
}

/** A new session once the old one is of no more use. */
export function reconnect (flags, meter) {
  const { connect, target } = connector(flags, meter)
  const usable = keeper(connect)
  return { library, call: async (id, body) => post(usable(), target, id, body) }
}

/** The same, and a request that the server has not processed is sent again. */
export function retry (flags, meter) {
  const { connect, target } = connector(flags, meter)
  const usable = keeper(connect)
  // GOAWAY closes every stream above its last id as refused: never processed (RFC 9113 §6.8, §8.7).
  // snippet:node-http2-retry
  const unprocessed = /ERR_HTTP2_(GOAWAY|INVALID)_SESSION|NGHTTP2_REFUSED_STREAM/ // the server did nothing
  async function call (id, body, tries = 5) {
    try {
      return await post(usable(), target, id, body)
    } catch (err) {
      if (tries === 1 || !unprocessed.test(`${err.code} ${err.message}`)) throw err
      return call(id, body, tries - 1)
    }
  }
  // snippet:end
  return { library, call: (id, body) => call(id, body) }
}

/** A new session before the server's limit is reached. */
export function renew (flags, meter) {
  const { connect, target } = connector(flags, meter)
  // snippet:node-http2-renew
  const most = 900 // below the server's keepalive_requests
  let session, used = 0
  function counted () {
    if (!session || session.closed || session.destroyed || used++ === most) {
      session?.close() // graceful: its open streams end first
      session = connect()
      used = 1
    }
    return session
  }
  // snippet:end
  return { library, call: async (id, body) => post(counted(), target, id, body) }
}
