// undici, in every major that is around, by request() and by its fetch().
import { createRequire } from 'node:module'
import { again } from './again.mjs'

const require = createRequire(import.meta.url)

function load (major) {
  return { undici: require('undici' + major), library: 'undici ' + require(`undici${major}/package.json`).version }
}

const agentOptions = (flags, more) => ({ allowH2: true, connect: { ca: flags.caPem }, ...more })

const message = (flags, id, body) => ({ method: flags.method, headers: { 'x-lab-request-id': id }, body })

async function read ({ statusCode, body }) {
  return { status: statusCode, body: await body.text() }
}

/** One Agent, with more options of Agent and of request() than the defaults. */
export const request = (major, { agent, each } = {}) => (flags) => {
  const { undici, library } = load(major)
  const dispatcher = new undici.Agent(agentOptions(flags, agent))
  const call = async (id, body) => read(await undici.request(flags.url, { dispatcher, ...message(flags, id, body), ...each }))
  return { library, call }
}

/** An Agent that speaks HTTP/1.1 only: the default of undici 6 and 7, a setting in 8. */
export const h1 = (major) => (flags) => {
  const { undici, library } = load(major)
  const { Agent, request } = undici
  const url = flags.url
  const connect = { ca: flags.caPem }
  // snippet:undici-h1
  const dispatcher = new Agent({ allowH2: false, connect })
  const send = (options) => request(url, { dispatcher, ...options })
  // snippet:end
  return { library, call: async (id, body) => read(await send(message(flags, id, body))) }
}

/** undici's own fetch() with that Agent. */
export const fetching = (major) => (flags) => {
  const { undici, library } = load(major)
  const dispatcher = new undici.Agent(agentOptions(flags))
  const call = async (id, body) => {
    const answer = await undici.fetch(flags.url, { dispatcher, ...message(flags, id, body) })
    return { status: answer.status, body: await answer.text() }
  }
  return { library: library + ' fetch', call }
}

/** The same, and what the server refused by GOAWAY is sent again. */
export const fetchRetried = (major) => (flags) => {
  const { undici, library } = load(major)
  const dispatcher = new undici.Agent(agentOptions(flags))
  const send = (id, body) => undici.fetch(flags.url, { dispatcher, ...message(flags, id, body) })
  const call = async (id, body) => {
    const answer = await again(() => send(id, body))
    return { status: answer.status, body: await answer.text() }
  }
  return { library: library + ' fetch', call }
}

// Many requests at once on one connection: undici 6 and 7 need to be told that
// it may (pipelining) and that this POST may share (idempotent; it is false by
// default for a POST, see lib/core/request.js).
// snippet:undici-mux
const multiplexing = { connections: 1, pipelining: 100 }
const sharing = { idempotent: true }
// snippet:end

// What an application sets that wants fewer connections than requests.
const few = { connections: 4 }

export const bounded = (major) => request(major, { agent: few })
export const multiplexed = (major) => request(major, { agent: multiplexing, each: sharing })

/** The same over an Agent that is replaced before the server's limit. */
export const renewed = (major, { agent: more, each } = {}) => (flags) => {
  const { undici, library } = load(major)
  const { Agent } = undici
  const options = agentOptions(flags, more)
  // snippet:undici-renew
  const most = 900 // below the server's keepalive_requests
  let agent, used = most
  function dispatcher () {
    if (used++ === most) {
      agent?.close() // graceful: what is under way ends first
      agent = new Agent(options)
      used = 1
    }
    return agent
  }
  // snippet:end
  const call = async (id, body) => read(await undici.request(flags.url, { dispatcher: dispatcher(), ...message(flags, id, body), ...each }))
  return { library, call }
}

/** undici's own retry, told to send a POST again. */
export const retried = (major, agent, each) => (flags) => {
  const { undici, library } = load(major)
  const { Agent, RetryAgent } = undici
  const options = agentOptions(flags, agent)
  // snippet:undici-retry
  const dispatcher = new RetryAgent(new Agent(options), {
    methods: ['GET', 'HEAD', 'PUT', 'DELETE', 'POST'], // POST: the server may do it twice
    errorCodes: ['UND_ERR_SOCKET', 'UND_ERR_INFO', 'ECONNRESET'],
    minTimeout: 10, maxRetries: 5
  })
  // snippet:end
  const call = async (id, body) => read(await undici.request(flags.url, { dispatcher, ...message(flags, id, body), ...each }))
  return { library, call }
}

export const boundedRenewed = (major) => renewed(major, { agent: few })
export const multiplexedRenewed = (major) => renewed(major, { agent: multiplexing, each: sharing })
export const multiplexedRetried = (major) => retried(major, multiplexing, sharing)
