// Sorts tables, switches the theme, and shows the raw data behind a number.
// The page reads well without any of it.
'use strict';

const documents = {};
for (const s of document.querySelectorAll('script[type="application/json"]')) documents[s.dataset.name] = JSON.parse(s.textContent);

// The theme: the system's, until somebody in the room wants the other one.
const dark = () => (document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
const theme = document.querySelector('body > header button');
const label = () => { theme.textContent = dark() ? theme.dataset.light : theme.dataset.dark; };
theme.hidden = false;
theme.addEventListener('click', () => { document.documentElement.dataset.theme = dark() ? 'light' : 'dark'; label(); });
label();

// What a cell is worth when rows are sorted: its first number, else its words.
// Numbers are written 5,800 or 12.1 or × 0.49 or 98.5 %; a dash is nothing.
function worth(cell) {
  const text = cell.innerText.trim();
  const number = text.match(/^(?:× ?)?(-?[\d,]*\.?\d+)/);
  if (number) return parseFloat(number[1].replaceAll(',', ''));
  return text === '–' || text === '' ? null : text.toLowerCase();
}

function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null); // nothing goes last, whichever way
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return sign * (a < b ? -1 : a > b ? 1 : 0);
}

// Rows are sorted inside their group: a group's heading stays above its rows.
function sort(table, column, sign) {
  const groups = [[]];
  for (const row of table.tBodies[0].rows) {
    if (row.classList.contains('group')) groups.push([]);
    groups.at(-1).push(row);
  }
  for (const rows of groups) {
    const heading = rows[0]?.classList.contains('group') ? [rows.shift()] : [];
    rows.sort((a, b) => compare(worth(a.cells[column]), worth(b.cells[column]), sign));
    table.tBodies[0].append(...heading, ...rows);
  }
}

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((th, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...th.childNodes);
    th.append(button);
    button.addEventListener('click', () => {
      const up = th.getAttribute('aria-sort') !== 'ascending';
      heads.forEach((h) => h.removeAttribute('aria-sort'));
      th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      sort(table, column, up ? 1 : -1);
    });
  });
}

// A JSON pointer's value (RFC 6901); undefined where there is none.
const at = (doc, pointer) => pointer.split('/').slice(1)
  .reduce((v, key) => v?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], doc);

// By their places: a heading of the text may have any id.
const dialog = document.querySelector('body > dialog');
const show = (id) => dialog.querySelector('#raw-' + id);

// Characters that turn a line round or can't be seen, as JSON escapes them.
const escape = (unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0');
const visible = (s) => s.replace(/[\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => c.split('').map(escape).join(''));

// A pointer with /*/ stands for one value a trial.
function reveal(name, pointer, title) {
  const doc = documents[name];
  const [before, after] = pointer.split('/*/');
  const value = after === undefined ? at(doc, pointer) : at(doc, before).map((t) => at(t, '/' + after) ?? null);
  show('title').textContent = title;
  show('path').textContent = name + ' ' + pointer;
  const trials = show('trials');
  trials.hidden = after === undefined;
  trials.replaceChildren();
  if (after !== undefined) fill(trials, value);
  show('value').hidden = after !== undefined;
  show('value').textContent = visible(JSON.stringify(value, null, 2) ?? '–');
  show('file').download = name;
  show('file').href = URL.createObjectURL(new Blob([JSON.stringify(doc, null, 2)], { type: 'application/json' }));
  dialog.showModal();
}

function fill(table, values) {
  const head = table.createTHead().insertRow();
  for (const words of [dialog.dataset.trial, dialog.dataset.value]) head.append(Object.assign(document.createElement('th'), { textContent: words }));
  const body = table.createTBody();
  values.forEach((v, i) => {
    const row = body.insertRow();
    row.insertCell().textContent = i + 1;
    row.insertCell().textContent = visible(v !== null && typeof v === 'object' ? JSON.stringify(v) : String(v ?? '–'));
  });
}
dialog.addEventListener('close', () => URL.revokeObjectURL(show('file').href));

function pressable(node, name, pointer, title) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'number';
  button.title = dialog.dataset.title;
  node.before(button);
  button.append(node);
  button.addEventListener('click', () => reveal(name, pointer, title));
}

for (const table of document.querySelectorAll('main table')) {
  for (const cell of table.querySelectorAll('[data-raw]')) {
    const [name, pointer] = cell.dataset.raw.split('#');
    const head = table.tHead.rows[0].cells[cell.cellIndex].innerText;
    const row = [...cell.parentNode.cells].slice(0, 2).map((c) => c.innerText).join(', ');
    if (cell.firstChild && cell.firstChild.nodeType === Node.TEXT_NODE) pressable(cell.firstChild, name, pointer, head + ': ' + row);
  }
  sortable(table);
  const scroll = document.createElement('div');
  scroll.className = 'scroll';
  table.before(scroll);
  scroll.append(table);
}
for (const code of document.querySelectorAll('main li > code')) {
  const [name, pointer] = code.textContent.split('#'); // innerText is empty in a closed <details>
  if (pointer?.startsWith('/') && Object.hasOwn(documents, name)) {
    pressable(code, name, pointer, dialog.dataset.evidence);
  }
}
