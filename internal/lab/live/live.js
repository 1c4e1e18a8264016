// Follows a run by server-sent events and draws two of its cells side by side.
'use strict';

const recent = 500; // ms over which a rate is taken
const byId = (id) => document.getElementById(id);
// The page's texts in its language; one without a translation stays English. %s and %[2]s are values.
const words = JSON.parse(byId('words').textContent);
const say = (form, ...values) => {
  let next = 0;
  return (words[form] ?? form).replace(/%(?:\[(\d)\])?s/g, (_, n) => values[n ? n - 1 : next++]);
};
const shown = (n) => n === null || n === undefined ? '–' : Math.round(n).toLocaleString('en-US');

const minute = 60000; // ms of servers without a measurement that are shown

// What is known of the run. A cell's samples are those of its newest trial, or of the last minute of a
// server that runs without a measurement.
let cells, run, trial, paused = false, dirty = true;
function forget() { cells = new Map(); run = null; trial = null; }
forget();

const panels = [...document.querySelectorAll('.panel')].map((root) => ({
  root, part: (name) => root.querySelector(`[data-is="${name}"]`), svg: root.querySelector('svg'), cell: '', since: 0,
}));

const on = {
  run(e) { forget(); run = e; for (const p of panels) { p.cell = ''; p.since = 0; } options(); },
  trial(e) {
    cells.set(e.cell, { ...e, samples: [], marks: [], window: null, ended: null });
    trial = e;
    take(e.cell);
    options();
  },
  sample(e) {
    const cell = cells.get(e.cell ?? trial?.cell);
    if (!cell || e.accepted === undefined || e.requests === undefined) return;
    const last = cell.samples.at(-1);
    if (last && (e.accepted < last.accepted || e.requests < last.requests)) { cell.samples = []; cell.marks = []; } // it was restarted
    cell.samples.push(e);
    if (last && cell.protocol !== 'h1' && cell.limit > 0 && renewed(cell, last, e)) cell.marks.push(e);
    if (watching()) while (e.t_ms - cell.samples[0].t_ms > minute) cell.samples.shift();
    if (watching()) cell.marks = cell.marks.filter((m) => m.t_ms >= cell.samples[0].t_ms);
  },
  window(e) { const cell = trial && cells.get(trial.cell); if (cell) cell.window = e.t_ms; },
  counted(e) {
    const cell = cells.get(e.cell);
    if (cell) { cell.ended = e; byId('said').textContent = sentence(cell); }
  },
  end(e) { run = { ...run, ended: true, interrupted: e.interrupted }; trial = null; },
};

// A connection was used up: another one carried its first request. A timeline
// without that count shows it as a burst of new connections.
function renewed(cell, last, e) {
  if (!watching() && e.used !== undefined && last.used !== undefined) return e.used > last.used;
  const since = cell.marks.at(-1) ?? cell.samples[0];
  return e.accepted - last.accepted >= (watching() ? 1 : 3) && e.requests - since.requests >= 0.9 * cell.limit;
}

// Servers that run without a measurement (make up), whoever calls them.
const watching = () => run?.command === 'up';

// Two cells show the fault and its cure: the same client over HTTP/2, behind a low limit and behind a
// high one.
const low = (c) => c.limit > 0 && c.limit < 10000;
const pair = (a, b) => a.client === b.client && a.protocol === b.protocol && a.protocol !== 'h1' && low(a) !== low(b);

// A new cell takes a side that nobody keeps: the one beside its counterpart, or the one that changed
// longest ago. HTTP/1.1 has no shared connection to show, so it takes no side from HTTP/2.
function take(name) {
  if (panels.some((p) => p.cell === name)) return;
  const cell = cells.get(name);
  const free = panels.filter((p) => !p.part('keep').checked).sort((a, b) => a.since - b.since);
  const other = (p) => cells.get(panels[p === panels[0] ? 1 : 0].cell);
  const side = free.find((p) => !p.cell) ?? free.find((p) => other(p) && pair(other(p), cell))
    ?? (cell.protocol === 'h1' ? undefined : free[0]);
  const paired = panels.every((p) => p.cell) && pair(...panels.map((p) => cells.get(p.cell)));
  if (!side || (watching() && paired)) return;
  side.cell = name;
  side.since = performance.now();
}

