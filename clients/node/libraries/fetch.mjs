// fetch() as node has it: the undici inside of node, and its default dispatcher.
// HTTP/1.1 up to Node.js 24 (undici 6 and 7), HTTP/2 where the server offers it
// from undici 8 on, which Node.js 26 has (nodejs/undici#4828).
import { createRequire } from 'node:module'
import { again } from './again.mjs'

const library = `fetch of Node.js ${process.version.slice(1)} (undici ${process.versions.undici})`

const message = (flags, id, body) => ({ method: flags.method, headers: { 'x-lab-request-id': id }, body })

async function read (answer) {
  return { status: answer.status, body: await answer.text() }
}

export function builtin (flags) {
  return { library, call: async (id, body) => read(await fetch(flags.url, message(flags, id, body))) }
}

export function retried (flags) {
  return { library, call: async (id, body) => read(await again(() => fetch(flags.url, message(flags, id, body)))) }
}

// Only the two variants below need the package, under the name that it has here.
const newest = () => createRequire(import.meta.url)('undici8')

/** The retry, over one connection: as it comes node dials once a waiting request. */
export function single (flags) {
  const { Agent, setGlobalDispatcher } = newest()
  // snippet:fetch-single
  // import { Agent, setGlobalDispatcher } from 'undici' // npm install undici@8
  setGlobalDispatcher(new Agent({ connections: 1 })) // and the retry: again(() => fetch(...))
  // snippet:end
  return retried(flags)
}

export function downgraded (flags) {
  const { Agent, setGlobalDispatcher } = newest()
  // snippet:fetch-h1
  // import { Agent, setGlobalDispatcher } from 'undici' // npm install undici@8
  setGlobalDispatcher(new Agent({ allowH2: false }))
  // snippet:end
  return builtin(flags)
}
