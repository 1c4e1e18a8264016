// What a window counted, and the line of JSON it ends as.
import { Hung, explain } from './failure.mjs'

const mostGroups = 50

export class Tally {
  attempts = 0
  hung = 0
  elapsed = 0
  #latencies = []
  #groups = new Map()

  get succeeded () { return this.#latencies.length }
  get failed () { return this.attempts - this.succeeded }
  get groups () { return [...this.#groups.values()].sort((a, b) => b.count - a.count) }

  success (ms) {
    this.attempts++
    this.#latencies.push(ms)
  }

  failure (err) {
    this.attempts++
    if (err instanceof Hung) this.hung++
    const { kind, message } = explain(err)
    let key = kind + ' ' + message.replaceAll(/\d+/g, '#')
    if (!this.#groups.has(key) && this.#groups.size >= mostGroups - 1) key = 'further'
    const group = this.#groups.get(key)
    if (group) group.count++
    else this.#groups.set(key, key === 'further' ? { message: 'further messages, beyond the kinds that are kept', count: 1, kind: 'transport' } : { message, count: 1, kind })
  }

  /** Exact percentiles: a window is small enough to keep every value. */
  latency () {
    const sorted = Float64Array.from(this.#latencies).sort()
    const at = (q) => sorted.length === 0 ? null : round(sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)])
    return { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), p999: at(0.999), max: at(1) }
  }
}

const round = (ms) => Math.round(ms * 1000) / 1000

export function answer (warm, run, before, after, library) {
  return {
    attempts: run.attempts,
    succeeded: run.succeeded,
    failed: run.failed,
    warmup_requests: warm.attempts,
    elapsed_s: run.elapsed / 1000,
    failures: run.groups,
    latency_ms: run.latency(),
    dialled: after.dialled - before.dialled,
    client_reported: null,
    tls: { version: after.version, resumed: after.resumed - before.resumed },
    hung: run.hung,
    library,
    runtime: 'Node.js ' + process.version.slice(1)
  }
}

/** summary is the answer for a reader at a terminal. */
export function summary (variant, a) {
  const lines = [
    `${variant} (${a.library}, ${a.runtime}): ${a.succeeded} succeeded, ${a.failed} failed, ${a.hung} hung in ${a.elapsed_s.toFixed(2)} s: ${(a.succeeded / a.elapsed_s).toFixed(0)} requests/s`,
    `  latency ms: p50 ${a.latency_ms.p50}, p90 ${a.latency_ms.p90}, p99 ${a.latency_ms.p99}, p99.9 ${a.latency_ms.p999}, max ${a.latency_ms.max}`,
    `  connections in the window: ${a.dialled}, ${a.tls.resumed} resumed; TLS ${a.tls.version}`
  ]
  for (const f of a.failures) lines.push(`  ${f.count} × ${f.message}`)
  return lines.join('\n')
}
