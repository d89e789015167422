// The live view of turns: newest first, sub-agents as a tree, filtered by words.

import { announce, fill, foreign, icon, make, unseen } from './elements.js';
import { costText, counted, short } from './format.js';
import { allTurns, known, listen, loadOlder, onArrival, turn } from './store.js';
import { bySession, countBelow, grow } from './tree.js';
import { fillRow, latencyText, spoken } from './turn_row.js';
import { firstSteps } from './first_steps.js';

/** The turns of main threads that are drawn at first, and added with each click on "more". */
const STEP = 150;

const rows = new Map(); // by turn: { item, link, fold, below, of, depth, showSession }
const folded = new Set();
const groups = new Map();

let root;
let list;
let filter;
let info;
let more;
let empty;
let sessions = false;
let sides = true;
let fresh = new Set();
let limit = STEP;
let undrawn = 0;

export function mount() {
  filter = make('input', {
    type: 'search', id: 'filter', placeholder: 'Filter', 'aria-label': 'Filter turns by words of any field',
    autocomplete: 'off', spellcheck: 'false', 'aria-keyshortcuts': '/', on: { input: () => { limit = STEP; draw(); } },
  });
  info = make('span', { class: 'soft shown', role: 'status' });
  list = make('ul', { class: 'turns', 'aria-label': 'Turns, the newest first' });
  more = make('button', { type: 'button', class: 'more', on: { click: older } }, 'Load older turns');
  empty = make('div', { class: 'empty', hidden: true });
  root = make('section', { class: 'view live', 'aria-labelledby': 'live-title' },
    make('div', { class: 'bar' },
      make('h1', { id: 'live-title', tabindex: '-1' }, 'Live turns'),
      make('div', { class: 'field' }, filter, make('kbd', { 'aria-hidden': 'true' }, '/')),
      info,
      toggle('By session', () => sessions, (on) => { sessions = on; }, 's'),
      toggle('Auxiliary calls', () => sides, (on) => { sides = on; }, 'x')),
    make('div', { class: 'columns', 'aria-hidden': 'true' },
      make('span'), make('span', {}, 'Time'), make('span', { title: 'The circled number is the step of the decision that chose the model; the bars are its tier' }, 'Message, model and why'), make('span', {}, 'Client'),
      make('span', { title: 'Tokens of all prompts of the turn, cached ones included → tokens of the responses' }, 'Tokens'),
      make('span', { title: 'The time of all calls, without tools' }, 'Took'), make('span', { title: 'Of all calls, at the provider’s prices' }, 'Cost')),
    empty, list, more);
  listen(['turns'], draw);
  listen(['status'], redrawWhenModelsCame);
  onArrival(arrived);
  setInterval(tick, 1000);
  draw();
  return root;
}

function toggle(label, get, set, key) {
  const button = make('button', { type: 'button', class: 'toggle', 'aria-pressed': String(get()), 'aria-keyshortcuts': key, title: `${label} (${key})` }, label);
  button.id = `toggle-${key}`;
  button.addEventListener('click', () => {
    set(!get());
    button.setAttribute('aria-pressed', String(get()));
    draw();
  });
  return button;
}

let hadModels = false;
function redrawWhenModelsCame() {
  if (hadModels || !known.status) return;
  hadModels = true;
  for (const row of rows.values()) row.of = null;
  draw();
}

function wanted() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const every = allTurns();
  if (words.length === 0) return { every, shown: every.filter((each) => sides || !each.auxiliary) };
  const shown = every.filter((each) => {
    const text = [each.message, each.client, each.model, each.asked, each.reason, each.rule, each.session, each.thread,
      each.status, each.auxiliary, each.slot, each.turn, each.subagent ? 'sub-agent' : ''].join('\n').toLowerCase();
    return (sides || !each.auxiliary) && words.every((word) => text.includes(word));
  });
  return { every, shown };
}

