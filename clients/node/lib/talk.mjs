// The conversation with the conductor: a word, then a newline is awaited.
import { writeSync } from 'node:fs'
import { Stop } from './flags.mjs'

export class Talk {
  #conducted
  #newlines = 0
  #ended = false
  #wake = () => {}

  constructor (conducted) {
    this.#conducted = conducted
    if (!conducted) return
    process.stdin.on('data', (chunk) => {
      for (const byte of chunk) if (byte === 10) this.#newlines++
      this.#wake()
    })
    process.stdin.on('end', () => {
      this.#ended = true
      this.#wake()
    })
  }

  /** meet says where the client is and waits. By hand it is over at once. */
  async meet (word) {
    if (!this.#conducted) return
    say(word)
    while (this.#newlines === 0) {
      if (this.#ended) throw new Stop(1, `the input ended after ${word} (run it without --json to use it by hand)`)
      await new Promise((resolve) => { this.#wake = resolve })
    }
    this.#newlines--
  }
}

/** say writes a line at once: process.exit loses what a pipe has not taken yet. */
export function say (line) {
  const bytes = Buffer.from(line + '\n')
  for (let sent = 0; sent < bytes.length;) {
    try {
      sent += writeSync(1, bytes, sent)
    } catch (err) {
      if (err.code !== 'EAGAIN') throw err
    }
  }
}
