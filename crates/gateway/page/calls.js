// The calls of a turn: model, duration, tokens, cost, and the usage that the provider reported.

import { foreign, make } from './elements.js';
import { clock, count, duration, fullTime, money, tokens } from './format.js';
import { modelChip } from './models.js';
import { failureName, roleName } from './words.js';

export function callsTable(calls) {
  const heads = ['Model', 'Took', 'In', 'Out', 'Cost'];
  return make('div', { class: 'wide' }, make('table', { class: 'calls' },
    make('thead', {}, make('tr', {}, heads.map((head, at) => make('th', { scope: 'col', class: at > 0 ? 'n' : null }, head)))),
    make('tbody', {}, calls.map(callRow))));
}

function callRow(each) {
  return make('tr', {},
    make('th', { scope: 'row' }, modelChip(each.model), under(
      each.role === 'planner' ? null : [roleName(each.role).toLowerCase(), ' · '], ending(each))),
    make('td', { class: 'n' }, duration(each.latency_ms), under(make('time', { datetime: each.at, title: fullTime(each.at) }, clock(each.at)))),
    make('td', { class: 'n' }, each.failed ? '–' : [inputText(each), under(cacheText(each))]),
    make('td', { class: 'n', title: each.failed ? null : `${count(each.output)} tokens` }, each.failed ? '–' : tokens(each.output)),
    make('td', { class: 'n' }, each.failed && each.cost === null ? '–' : money(each.cost) ?? make('span', { class: 'unpriced' }, 'unpriced')));
}

/** The second line of a cell. */
function under(...children) {
  return make('span', { class: 'under' }, ...children);
}

function inputText(each) {
  const all = each.input + (each.cache_read ?? 0) + (each.cache_write ?? 0);
  return make('span', { title: `${count(each.input)} new, ${count(each.cache_read)} read from the cache, ${count(each.cache_write)} written to it` }, tokens(all));
}

function cacheText({ cache_read: read, cache_write: written }) {
  if (!read && !written) return null;
  return [read ? `${tokens(read)} cached` : null, read && written ? ', ' : null, written ? `${tokens(written)} stored` : null];
}

function ending({ failed, stop_reason: reason }) {
  if (!failed) return foreign((reason ?? 'running').replaceAll('_', ' '));
  const parts = [failureName(failed.class)];
  if (failed.status) parts.push(`HTTP ${failed.status}`);
  if (failed.retries > 0) parts.push(failed.retries === 1 ? 'one retry' : `${failed.retries} retries`);
  return make('span', { class: 'failure' }, parts.join(', '));
}

/** The usage objects of the providers, verbatim. */
export function rawUsage(calls) {
  const counted = calls.filter((each) => each.raw_usage !== null && each.raw_usage !== undefined);
  if (counted.length === 0) return null;
  return make('details', { data: { name: 'raw usage' } }, make('summary', {}, 'Usage as the provider sent it'),
    counted.map((each) => [
      make('h4', {}, foreign(each.model), ' · ', clock(each.at)),
      make('pre', { tabindex: '0' }, typeof each.raw_usage === 'string' ? each.raw_usage : JSON.stringify(each.raw_usage, null, 2)),
    ]));
}
