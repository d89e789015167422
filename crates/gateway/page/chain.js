// The chain of a decision as a vertical list: the result of each slot, and the candidates it tried.

import { foreign, icon, make } from './elements.js';
import { modelChip } from './models.js';
import { failureName, slotHelp, slotName, verdictHelp, verdictName } from './words.js';

/** A chip of a model with its provider. */
const modelCandidate = (model) => modelChip(model, { whole: true });

/** A decision: `chain` has the entries, `skipped` the slots that were not evaluated. `chip` draws a candidate, a model unless given. */
export function chainList({ chain, skipped }, chip = modelCandidate) {
  return [
    make('ol', { class: 'chain' }, chain.map((entry) => entryItem(entry, chip))),
    skipped.length > 0 && chain.length > 0
      ? make('p', { class: 'soft silent' }, `Not evaluated: ${skipped.map((slot) => slotName(slot)).join(', ')}.`)
      : null,
  ];
}

function entryItem(entry, chip) {
  return make('li', { class: `entry verdict-${entry.verdict}` },
    make('span', { class: 'mark' }, icon(entry.verdict)),
    make('div', { class: 'entry-head' },
      make('span', { class: 'entry-name', title: `${entry.slot}: ${slotHelp(entry.slot)}` }, make('span', { class: 'entry-number' }, `${entry.number} `), slotName(entry.slot)),
      make('span', { class: 'verdict', title: verdictHelp(entry.verdict) }, verdictName(entry.verdict)),
      entry.candidate ? chip(entry.candidate) : null),
    entry.reason === entry.candidate ? null : reasonLines(entry),
    entry.failure && entry.attempts.length === 0 ? make('p', { class: 'failure' }, 'Rejected: ', foreign(failureName(entry.failure))) : null,
    entry.attempts.length > 0 ? attempts(entry, chip) : null);
}

function reasonLines(entry) {
  return make('p', { class: 'entry-reason' }, foreign(entry.reason));
}

function attempts(entry, chip) {
  return make('ul', { class: 'attempts', 'aria-label': 'Tried and rejected' }, entry.attempts.map((attempt) => make('li', {},
    icon('rejected'),
    make('span', {}, `${attempt.source} “`, foreign(attempt.name), '” → '),
    chip(attempt.candidate),
    make('span', { class: 'failure' }, foreign(failureName(attempt.failure))))));
}
