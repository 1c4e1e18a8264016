// How many connections the server itself accepted. k6 can't know: of the
// waiters for a connection only one sees its own dial, the others are told
// "reused" and have their connect times overwritten with zero
// (lib/netext/httpext/tracer.go, GotConn).

import http from 'k6/http';
import { Counter } from 'k6/metrics';

const accepted = new Counter('lab_server_accepted');

// Each source is recognised by its content. ownReads is how many of the
// connections between two readings are the readings' own: nginx counts those
// of every listener, stub_status's too; Envoy and the backend keep them apart.
const SOURCES = [
  {
    name: 'nginx stub_status accepts',
    ownReads: 1,
    read: (text) => number(/server accepts handled requests\s+(\d+)\s+\d+\s+\d+/.exec(text)),
  },
  {
    name: "the backend's connections.new",
    ownReads: 0,
    read: (text) => number(/"connections"\s*:\s*\{[^}]*"new"\s*:\s*(\d+)/.exec(text)),
  },
  {
    name: 'Envoy downstream_cx_total of all listeners but admin',
    ownReads: 0,
    read: (text) => {
      // listener.0.0.0.0_18121.downstream_cx_total, not its worker_0 part.
      const lines = [...text.matchAll(/^listener\.(?!admin)(?:(?!\.worker_|\.main_thread).)*\.downstream_cx_total: (\d+)$/gm)];
      return lines.length === 0 ? null : lines.reduce((sum, m) => sum + Number(m[1]), 0);
    },
  },
];

function number(match) {
  return match === null ? null : Number(match[1]);
}

// parse finds the source whose content this is, and its count.
export function parse(text) {
  for (const source of SOURCES) {
    const count = source.read(text);
    if (count !== null) return { name: source.name, ownReads: source.ownReads, count };
  }
  return null;
}

function readStatus(url) {
  const res = http.get(url, { responseType: 'text', timeout: 5000 });
  const status = res.status === 200 ? parse(res.body) : null;
  if (status === null) {
    const got = res.status === 0 ? res.error : `${res.status_text}: ${String(res.body).slice(0, 120)}`;
    throw new Error(
      `STATUS_URL=${url} has no count of accepted connections (${got}): give nginx's stub_status, ` +
        "Envoy's /stats?filter=downstream_cx_total or the backend's /ledger.json",
    );
  }
  return status;
}

// before is what a script's setup() returns: the reading that teardown and summary compare with.
export function before(knobs) {
  return knobs.statusURL === '' ? { source: '', count: 0 } : describe(readStatus(knobs.statusURL));
}

function describe(status) {
  return { source: status.name, count: status.count };
}

// after adds what was accepted since to k6's metrics.
export function after(knobs, reading) {
  if (knobs.statusURL === '') return;
  const now = readStatus(knobs.statusURL);
  accepted.add(now.count - reading.count - now.ownReads);
}
