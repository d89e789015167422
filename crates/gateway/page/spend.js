// The view of today's cost: total, by model, by role, and against the budgets of the policy.

import { fill, foreign, make } from './elements.js';
import { costText, count, counted, fullTime, money, share, short, tokens } from './format.js';
import { modelChip } from './models.js';
import * as savings from './savings.js';
import { known, listen, refreshSpend } from './store.js';
import { roleName } from './words.js';

let root;
let body;

export function mount() {
  body = make('div', {});
  root = make('section', { class: 'view padded spend', 'aria-labelledby': 'spend-title' },
    make('h1', { id: 'spend-title', tabindex: '-1' }, 'Spend today'), body, savings.mount());
  listen(['spend', 'status'], draw);
  draw();
  return root;
}

export function enter() {
  refreshSpend(0);
  savings.refresh();
}

function draw() {
  const { spend } = known;
  if (!spend) return fill(body, make('p', { class: 'soft' }, 'Reading the log …'));
  return fill(body, total(spend), budgets(spend), byRole(spend), byModel(spend), byDay(spend));
}

function total({ total: sum, unpriced_calls: unpriced, day }) {
  return make('div', { class: 'total' },
    make('p', { class: 'total-figure' }, money(sum) ?? 'not known'),
    make('p', { class: 'soft' }, `on ${day}`),
    unpriced > 0 ? make('p', { class: 'notice' }, `${counted(unpriced, 'call')} to models without a price ${unpriced === 1 ? 'is' : 'are'} not in this sum.`) : null);
}

function budgets({ budgets: blocks, limits_of_rules: limits, total: sum }) {
  if (blocks.length + limits.length === 0) return null;
  return make('section', { class: 'part' }, make('h2', {}, 'Budgets of the policy'),
    make('ul', { class: 'budgets' }, blocks.map(budgetBlock), [...limits].sort((a, b) => a - b).map((limit) => ruleLimit(limit, sum))));
}

/** A budget of the block `budgets`, as `turnwise status` shows it. */
function budgetBlock(budget) {
  const used = share(budget.spent + budget.in_flight, budget.limit);
  const over = used >= 100;
  const resets = budget.resets_at ? new Date(budget.resets_at / 1000).toISOString() : null;
  return make('li', { class: over ? 'budget over' : 'budget' },
    make('p', {}, make('strong', {}, foreign(budget.name)), ' · ',
      foreign(budget.scope === 'session' ? `session ${short(budget.subject, 13)}` : budget.subject ?? 'all sessions', { title: budget.subject }),
      ` · ${money(budget.spent) ?? '$0'} of ${money(budget.limit)} per ${budget.period}`,
      make('span', { class: 'soft' },
        budget.in_flight > 0 ? ` · ${money(budget.in_flight)} in flight` : null,
        ` · ${money(budget.remaining)} left`,
        resets ? make('span', { title: fullTime(resets) }, ` · resets ${resets.slice(0, 16).replace('T', ' ')} UTC`) : null,
        ` · then ${budget.on_reached}`,
        budget.unpriced_calls > 0 ? ` · ${counted(budget.unpriced_calls, 'call')} without a price` : null)),
    bar([{ part: Math.min(used, 100), kind: over ? 'over' : 'used' }]),
    make('span', { class: 'budget-share' }, percent(used)));
}

/** A daily limit in the condition of a rule. */
function ruleLimit(limit, sum) {
  const used = share(sum, limit);
  const over = sum > limit;
  return make('li', { class: over ? 'budget over' : 'budget' },
    make('p', {}, make('strong', {}, money(limit)), ' a day, in a rule',
      make('span', { class: 'soft' }, over ? ` · exceeded by ${money(sum - limit)}` : ` · ${money(limit - sum)} left`)),
    bar([{ part: Math.min(used, 100), kind: over ? 'over' : 'used' }]),
    make('span', { class: 'budget-share' }, percent(used)));
}