function options() {
  for (const p of panels) {
    const names = [...cells.keys()];
    const select = p.part('cell');
    select.replaceChildren(...(names.length ? names : ['']).map((n) => new Option(n ? title(cells.get(n)) : say('nothing measured yet'), n)));
    select.value = p.cell;
  }
}
const spoken = { h1: 'HTTP/1.1', h2: 'HTTP/2' };
const title = (c) => [c.topology, spoken[c.protocol] ?? c.protocol, c.client].filter(Boolean).join(', ');

// The rate of a counter over the newest half second.
function rate(samples, of) {
  const last = samples.at(-1);
  const before = samples.findLast((s) => last.t_ms - s.t_ms >= recent) ?? samples[0];
  return !last || last === before ? null : (last[of] - before[of]) * 1000 / (last.t_ms - before.t_ms);
}

function sentence(c) {
  const e = c.ended;
  const failed = e.failed > 0 ? say('%s failed (%s)', shown(e.failed), Object.keys(e.classes ?? {}).join(', ')) : say('none failed');
  return say('%s: %s connections accepted where %s were expected; %s requests, %s.', title(c), shown(e.accepted), shown(e.expected), shown(e.attempts), failed);
}

// What a server's connections and requests of the last minute say.
function watched(c) {
  const first = c.samples[0], last = c.samples.at(-1);
  if (!last) return '';
  return say('Last minute: %s new connections for %s requests.', shown(last.accepted - first.accepted), shown(last.requests - first.requests));
}

function streamText(c) {
  if (watching()) return [c.limit && low(c) ? say('about %s × GOAWAY in the last minute', c.marks.length) : say('no low limit here'), 0]; // learners measure the limit themselves
  if (c.protocol === 'h1') return [say('HTTP/1.1 has no streams'), 0];
  if (!c.limit) return [say('no limit on a connection’s requests'), 0];
  const seen = c.samples[0]?.used === undefined ? say('about %s × GOAWAY', c.marks.length) : `${c.marks.length} × GOAWAY`;
  if (c.ended) return [say('%s, one each %s requests', seen, shown(c.limit)), 0];
  const last = c.samples.at(-1), from = c.marks.at(-1) ?? c.samples[0];
  const used = last ? Math.min(last.requests - from.requests, c.limit) : 0;
  return [say('stream %s of %s · %s', Math.max(2 * used - 1, 1), 2 * c.limit - 1, seen), used / c.limit];
}

function numbers(p, c) {
  const running = c && !c.ended;
  p.part('connections').textContent = c ? shown(running ? rate(c.samples, 'accepted') : 0) : '–';
  p.part('goodput-name').textContent = running || !c ? say('Requests, per second') : say('Goodput, per second');
  p.part('goodput').textContent = c ? shown(running ? rate(c.samples, 'requests') : c.ended.goodput_rps) : '–';
  p.part('failed').textContent = c?.ended ? shown(c.ended.failed) : '–';
  p.part('failed').className = c?.ended?.failed > 0 ? 'some' : '';
  const [text, share] = c ? streamText(c) : ['–', 0];
  p.part('stream').textContent = text;
  const meter = p.root.querySelector('.meter');
  meter.setAttribute('aria-valuenow', share.toFixed(2));
  meter.firstElementChild.style.transform = `scaleX(${share})`;
  p.part('sum').textContent = c?.ended ? sentence(c) : c && watching() ? watched(c) : c ? say('The client reports failures when its window closes.') : '';
}

// The chart: connections above, requests below, on scales that both sides share.
const left = 86, right = 630, upper = 34, middle = 190, bottom = 300;
const bin = 90; // ms: two readings that a busy machine brought close together make no peak
function steps(c) {
  const out = [];
  let from = c.samples[0];
  for (const s of c.samples.slice(1)) {
    const ms = s.t_ms - from.t_ms;
    if (ms < bin) continue;
    out.push({ from: from.t_ms, to: s.t_ms, connections: (s.accepted - from.accepted) * 1000 / ms, requests: (s.requests - from.requests) * 1000 / ms });
    from = s;
  }
  return out;
}

// An empty pool opens its connections in the warm-up, which is no storm.
const warm = (c, s) => !watching() && (c.window === null || s.from < c.window);

function scales() {
  let t = 4000, from = Infinity, connections = 100, requests = 100;
  for (const p of panels) {
    const c = cells.get(p.cell);
    if (!c) continue;
    from = Math.min(from, watching() ? c.samples[0]?.t_ms ?? Infinity : 0);
    t = Math.max(t, c.samples.at(-1)?.t_ms ?? 0);
    for (const s of steps(c)) { connections = Math.max(connections, s.connections); requests = Math.max(requests, s.requests); }
  }
  if (from === Infinity) from = 0;
  return { from, t: Math.max(t, from + 4000), connections, requests };
}

