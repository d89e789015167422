// "Why this skill?": one skill decision with its chain and inputs, in the panel beside the list.

import { chainList } from './chain.js';
import { api } from './api.js';
import { copier, fill, foreign, icon, make } from './elements.js';
import { clock, fullTime, short } from './format.js';
import { outcomeChip, skillAnswer } from './skill_outcome.js';
import { listen } from './store.js';
import { modeName } from './words.js';

let panel;
let shown = null; // id of the event of the decision in the panel
let reading = null; // aborts the current request
let close = () => {};

export function mount(element, { onClose }) {
  panel = element;
  close = onClose;
  // Skills are loaded, and decisions corrected, after the decision.
  listen(['skills'], () => shown !== null && read(shown, false));
}

export function open(id) {
  if (shown === id) return;
  shown = id;
  panel.hidden = false;
  panel.scrollTop = 0;
  panel.setAttribute('aria-label', 'Why this skill?');
  fill(panel, head(null), make('p', { class: 'soft pad' }, 'Reading why …'));
  focusHeading();
  read(id, true);
}

export function shut() {
  reading?.abort();
  if (shown === null) return;
  shown = null;
  panel.hidden = true;
  fill(panel);
}

function focusHeading() {
  panel.querySelector('h2')?.focus({ preventScroll: true });
}

async function read(id, first) {
  reading?.abort();
  reading = new AbortController();
  const { signal } = reading;
  try {
    const decision = await api.skillDecision(id, signal);
    if (shown === id) draw(decision, first);
  } catch (error) {
    if (signal.aborted || shown !== id || !first) return;
    fill(panel, head(null), make('div', { class: 'pad' }, make('p', { class: 'failure' }, error.message)));
    focusHeading();
  }
}

function draw(decision, first) {
  const top = panel.scrollTop;
  const hadFocus = panel.contains(document.activeElement);
  const open = panel.querySelector('details[open]') !== null;
  fill(panel, head(decision), make('div', { class: 'pad' },
    skillAnswer(decision, decision.row?.loaded ?? []),
    correction(decision),
    make('section', { class: 'part' }, make('h3', {}, 'How it was decided'), chainList(decision, outcomeChip),
      decision.omitted > 0 ? make('p', { class: 'soft silent' }, `${decision.omitted} entries of lists were too long for the log.`) : null),
    inputs(decision),
    asText(decision)));
  if (open) panel.querySelector('details').open = true;
  if (!first) panel.scrollTop = top;
  if (hadFocus) focusHeading();
}

function head(decision) {
  const message = decision?.row?.message?.trim();
  return make('header', { class: 'detail-head' },
    make('div', { class: 'detail-title' },
      make('p', { class: 'eyebrow' }, 'Why this skill?'),
      make('h2', { tabindex: '-1', dir: 'auto' }, message ? foreign(message) : make('span', { class: 'unsaid' }, decision ? 'message not recorded' : 'Skill decision')),
      decision ? make('p', { class: 'byline' },
        make('time', { datetime: decision.at, title: fullTime(decision.at) }, clock(decision.at)),
        make('span', {}, modeName(decision.mode)),
        make('span', { title: decision.session }, 'session ', foreign(short(decision.session), { class: 'mono' })),
        decision.workspace ? foreign(decision.workspace, { class: 'mono' }) : null) : null),
    make('button', { type: 'button', class: 'quiet close', 'aria-label': 'Close', title: 'Close (Escape)', on: { click: () => close() } }, icon('close')));
}

/** The user's correction, or how to state one. */
function correction({ row, turn, event }) {
  if (row?.corrected) return make('p', { class: 'notice' }, 'Corrected by the user: ', row.right_skill === null ? 'no skill' : foreign(row.right_skill), ' would have been right.');
  const line = `turnwise skills corrected ${short(turn ?? event, 12)} SKILL`;
  return make('p', { class: 'soft correct' }, 'Not right? ', make('code', {}, line));
}

function inputs({ inputs: given, elapsed_micros: micros, mode }) {
  const list = [
    ['Previous skill', given.prior_skill],
    ['Files', given.files.join(', ')],
    ['Commands', given.commands.join(', ')],
    ['Technologies', given.stack.join(', ')],
    ['Criticality', given.criticality],
    ['Took', mode === 'imported' ? null : `${(micros / 1000).toFixed(micros < 1000 ? 2 : 1)} ms`],
  ].filter(([, value]) => value);
  if (list.length === 0) return null;
  return make('dl', { class: 'figures' }, list.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, foreign(value)))));
}

function asText({ why, turn, event, index_hash: index, policy_hash: policy }) {
  return make('section', { class: 'part last' },
    make('details', {}, make('summary', {}, 'As text'), make('pre', { tabindex: '0' }, why), copier('Copy', why)),
    make('p', { class: 'soft ids' }, 'Decision ', make('code', {}, short(event, 12)),
      turn ? [' of the turn ', make('a', { href: `#/turns/${encodeURIComponent(turn)}` }, make('code', {}, short(turn, 12)))] : null,
      ' under policy ', make('code', { title: policy }, short(policy, 12)),
      index ? [', skills ', make('code', { title: index }, short(index, 12))] : null));
}