/** A bar of parts in percent. It is hidden from screen readers; the figures beside it have the same content. */
export function bar(parts) {
  return make('span', { class: 'meter', 'aria-hidden': 'true' }, parts.map(({ part, kind }) => {
    const piece = make('i', { class: kind });
    piece.style.setProperty('--part', `${part}%`);
    return piece;
  }));
}

function percent(number) {
  return number > 0 && number < 1 ? '<1 %' : `${Math.round(number)} %`;
}

/** The days with calls, newest first. */
function byDay({ days }) {
  if (!days || days.length === 0) return null;
  const most = Math.max(...days.map((each) => each.cost));
  const sum = days.reduce((all, each) => all + each.cost, 0);
  return make('section', { class: 'part' },
    make('h2', {}, 'Last 90 days'),
    make('p', { class: 'soft' }, `${money(sum)} on ${counted(days.length, 'day')} with calls, in UTC.`),
    make('table', { class: 'by-model by-day' },
      make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'Day'), make('td', { class: 'bar-cell' }), make('th', { scope: 'col', class: 'n' }, 'Cost'), make('th', { scope: 'col', class: 'n' }, 'Calls'))),
      make('tbody', {}, [...days].reverse().map((each) => make('tr', {},
        make('th', { scope: 'row' }, each.day),
        make('td', { class: 'bar-cell' }, bar([{ part: share(each.cost, most), kind: 'used' }])),
        make('td', { class: 'n' }, costText(each.cost, each.unpriced_calls)),
        make('td', { class: 'n' }, count(each.calls)))))));
}

const ROLES = ['planner', 'worker', 'auxiliary', 'skill_routing'];

function byRole({ by_role: given, total: sum }) {
  if (given.length === 0) return null;
  const roles = [...given].sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
  return make('section', { class: 'part' },
    make('h2', {}, 'By who asked'),
    bar(roles.map((each) => ({ part: share(each.cost ?? 0, sum), kind: `role-${each.role}` }))),
    make('ul', { class: 'roles' }, roles.map((each) => make('li', {},
      make('i', { class: `swatch role-${each.role}`, 'aria-hidden': 'true' }),
      make('strong', {}, roleName(each.role)),
      make('span', { class: 'role-cost' }, costText(each.cost, each.cost === null ? 1 : 0)),
      make('span', { class: 'soft' }, `${percent(share(each.cost ?? 0, sum))} · ${counted(each.calls, 'call')}`)))));
}

function byModel({ by_model: models }) {
  if (models.length === 0) return make('p', { class: 'soft part' }, 'No call was made today.');
  const sorted = [...models].sort((a, b) => (b.cost ?? -1) - (a.cost ?? -1) || b.calls - a.calls);
  const most = Math.max(...sorted.map((each) => each.cost ?? 0));
  const heads = [['Model', null], ['', 'bar-cell'], ['Cost', 'n'], ['Calls', 'n'], ['Tokens in', 'n'], ['Tokens out', 'n']];
  return make('section', { class: 'part' },
    make('h2', {}, 'By model'),
    make('table', { class: 'by-model' },
      make('thead', {}, make('tr', {}, heads.map(([head, kind]) => (head === '' ? make('td', { class: kind }) : make('th', { scope: 'col', class: kind }, head))))),
      make('tbody', {}, sorted.map((each) => make('tr', {},
        make('th', { scope: 'row' }, modelChip(each.model, { whole: true })),
        make('td', { class: 'bar-cell' }, each.cost === null ? null : bar([{ part: share(each.cost, most), kind: 'used' }])),
        make('td', { class: 'n' }, each.cost === null ? make('span', { class: 'unpriced' }, 'unpriced') : money(each.cost)),
        make('td', { class: 'n' }, count(each.calls)),
        make('td', { class: 'n', title: count(each.input_tokens) }, tokens(each.input_tokens)),
        make('td', { class: 'n', title: count(each.output_tokens) }, tokens(each.output_tokens)))))));
}
