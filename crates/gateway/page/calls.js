// The calls of a turn: who was asked, what it took, what it cost, what the provider counted.

import { foreign, make } from './elements.js';
import { clock, count, duration, fullTime, money, tokens } from './format.js';
import { modelChip } from './models.js';
import { failureName, roleName } from './words.js';

export function callsTable(calls) {
  const heads = ['Model', 'Sent', 'Took', 'In', 'Cache read', 'Cache written', 'Out', 'Cost', 'End'];
  return make('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Calls of this turn' },
    make('table', { class: 'calls' },
      make('thead', {}, make('tr', {}, heads.map((head, at) => make('th', { scope: 'col', class: at > 1 && at < 8 ? 'n' : null }, head)))),
      make('tbody', {}, calls.map(callRow))));
}

function callRow(each) {
  return make('tr', { class: each.failed ? 'failed-call' : null },
    make('th', { scope: 'row' }, modelChip(each.model), each.role === 'planner' ? null : make('span', { class: 'tag' }, roleName(each.role).toLowerCase())),
    make('td', {}, make('time', { datetime: each.at, title: fullTime(each.at) }, clock(each.at))),
    make('td', { class: 'n' }, duration(each.latency_ms)),
    number(each.input), number(each.cache_read), number(each.cache_write), number(each.output),
    make('td', { class: 'n' }, costCell(each)),
    make('td', {}, each.failed ? failed(each.failed) : foreign((each.stop_reason ?? 'running').replaceAll('_', ' '))));
}

function number(value) {
  return make('td', { class: 'n', title: value === null || value === undefined ? null : `${count(value)} tokens` }, tokens(value));
}

function costCell(each) {
  if (each.failed && each.cost === null) return '–';
  return money(each.cost) ?? make('span', { class: 'unpriced' }, 'unpriced');
}

function failed({ class: name, status, retries }) {
  const parts = [failureName(name)];
  if (status) parts.push(`HTTP ${status}`);
  if (retries > 0) parts.push(`after ${retries === 1 ? 'one retry' : `${retries} retries`}`);
  return make('span', { class: 'failure' }, parts.join(', '));
}

/** What the providers counted, word for word, for those who want to see it. */
export function rawUsage(calls) {
  const counted = calls.filter((each) => each.raw_usage !== null && each.raw_usage !== undefined);
  if (counted.length === 0) return null;
  return make('details', {}, make('summary', {}, 'Usage as the provider sent it'),
    counted.map((each) => [
      make('h4', {}, foreign(each.model), ' · ', clock(each.at)),
      make('pre', { tabindex: '0' }, typeof each.raw_usage === 'string' ? each.raw_usage : JSON.stringify(each.raw_usage, null, 2)),
    ]));
}
