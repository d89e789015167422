// The view of all recorded turns: searched by words and a range of days on the gateway, and sorted here.

import { api } from './api.js';
import { fill, make } from './elements.js';
import { costText, counted, fullTime } from './format.js';
import { askedOther } from './models.js';
import { fillRow } from './turn_row.js';

const DAY_SECONDS = 86_400;

/** The orders of the list. Unknown values are last. */
const ORDERS = {
  newest: { label: 'Newest first', by: (turn) => turn.time },
  cost: { label: 'Most expensive first', by: (turn) => turn.cost ?? -1 },
  tokens: { label: 'Most tokens first', by: (turn) => turn.input_tokens + turn.output_tokens },
  took: { label: 'Longest first', by: (turn) => turn.latency_ms ?? -1 },
};

let root;
let fields;
let list;
let info;
let more;
let found = [];
let next = null;
let reading = null; // aborts the current search

export function mount() {
  fields = {
    words: make('input', { type: 'search', id: 'history-words', 'aria-label': 'Words of any field', placeholder: 'Words', autocomplete: 'off', spellcheck: 'false' }),
    from: make('input', { type: 'date', 'aria-label': 'From this day' }),
    to: make('input', { type: 'date', 'aria-label': 'To this day, inclusive' }),
    order: make('select', { 'aria-label': 'Order', on: { change: draw } },
      Object.entries(ORDERS).map(([name, { label }]) => make('option', { value: name }, label))),
  };
  info = make('p', { class: 'soft', role: 'status' });
  list = make('ul', { class: 'turns', 'aria-label': 'Turns found' });
  more = make('button', { type: 'button', class: 'more', hidden: true, on: { click: () => search(next) } }, 'Search further back');
  root = make('section', { class: 'view history', 'aria-labelledby': 'history-title' },
    make('div', { class: 'bar' }, make('h1', { id: 'history-title', tabindex: '-1' }, 'History'),
      make('form', { class: 'history-form', on: { submit: (event) => { event.preventDefault(); search(null); } } },
        fields.words, make('label', {}, 'from ', fields.from), make('label', {}, 'to ', fields.to), fields.order,
        make('button', { type: 'submit' }, 'Search'))),
    make('div', { class: 'history-info' }, info), list, more);
  return root;
}

export function enter() {
  if (found.length === 0) search(null);
}

/** The start of a day in the browser's time zone, in seconds; null without a day. */
function daySeconds(input, days) {
  if (!input.value) return null;
  const start = new Date(`${input.value}T00:00:00`);
  start.setDate(start.getDate() + days);
  return Math.max(0, Math.floor(start.getTime() / 1000)) || (days * DAY_SECONDS);
}

/** Searches before a position, or from the end of the log. */
async function search(before) {
  reading?.abort();
  reading = new AbortController();
  more.disabled = true;
  info.textContent = 'Searching …';
  try {
    const query = { words: fields.words.value, from: daySeconds(fields.from, 0), to: daySeconds(fields.to, 1), before };
    const page = await api.search(query, reading.signal);
    const turns = page.turns.map((turn) => ({ ...turn, time: Date.parse(turn.at) || 0 }));
    found = before === null ? turns : [...found, ...turns];
    next = page.next;
    draw(page.until);
  } catch (error) {
    if (error.name !== 'AbortError') info.textContent = error.message;
  } finally {
    more.disabled = false;
  }
}

function draw(until) {
  const { by } = ORDERS[fields.order.value];
  const sorted = [...found].sort((a, b) => by(b) - by(a) || b.position - a.position);
  fill(list, sorted.map((turn) => {
    const link = make('a', {});
    fillRow(link, turn, { showSession: true });
    return make('li', { class: 'turn' }, link);
  }));
  const cost = found.reduce((sum, turn) => (turn.cost === null ? sum : (sum ?? 0) + turn.cost), null);
  const unpriced = found.reduce((sum, turn) => sum + turn.unpriced_calls, 0);
  const changed = found.filter((turn) => askedOther(turn)).length;
  const rest = next === null ? 'the whole log was searched' : typeof until === 'string' ? `searched back to ${fullTime(until)}` : 'more can be searched';
  fill(info, `${counted(found.length, 'turn')}, ${costText(cost, unpriced)} in all, ${changed} on another model than requested; ${rest}.`);
  more.hidden = next === null;
}
