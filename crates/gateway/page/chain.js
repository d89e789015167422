// The chain of a decision as a vertical list: the result of each slot, and the candidates it tried.

import { foreign, icon, make } from './elements.js';
import { modelChip } from './models.js';
import { CHAIN, failureName, slotName, slotNumber, verdictName } from './words.js';

export function chainList(chain) {
  const said = new Set(chain.map((entry) => entry.slot));
  const silent = CHAIN.filter((slot) => !said.has(slot));
  return [
    make('ol', { class: 'chain' }, chain.map(entryItem)),
    silent.length > 0 && chain.length > 0
      ? make('p', { class: 'soft silent' }, `Not asked: ${silent.map((slot) => slotName(slot)).join(', ')}.`)
      : null,
  ];
}

function entryItem(entry) {
  const number = slotNumber(entry.slot);
  return make('li', { class: `entry verdict-${entry.verdict}` },
    make('span', { class: 'mark' }, icon(entry.verdict)),
    make('div', { class: 'entry-head' },
      make('span', { class: 'entry-name', title: entry.slot }, number > 0 ? make('span', { class: 'entry-number' }, `${number} `) : null, slotName(entry.slot)),
      make('span', { class: 'verdict' }, verdictName(entry.verdict)),
      entry.candidate ? modelChip(entry.candidate, { whole: true }) : null),
    entry.reason === entry.candidate ? null : reasonLines(entry),
    entry.failure && entry.attempts.length === 0 ? make('p', { class: 'failure' }, 'Rejected: ', foreign(failureName(entry.failure))) : null,
    entry.attempts.length > 0 ? attempts(entry) : null);
}

function reasonLines(entry) {
  return make('p', { class: 'entry-reason' }, foreign(entry.reason));
}

function attempts(entry) {
  const what = entry.slot === 'DELEGATE_REQUEST' ? 'tier' : 'rule';
  return make('ul', { class: 'attempts', 'aria-label': 'Tried and rejected' }, entry.attempts.map((attempt) => make('li', {},
    icon('rejected'),
    make('span', {}, `${what} “`, foreign(attempt.name), '” → '),
    modelChip(attempt.candidate, { whole: true }),
    make('span', { class: 'failure' }, foreign(failureName(attempt.failure))))));
}
