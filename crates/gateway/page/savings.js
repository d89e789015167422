// What routing has saved against the models that clients requested: the figures of `turnwise savings`.

import { api } from './api.js';
import { fill, foreign, make } from './elements.js';
import { count, counted, fullTime, money } from './format.js';
import { slotName } from './words.js';

/** The most rules in the table. */
const RULES = 8;

let body;
let reading = null;

export function mount() {
  body = make('div', {});
  return make('section', { class: 'part savings', 'aria-labelledby': 'savings-title' },
    make('h2', { id: 'savings-title' }, 'Saved against the requested models'), body);
}

/** Loads the figures. The gateway compares the latest turns of the log for them, so they are loaded only when the view is opened. */
export async function refresh() {
  reading?.abort();
  reading = new AbortController();
  const { signal } = reading;
  if (body.childElementCount === 0) fill(body, make('p', { class: 'soft' }, 'Comparing the turns of the log …'));
  try {
    const found = await api.savings(signal);
    if (!signal.aborted) draw(found);
  } catch (error) {
    if (!signal.aborted) fill(body, make('p', { class: 'failure' }, error.message));
  }
}

function draw(found) {
  if (found.turns === 0) {
    fill(body, make('p', { class: 'soft' }, 'No turn can be compared yet: the gateway has routed no request for a named model.'));
    return;
  }
  const kind = found.saved > 0 ? 'less' : found.saved < 0 ? 'more' : '';
  fill(body,
    make('p', { class: `saved-figure ${kind}` }, money(found.saved)),
    make('p', { class: 'soft' }, `${money(found.spent)} spent instead of ${money(found.requested)}, in `,
      counted(found.turns, 'turn'), ` since ${found.since.slice(0, 10)}; `,
      `${count(found.turns_on_another_model)} on another model than requested.`),
    make('p', { class: 'soft', title: 'A change of model loses the prompt cache of the provider, which the first figure counts.' },
      `Without effects on the prompt cache: ${money(found.saved_without_cache_effects)}. An estimate; its calibration error is ${found.calibration_error}.`),
    found.turns + found.not_compared >= found.latest ? make('p', { class: 'soft' }, `Only the latest ${count(found.latest)} turns; `, make('code', {}, 'turnwise savings'), ' compares the whole log.') : null,
    found.not_compared > 0 ? make('p', { class: 'soft' }, `${counted(found.not_compared, 'turn')} not compared; `, make('code', {}, 'turnwise savings'), ' lists the reasons.') : null,
    table(found));
}

function table({ rules, since }) {
  const shown = rules.slice(0, RULES);
  return make('table', { class: 'by-model by-rule', title: `since ${fullTime(since)}` },
    make('thead', {}, make('tr', {}, [['Rule or step', null], ['Saved', 'n'], ['Spent', 'n'], ['Turns', 'n']].map(([head, kind]) => make('th', { scope: 'col', class: kind }, head)))),
    make('tbody', {}, shown.map((rule) => make('tr', {},
      make('th', { scope: 'row' }, /^[A-Z_]+$/.test(rule.name) ? slotName(rule.name) : foreign(rule.name)),
      make('td', { class: 'n' }, make('span', { class: rule.saved > 0 ? 'cheaper' : rule.saved < 0 ? 'dearer' : 'soft' }, money(rule.saved))),
      make('td', { class: 'n' }, money(rule.spent)),
      make('td', { class: 'n' }, count(rule.turns))))));
}
