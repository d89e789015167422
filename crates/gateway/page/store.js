// The state of the page: turns, status, spend and connection. Views register listeners and redraw.

import { api } from './api.js';
import { follow } from './stream.js';

/** The most turns in memory. */
const KEPT = 1000;

const turns = new Map();
const listeners = new Map();
const changed = new Set();
let drawing = false;
let pause = 16; // milliseconds until listeners are called

export const known = {
  status: null,
  spend: null,
  connection: { state: 'connecting', until: 0 },
  /** The number of changes of the skill decisions; null until the gateway follows them. */
  skillChanges: null,
  /** The position before which older turns are loaded; null when there are none. */
  older: null,
  loaded: false,
  failure: null,
};

/** Calls `listener`, at most once per redraw, when one of `kinds` has changed: turns, status, spend, skills, connection. */
export function listen(kinds, listener) {
  for (const kind of kinds) {
    if (!listeners.has(kind)) listeners.set(kind, new Set());
    listeners.get(kind).add(listener);
  }
}

function tell(kind) {
  changed.add(kind);
  if (drawing) return;
  drawing = true;
  // A timer, since a hidden tab has no animation frames. The pause adapts, so that drawing takes at most a quarter of the time.
  setTimeout(() => {
    const began = performance.now();
    drawing = false;
    const due = new Set();
    for (const each of changed) for (const listener of listeners.get(each) ?? []) due.add(listener);
    changed.clear();
    for (const listener of due) listener();
    pause = Math.min(1000, Math.max(16, 3 * (performance.now() - began)));
  }, pause);
}

const arrivals = new Set();

/** Calls `listener` with each new turn. */
export function onArrival(listener) {
  arrivals.add(listener);
}

export function turn(id) {
  return turns.get(id) ?? null;
}

/** All turns, newest first. */
export function allTurns() {
  return [...turns.values()].sort((a, b) => b.time - a.time || b.position - a.position);
}

function keep(given) {
  const before = turns.get(given.turn);
  turns.set(given.turn, { ...given, time: Date.parse(given.at) || 0 });
  if (known.status && given.position > known.status.position) known.status.position = given.position;
  return !before;
}

/** Stores turns that were loaded from the log. */
export function keepAll(given) {
  for (const each of given) keep(each);
  tell('turns');
}

function arrived(given) {
  const isNew = keep(given);
  if (turns.size > KEPT * 1.2) forgetOldest();
  if (isNew) for (const listener of arrivals) listener(given);
  if (given.status !== 'running') refreshSpend();
  tell('turns');
  tell('status');
}

/** Removes the oldest turns, many at once; they can be loaded again. */
function forgetOldest() {
  const all = allTurns();
  for (const { turn: id } of all.slice(KEPT)) turns.delete(id);
  known.older = all[KEPT - 1].position;
}

function setStatus(status) {
  const position = Math.max(status.position, known.status?.position ?? 0);
  // A restarted gateway may have another log.
  const same = known.status?.started_at === status.started_at;
  known.status = { ...status, position: same ? position : status.position };
  tell('status');
}

let spendTimer = null;

/** Loads the spend after a delay, once for all turns that end in the meantime. */
export function refreshSpend(wait = 800) {
  if (spendTimer !== null) return;
  spendTimer = setTimeout(async () => {
    try {
      known.spend = await api.spend();
      tell('spend');
    } catch {
      // The connection state shows that the gateway is unreachable; the old figures stay until it is back.
    } finally {
      spendTimer = null;
    }
  }, wait);
}

/** Loads the turns before the oldest known one. */
export async function loadOlder() {
  if (known.older === null) return 0;
  const page = await api.turns(known.older);
  known.older = page.next;
  keepAll(page.turns);
  return page.turns.length;
}

async function catchUp() {
  const [status, page] = await Promise.all([api.status(), api.turns(null)]);
  setStatus(status);
  const overlaps = page.turns.length === 0 || page.turns.some((each) => turns.has(each.turn));
  // Turns in between are missing: start again rather than show a gap.
  if (!overlaps) turns.clear();
  if (!known.loaded || !overlaps) known.older = page.next;
  known.loaded = true;
  known.failure = null;
  keepAll(page.turns);
  refreshSpend(0);
}

function setConnection(state, until = 0) {
  known.connection = { state, until };
  tell('connection');
}

/** Loads the state and follows the gateway. */
export function start() {
  catchUp().catch((error) => {
    known.failure = error;
    tell('turns');
  });
  follow({
    open: async () => {
      await catchUp();
      setConnection('connected');
    },
    lost: (wait) => setConnection('reconnecting', Date.now() + wait),
    event: (name, data) => {
      if (name === 'turn') arrived(data);
      else if (name === 'status') setStatus(data);
      else if (name === 'skills') {
        known.skillChanges = data.changes;
        tell('skills');
      }
    },
  });
}