function draw() {
  const { every, shown } = wanted();
  const focused = document.activeElement?.closest?.('.row')?.dataset.turn ?? null;
  const all = grow(shown);
  const trees = all.slice(0, limit);
  undrawn = all.length - trees.length;
  const used = new Set();
  if (sessions) place(list, bySession(trees).map((group) => sessionItem(group, used)));
  else place(list, trees.map((tree) => item(tree, 0, true, used)));
  for (const [id, row] of rows) {
    if (used.has(id)) continue;
    row.item.remove();
    rows.delete(id);
  }
  list.classList.toggle('grouped', sessions);
  fill(info, shown.length === every.length ? counted(every.length, 'turn') : `${shown.length} of ${counted(every.length, 'turn')}`);
  more.hidden = known.older === null && undrawn === 0;
  drawEmpty(every.length, shown.length);
  // An element loses the focus when it is moved.
  if (focused && document.activeElement === document.body) focusTurn(focused);
  fresh = new Set();
}

function drawEmpty(all, shown) {
  empty.hidden = shown > 0;
  list.hidden = shown === 0;
  root.querySelector('.columns').hidden = shown === 0;
  if (shown > 0) return;
  if (known.failure) fill(empty, make('p', {}, known.failure.message), known.failure.next ? make('p', { class: 'soft' }, known.failure.next) : null);
  else if (!known.loaded) fill(empty, make('p', { class: 'soft' }, 'Reading the log …'));
  else if (all > 0) fill(empty, make('p', {}, 'No turn has all of these words.'), make('p', { class: 'soft' }, 'Escape clears the filter. Older turns can be loaded below.'));
  else if (empty.dataset.shows !== 'first-steps') fill(empty, firstSteps());
  empty.dataset.shows = all === 0 && known.loaded ? 'first-steps' : '';
}

function sessionItem({ session, trees }, used) {
  let group = groups.get(session);
  if (!group) {
    group = { head: make('div', { class: 'session-head' }), list: make('ul', { class: 'turns' }) };
    group.item = make('li', { class: 'session-group' }, group.head, group.list);
    groups.set(session, group);
  }
  const number = trees.reduce((sum, tree) => sum + 1 + countBelow(tree), 0);
  const cost = trees.reduce((sum, tree) => (tree.cost === null ? sum : (sum ?? 0) + tree.cost), null);
  const unpriced = trees.reduce((sum, tree) => sum + tree.unpriced, 0);
  const client = trees.find((tree) => tree.turn.client)?.turn.client ?? 'unknown client';
  fill(group.head,
    make('h2', {}, foreign(client), ' ', make('span', { class: 'session' }, unseen('session '), foreign(short(session, 13)))),
    make('span', { class: 'soft' }, counted(number, 'turn')),
    make('span', { class: 'sum' }, costText(cost, unpriced)));
  place(group.list, trees.map((tree) => item(tree, 0, false, used)));
  return group.item;
}

function item(tree, depth, showSession, used) {
  const id = tree.turn.turn;
  used.add(id);
  let row = rows.get(id);
  if (!row) {
    row = { link: make('a', {}), of: null };
    row.item = make('li', { class: fresh.has(id) ? 'turn new' : 'turn' }, row.link);
    rows.set(id, row);
  }
  if (row.of !== tree.turn || row.showSession !== showSession) {
    fillRow(row.link, tree.turn, { showSession });
    row.of = tree.turn;
    row.showSession = showSession;
  }
  if (row.depth !== depth) {
    row.depth = depth;
    row.item.style.setProperty('--depth', depth);
  }
  drawBelow(row, tree, depth, used);
  return row.item;
}

function drawBelow(row, tree, depth, used) {
  if (tree.below.length === 0) {
    row.fold?.remove();
    row.below?.remove();
    row.fold = row.below = null;
    return;
  }
  const id = tree.turn.turn;
  if (!row.fold) {
    row.fold = make('button', { type: 'button', class: 'fold', on: { click: () => { toggleFold(id); } } });
    row.below = make('ul', { class: 'below', 'aria-label': 'Sub-agents' });
    row.item.append(row.fold, row.below);
  }
  const open = !folded.has(id);
  row.fold.setAttribute('aria-expanded', String(open));
  row.below.hidden = !open;
  const text = `${counted(countBelow(tree), 'sub-agent turn')} · ${costText(tree.cost, tree.unpriced)} in all`;
  if (row.foldText !== text) {
    fill(row.fold, icon('fold'), text);
    row.foldText = text;
  }
  place(row.below, tree.below.map((each) => item(each, depth + 1, false, used)));
}

