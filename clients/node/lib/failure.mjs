// What a failed call looks like to the application's log.

/** WrongProtocol ends the run: its figures would stand under a false name. */
export class WrongProtocol extends Error {}

/** BadAnswer is an answer that is not a success; kind says whose fault it is. */
export class BadAnswer extends Error {
  constructor (kind, message) {
    super(message)
    this.kind = kind
  }
}

/** Hung is the harness's own bound, not a time-out of the library. */
export class Hung extends Error {
  constructor (ms) {
    super(`no answer within ${ms / 1000}s (the call never settled)`)
  }
}

// The head of a stack is what console.error shows first: class, code if the
// core raised it, message. Everything after the first "at" is of no use here.
function head (err) {
  if (!(err instanceof Error)) return String(err)
  const text = String(err.stack ?? err).split('\n    at ')[0]
  return err.code && !text.includes(err.code) ? `${text} { code: '${err.code}' }` : text
}

/** explain is the error with its chain of causes, on one line. */
export function explain (err) {
  if (err instanceof BadAnswer || err instanceof Hung) return { kind: err.kind ?? 'transport', message: err.message }
  const heads = []
  for (let e = err; e !== undefined && e !== null && heads.length < 5; e = e.cause) heads.push(head(e))
  return { kind: 'transport', message: heads.join(' [cause]: ').replaceAll(/\s*\n\s*/g, ' ') }
}