function element(name, attributes, text) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  return e;
}

function chart(p, c, scale) {
  const x = (t) => left + (right - left) * (t - scale.from) / (scale.t - scale.from);
  const up = (v) => middle - (middle - upper) * v / scale.connections;
  const down = (v) => bottom - (bottom - middle - 14) * v / scale.requests;
  const all = c ? steps(c) : [];
  const parts = [
    element('line', { class: 'axis', x1: left, x2: right, y1: middle, y2: middle }),
    element('line', { class: 'axis', x1: left, x2: right, y1: bottom, y2: bottom }),
    element('text', { x: left - 8, y: upper + 8, 'text-anchor': 'end' }, shown(scale.connections)),
    element('text', { x: left - 8, y: middle, 'text-anchor': 'end' }, '0'),
    element('text', { x: left - 8, y: middle + 28, 'text-anchor': 'end' }, shown(scale.requests)),
    element('text', { x: left, y: 325 }, say('per second: connections opened, and requests')),
  ];
  for (const s of all) {
    if (s.connections > 0) parts.push(element('rect', { class: warm(c, s) ? 'connections warm' : 'connections', x: x(s.from), width: Math.max(x(s.to) - x(s.from), 2), y: up(s.connections), height: middle - up(s.connections) }));
  }
  if (all.length) parts.push(element('polyline', { class: 'goodput', points: all.map((s) => `${x(s.to)},${down(s.requests)}`).join(' ') }));
  for (const m of c?.marks ?? []) parts.push(element('text', { class: 'mark', x: x(m.t_ms), y: upper - 8, 'text-anchor': 'middle' }, '▼'));
  if (c && c.window !== null) {
    parts.push(element('line', { class: 'window', x1: x(c.window), x2: x(c.window), y1: upper, y2: bottom }));
    parts.push(element('text', { x: x(c.window) + 6, y: upper + 8 }, say('window opens')));
  }
  p.svg.replaceChildren(...parts);
  p.svg.setAttribute('aria-label', c ? say('%s: new connections and requests per second over %s seconds, %s GOAWAY marks', title(c), ((scale.t - scale.from) / 1000).toFixed(1), c.marks.length) : say('nothing measured yet'));
}

function heading() {
  if (!run) return;
  byId('run').textContent = watching() ? say('Your servers') : run.replay ? say('Played back: %s', `${run.command} ${run.id}`) : `${run.command} ${run.id}`;
  byId('place').textContent = watching() ? (run.ended ? say('They were stopped.') : say('Load one of them from another terminal.')) : run.ended ? (run.interrupted ? say('The run was interrupted.') : say('The run has ended.'))
    : trial ? say('trial %s of %s: %s', (trial.done ?? 0) + 1, trial.total, title(trial)) : say('starting servers and probing their limits');
  const last = run.ended ? 1 : trial && !watching() ? (trial.done ?? 0) / trial.total : 0;
  byId('done').hidden = watching();
  byId('done').value = last;
  byId('report').hidden = !run.ended || watching();
}

function draw() {
  if (!dirty || paused) return;
  dirty = false;
  heading();
  const scale = scales();
  for (const p of panels) {
    const c = cells.get(p.cell);
    numbers(p, c);
    chart(p, c, scale);
  }
}
setInterval(draw, 100);

new EventSource('events').onmessage = (m) => {
  const e = JSON.parse(m.data);
  if (Object.hasOwn(on, e.kind)) on[e.kind](e);
  dirty = true;
};

for (const p of panels) {
  p.part('cell').addEventListener('change', (e) => { p.cell = e.target.value; p.part('keep').checked = true; dirty = true; });
}

const dark = () => (document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
const theme = byId('theme'), pause = byId('pause');
const label = () => { theme.textContent = dark() ? say('Light') : say('Dark'); };
theme.addEventListener('click', () => { document.documentElement.dataset.theme = dark() ? 'light' : 'dark'; label(); });
label();
pause.addEventListener('click', () => { paused = !paused; pause.textContent = paused ? say('Continue') : say('Pause'); pause.setAttribute('aria-pressed', paused); dirty = true; });
document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches('select, input')) return;
  if (e.key === 'p') pause.click();
  if (e.key === 'd') theme.click();
});
