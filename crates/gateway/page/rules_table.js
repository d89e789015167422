// The table of rules with the number of turns that each decided, and links to their lines.

import { foreign, make, unseen } from './elements.js';
import { count, share } from './format.js';
import { bar } from './spend.js';

/** The table of rules; calls `goTo` with the rule whose line is requested. */
export function rulesTable(rules, goTo) {
  if (rules.length === 0) return make('p', { class: 'soft' }, 'The policy has no rules yet.');
  const most = Math.max(1, ...rules.map((rule) => rule.hits_today));
  const places = [...new Set(rules.map((rule) => rule.workspace))];
  return make('table', { class: 'rules' },
    make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'Rule'), make('th', { scope: 'col', class: 'n' }, 'Today'), make('th', { scope: 'col', class: 'n' }, 'Ever'),
      make('th', { scope: 'col', class: 'n', title: 'Imported turns that the rule would have decided. They ran on another model, or on the same.' }, 'Imported'))),
    places.map((place) => make('tbody', {},
      places.length > 1 ? make('tr', {}, make('th', { scope: 'rowgroup', colspan: '4', class: 'place' }, place === null ? 'Everywhere' : ['Below ', foreign(place, { class: 'mono' })])) : null,
      rules.filter((rule) => rule.workspace === place).map((rule) => row(rule, most, goTo)))));
}

function row(rule, most, goTo) {
  return make('tr', { class: rule.hits === 0 && rule.hits_imported === 0 ? 'never' : null },
    make('th', { scope: 'row' },
      make('button', { type: 'button', class: 'rule-name', title: `line ${rule.line}`, on: { click: () => goTo(rule) } },
        foreign(rule.name), unseen(`, to line ${rule.line}`)),
      make('span', { class: 'rule-when' }, foreign(rule.when), ' → ', foreign(rule.model, { class: 'rule-model' }))),
    make('td', { class: 'n' }, count(rule.hits_today), bar([{ part: share(rule.hits_today, most), kind: 'used' }])),
    make('td', { class: 'n' }, rule.hits === 0 ? 'never' : count(rule.hits)),
    make('td', { class: 'n' }, rule.hits_imported === 0 ? '' : count(rule.hits_imported)));
}
