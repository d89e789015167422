// One turn in the list: a link with its time, message, model, reason and figures.

import { foreign, icon, make, unseen } from './elements.js';
import { clock, costText, duration, elapsed, fullTime, short, tokens } from './format.js';
import { askedOther, modelChip } from './models.js';
import { noticeBadge } from './notices.js';
import { sideName, slotHelp, slotName } from './words.js';

/** Fills a row. `showSession` adds the session. */
export function fillRow(link, turn, { showSession }) {
  link.href = `#/turns/${encodeURIComponent(turn.turn)}`;
  link.className = `row is-${turn.status}${turn.auxiliary ? ' is-side' : ''}`;
  link.dataset.turn = turn.turn;
  link.replaceChildren(
    make('span', { class: 'row-state', title: turn.status }, icon(turn.status), unseen(`${turn.status}, `)),
    make('time', { class: 'row-time', datetime: turn.at, title: fullTime(turn.at) }, clock(turn.at)),
    message(turn),
    choice(turn),
    who(turn, showSession),
    figure('row-tokens', 'tokens', tokensText(turn)),
    figure('row-latency', 'took', latencyText(turn)),
    figure('row-cost', 'cost', turnCost(turn)),
  );
}

function message(turn) {
  const text = turn.message === null || turn.message.trim() === ''
    ? make('span', { class: 'unsaid' }, turn.auxiliary ? `${sideName(turn.auxiliary)} call` : 'message not recorded')
    : foreign(turn.message);
  return make('span', { class: 'row-message', dir: 'auto' },
    turn.subagent ? make('span', { class: 'tag of-sub' }, 'sub-agent') : null,
    turn.auxiliary ? make('span', { class: 'tag' }, sideName(turn.auxiliary)) : null,
    text);
}

function choice(turn) {
  const asked = askedOther(turn);
  return make('span', { class: 'row-choice' },
    unseen(', '),
    asked ? make('span', { class: 'asked', title: `the client requested ${asked}` }, unseen('requested '), foreign(asked), ' → ') : null,
    turn.model ? modelChip(turn.model) : make('span', { class: 'model none' }, turn.imported ? 'no call' : 'no model'),
    make('span', { class: 'because' }, step(turn), foreign(turn.reason, { class: 'reason' })),
    turn.fallback > 0 ? fell(turn.fallback) : null,
    noticeBadge(turn));
}

/** The number of the slot that decided. */
export function step(turn) {
  const number = turn.slot_number;
  if (!number) return null;
  return make('span', { class: 'step', title: `Step ${number} of the decision: ${slotName(turn.slot)}. ${slotHelp(turn.slot)}` },
    make('span', { 'aria-hidden': 'true' }, String(number)), unseen(`, ${slotName(turn.slot)}: `));
}

export function fell(times) {
  const text = times === 1 ? 'fell back' : `fell back ${times} times`;
  return make('span', { class: 'fell' }, icon('fell'), text);
}

function who(turn, showSession) {
  return make('span', { class: 'row-who' },
    unseen(', '),
    foreign(turn.client ?? 'unknown client', { class: 'client' }),
    showSession ? make('span', { class: 'session', title: `session ${turn.session}` }, unseen(', session '), foreign(short(turn.session))) : null);
}

function figure(name, label, text) {
  return make('span', { class: name }, unseen(`, ${label} `), text);
}

function tokensText(turn) {
  if (turn.calls === 0 && turn.input_tokens === 0) return '–';
  return `${tokens(turn.input_tokens)} → ${tokens(turn.output_tokens)}`;
}

/** The duration of a turn, or the time since it began if it is running. */
export function latencyText(turn) {
  if (turn.status === 'running') return elapsed(Date.now() - turn.time);
  return duration(turn.latency_ms);
}

export function turnCost(turn) {
  if (turn.status === 'running' && turn.cost === null && turn.unpriced_calls === 0) return '…';
  return costText(turn.cost, turn.unpriced_calls);
}

/** A sentence about a new turn, for screen readers. */
export function spoken(turn) {
  const who = turn.subagent ? 'Sub-agent turn' : turn.auxiliary ? `${sideName(turn.auxiliary)} call` : 'New turn';
  const what = turn.message ? `: ${turn.message.slice(0, 80)}` : '';
  return `${who}${what}. ${turn.model ?? 'No model'}, ${turn.reason}.`;
}
