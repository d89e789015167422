// What-if: decides the latest turns again under an edited policy.

import { api } from './api.js';
import { announce, fill, foreign, make, unseen } from './elements.js';
import { clock, count, counted, fullTime, money, short } from './format.js';
import { modelChip } from './models.js';

let results;
let number;
let button;
let running = null;

/** Creates the controls and the container of the result. `text` returns the policy to try. */
export function mount(text) {
  number = make('select', { id: 'what-if-turns', 'aria-label': 'How many of the last turns' },
    [50, 200, 1000, 2000].map((each) => make('option', { value: each, selected: each === 200 ? true : null }, `${count(each)} turns`)));
  button = make('button', { type: 'button', 'aria-keyshortcuts': 'Control+Enter', title: 'Ctrl+Enter', on: { click: () => run(text()) } }, 'What if');
  results = make('section', { class: 'what-if', 'aria-label': 'What if', hidden: true, tabindex: '-1' });
  return { controls: make('span', { class: 'joined' }, button, number), results };
}

/** Decides the latest turns under the policy `text`. */
export async function run(text) {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  results.hidden = false;
  results.setAttribute('aria-busy', 'true');
  fill(results, make('p', { class: 'soft' }, 'Deciding past turns again …'));
  try {
    const found = await api.whatIf(text, Number(number.value), signal);
    if (signal.aborted) return;
    draw(found);
    announce(results.querySelector('.what-if-answer').textContent);
  } catch (error) {
    if (signal.aborted) return;
    fill(results, make('p', { class: 'failure' }, error.message), error.next ? make('p', { class: 'soft' }, error.next) : null,
      (error.body?.problems ?? []).length > 0 ? make('p', { class: 'soft' }, 'Correct the mistakes above first.') : null);
    announce(error.message);
  } finally {
    if (!signal.aborted) results.removeAttribute('aria-busy');
  }
  (results.querySelector('.what-if-answer') ?? results).scrollIntoView({ block: 'nearest' });
}

function draw(found) {
  fill(results,
    make('h2', {}, 'What if'),
    make('p', { class: 'what-if-answer' }, make('strong', {}, `${count(found.changed)} of ${counted(found.turns_looked_at, 'turn')}`), ' would go to another model. ', costs(found)),
    found.unknown > 0 ? make('p', { class: 'notice' }, `${counted(found.unknown, 'turn')} cannot be told: what the decision needs was not recorded, or has no price.`) : null,
    found.examples.length > 0 ? [flows(found), examples(found)] : null);
}

function costs({ cost_before: before, cost_after: after }) {
  if (before === null || after === null) return 'What that costs is not known.';
  const delta = after - before;
  return ['Estimated cost ', make('span', { class: 'mono' }, money(before)), unseen(' to '), make('span', { 'aria-hidden': 'true' }, ' → '), make('span', { class: 'mono' }, money(after)), ' ',
    make('span', { class: delta > 0 ? 'dearer' : 'cheaper' }, delta === 0 ? '(the same)' : `(${money(delta, { signed: true })})`), '.'];
}

function flows({ examples: list, changed, success = {} }) {
  const pairs = new Map();
  for (const each of list) {
    const key = `${each.from}\n${each.to}`;
    const pair = pairs.get(key) ?? { from: each.from, to: each.to, number: 0 };
    pair.number += 1;
    pairs.set(key, pair);
  }
  const sorted = [...pairs.values()].sort((a, b) => b.number - a.number);
  return [
    list.length < changed ? make('p', { class: 'soft' }, `The ${count(list.length)} shown below:`) : null,
    make('ul', { class: 'flows' }, sorted.map((pair) => make('li', {},
      make('b', {}, `${count(pair.number)} ×`), ' ', model(pair.from), ' → ', model(pair.to),
      make('span', { class: 'soft' }, ` success ${success[pair.from] ?? 'not known'} → ${success[pair.to] ?? 'not known'}`)))),
  ];
}

function model(id) {
  return id ? modelChip(id) : make('span', { class: 'model none' }, 'no model');
}

function examples({ examples: list }) {
  return make('ul', { class: 'examples', 'aria-label': 'Turns that would change' }, list.map((each) => make('li', {},
    make('a', { href: `#/turns/${encodeURIComponent(each.turn)}`, dir: 'auto' }, each.message?.trim() ? foreign(each.message) : `turn ${short(each.turn)}`),
    make('span', { class: 'example-cost' }, unseen(', cost '), each.cost_delta === null ? make('span', { class: 'soft' }, 'cost not known')
      : make('span', { class: each.cost_delta > 0 ? 'dearer' : 'cheaper' }, money(each.cost_delta, { signed: true }))),
    make('p', {}, make('time', { datetime: each.at, title: fullTime(each.at) }, clock(each.at)), ' ',
      model(each.from), ' → ', model(each.to), ' ', foreign(each.reason, { class: 'soft' })))));
}
