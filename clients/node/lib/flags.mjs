// The command line that all client programs of the lab share.
import { readFileSync } from 'node:fs'

/** Stop ends the program with a line on stderr and one of the lab's exit statuses. */
export class Stop extends Error {
  constructor (status, message) {
    super(message)
    this.status = status
  }
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, us: 0.001, µs: 0.001, ns: 0.000001 }

/** Milliseconds of a duration as Go prints it: 4s, 1.5s, 300ms, 1m0s. */
export function milliseconds (name, text) {
  if (!/^(\d+(\.\d+)?(ms|us|µs|ns|s|m|h))+$/.test(text)) {
    throw new Stop(2, `${name}=${text} is no duration: give one such as 4s or 300ms`)
  }
  let ms = 0
  for (const [, number, , unit] of text.matchAll(/(\d+(\.\d+)?)(ms|us|µs|ns|s|m|h)/g)) ms += Number(number) * units[unit]
  return ms
}

const known = {
  '--variant': { text: '' },
  '--url': { text: '' },
  '--protocol': { text: 'h2', of: ['h1', 'h2'] },
  '--concurrency': { text: '100', from: 1, to: 10000 },
  '--pools': { text: '1', from: 1, to: 1 },
  '--warmup': { text: '1s', duration: true },
  '--duration': { text: '4s', duration: true },
  '--ca': { text: '' },
  '--method': { text: 'POST', of: ['GET', 'POST', 'PUT', 'PATCH'] },
  '--body-bytes': { text: '1', from: 0, to: 1 << 20 },
  '--max-tls': { text: '1.3', of: ['1.2', '1.3'] },
  '--patience': { text: '4s', duration: true },
  '--nonce': { text: '' }
}

function value (name, rule, text) {
  if (rule.of && !rule.of.includes(text)) throw new Stop(2, `${name}=${text} is unknown: give ${rule.of.join(' or ')}`)
  if (rule.duration) {
    const ms = milliseconds(name, text)
    if (ms <= 0) throw new Stop(2, `${name}=${text} must be longer than nothing, such as 4s`)
    return ms
  }
  if (rule.from === undefined) return text
  const n = Number(text)
  if (!/^\d+$/.test(text) || n < rule.from || n > rule.to) {
    throw new Stop(2, `${name}=${text} is out of range: give a whole number from ${rule.from} to ${rule.to}`)
  }
  return n
}

/** parse reads the arguments; a first one without dashes is the variant. */
export function parse (args) {
  const texts = {}
  const rest = [...args]
  if (rest.length > 0 && !rest[0].startsWith('-')) texts['--variant'] = rest.shift()
  let json = false
  while (rest.length > 0) {
    const [name, inline] = rest.shift().split(/=(.*)/s)
    if (name === '--json') {
      json = true
    } else if (!known[name]) {
      throw new Stop(2, `unknown flag ${name}: the flags are --json ${Object.keys(known).join(' ')}`)
    } else if (inline === undefined && rest.length === 0) {
      throw new Stop(2, `${name} needs a value`)
    } else {
      texts[name] = inline ?? rest.shift()
    }
  }
  const flags = { json }
  for (const [name, rule] of Object.entries(known)) {
    flags[name.slice(2).replace(/-(.)/g, (_, c) => c.toUpperCase())] = value(name, rule, texts[name] ?? rule.text)
  }
  return checked(flags)
}

function checked (flags) {
  if (!URL.canParse(flags.url) || new URL(flags.url).protocol !== 'https:') {
    throw new Stop(2, `--url=${flags.url} is no https address: give one such as https://127.0.0.1:18101/echo?ms=0`)
  }
  flags.nonce ||= Date.now().toString(36)
  if (flags.ca) {
    try {
      flags.caPem = readFileSync(flags.ca, 'utf8')
    } catch (err) {
      throw new Stop(3, `--ca: ${err.message}; make it with: make certs`)
    }
    if (!flags.caPem.includes('BEGIN CERTIFICATE')) throw new Stop(3, `--ca ${flags.ca} holds no PEM certificate`)
  }
  return flags
}