function toggleFold(id) {
  if (!folded.delete(id)) folded.add(id);
  draw();
}

/** Arranges `items` as the children of `parent`, moving only those at another place. */
function place(parent, items) {
  let next = parent.firstChild;
  for (const each of items) {
    if (each === next) next = next.nextSibling;
    else parent.insertBefore(each, next);
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    gone.remove();
  }
}

// Announced at most every few seconds, so that a burst is one sentence.
let unsaid = [];
let sayTimer = null;
function arrived(given) {
  fresh.add(given.turn);
  unsaid.push(given);
  sayTimer ??= setTimeout(() => {
    const latest = unsaid.filter((each) => !each.auxiliary).at(-1);
    if (latest && !root.hidden) announce(unsaid.length === 1 ? spoken(latest) : `${unsaid.length} new turns. ${spoken(latest)}`);
    unsaid = [];
    sayTimer = null;
  }, 2500);
}

/** Updates the duration of running turns. */
function tick() {
  if (root.hidden || document.hidden) return;
  for (const [id, row] of rows) {
    const of = turn(id);
    if (of?.status === 'running') row.link.querySelector('.row-latency').lastChild.textContent = latencyText(of);
  }
}

async function older() {
  limit += STEP;
  if (undrawn > 0) {
    draw();
    return;
  }
  more.disabled = true;
  try {
    const got = await loadOlder();
    announce(`${counted(got, 'older turn')} loaded`);
  } catch (error) {
    announce(error.message);
    more.textContent = `${error.message} Try again`;
  } finally {
    more.disabled = false;
  }
}

/** The visible rows, from top to bottom. */
function visibleRows() {
  return [...list.querySelectorAll('.row')].filter((row) => row.offsetParent !== null);
}

/** The turn `by` rows from `id`; the first one if `id` is not visible. */
export function neighbour(id, by) {
  const visible = visibleRows();
  if (visible.length === 0) return null;
  const at = visible.findIndex((row) => row.dataset.turn === id);
  if (at < 0) return visible[0].dataset.turn;
  // At the end of the list, loads more.
  if (at + by >= visible.length - 1 && !more.hidden && !more.disabled) older();
  return visible[Math.min(Math.max(at + by, 0), visible.length - 1)].dataset.turn;
}

/** The id of the turn whose row has the focus, or null. */
export function focusedTurn() {
  return document.activeElement?.closest?.('.row')?.dataset.turn ?? null;
}

export function focusTurn(id) {
  const row = rows.get(id)?.link;
  if (!row || row.offsetParent === null) return false;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: 'nearest' });
  return true;
}

/** Folds or unfolds the sub-agents of the turn that has the focus, or of its parent. */
export function foldFocused() {
  const item = document.activeElement?.closest?.('.turn:has(> .fold)');
  if (!item) return;
  const id = item.firstChild.dataset.turn;
  toggleFold(id);
  focusTurn(id);
}

/** Marks the turn that is open in the panel. */
export function markOpen(id) {
  for (const [each, row] of rows) {
    if (each === id) row.link.setAttribute('aria-current', 'true');
    else row.link.removeAttribute('aria-current');
  }
  rows.get(id)?.link.scrollIntoView({ block: 'nearest' });
}

export function focusFilter() {
  filter.focus();
  filter.select();
}

/** Handles Escape in the filter: clears it, or else leaves it. True if the key was handled. */
export function escapeFilter() {
  if (document.activeElement !== filter) return false;
  if (filter.value !== '') {
    filter.value = '';
    draw();
  } else {
    const first = visibleRows()[0];
    if (first) first.focus();
    else filter.blur();
  }
  return true;
}

export function focusHeading() {
  root.querySelector('h1').focus({ preventScroll: true });
}
