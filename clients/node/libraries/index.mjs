// The variants by name; client.json says which node runs them.
import * as core from './http2.mjs'
import * as undici from './undici.mjs'
import { builtin, downgraded, retried, single } from './fetch.mjs'

export const variants = {
  'node-http2': core.naive,
  'node-http2-reconnect': core.reconnect,
  'node-http2-retry': core.retry,
  'node-http2-renew': core.renew,
  'undici-6': undici.request(6),
  'undici-6-bounded': undici.bounded(6),
  'undici-6-renew': undici.boundedRenewed(6),
  'undici-6-h1': undici.h1(6),
  'undici-7': undici.request(7),
  'undici-7-bounded': undici.bounded(7),
  'undici-7-bounded-renew': undici.boundedRenewed(7),
  'undici-7-mux': undici.multiplexed(7),
  'undici-7-retry': undici.multiplexedRetried(7),
  'undici-7-renew': undici.multiplexedRenewed(7),
  'undici-7-h1': undici.h1(7),
  'undici-7-fetch': undici.fetching(7),
  'undici-8': undici.request(8),
  'undici-8-fetch': undici.fetching(8),
  'undici-8-fetch-retry': undici.fetchRetried(8),
  fetch: builtin,
  'fetch-node-26': builtin,
  'fetch-node-26-retry': retried,
  'fetch-node-26-single': single,
  'fetch-node-26-h1': downgraded
}
