// Counts the connections that the client opened, whatever library opens them.
import diagnostics from 'node:diagnostics_channel'
import { WrongProtocol } from './failure.mjs'

export class Meter {
  dialled = 0
  resumed = 0
  version = ''
  #alpn
  #wrong

  constructor (protocol, wrong) {
    this.#alpn = protocol === 'h2' ? 'h2' : 'http/1.1'
    this.#wrong = wrong
    // Every copy of undici, also Node's own behind fetch, publishes here; see
    // docs/api/DiagnosticsChannel.md of undici.
    diagnostics.subscribe('undici:client:connected', ({ socket }) => this.opened(socket))
  }

  /** opened takes a TLS socket whose handshake is over. */
  opened (socket) {
    this.dialled++
    this.version = (socket.getProtocol() ?? '').replace('TLSv', '')
    if (socket.isSessionReused()) this.resumed++
    // A server without ALPN's answer speaks HTTP/1.1, and alpnProtocol is false.
    const spoken = socket.alpnProtocol || 'http/1.1'
    if (spoken !== this.#alpn) this.#wrong(new WrongProtocol(`${this.#alpn} was asked for, but ${spoken} was negotiated`))
  }

  read () {
    return { dialled: this.dialled, resumed: this.resumed, version: this.version }
  }
}
