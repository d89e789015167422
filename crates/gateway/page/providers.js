// The view of providers and models: keys with their source, outages with their end.

import { fill, foreign, icon, make } from './elements.js';
import { clock, counted, duration, fullTime } from './format.js';
import { tierBars } from './models.js';
import { api } from './api.js';
import { known, listen } from './store.js';
import { failureName, keyName } from './words.js';

let root;
let body;
let wholeList = false;

export function mount() {
  body = make('div', {});
  root = make('section', { class: 'view padded providers', 'aria-labelledby': 'providers-title' },
    make('h1', { id: 'providers-title', tabindex: '-1' }, 'Providers and models'), body);
  listen(['status'], draw);
  setInterval(tick, 1000);
  draw();
  return root;
}

let drawn = '';
function draw() {
  const { status } = known;
  if (!status) return fill(body, make('p', { class: 'soft' }, 'Asking the gateway …'));
  // The log position changes with every event; what is drawn here rarely changes.
  const now = JSON.stringify([status.providers, status.models, wholeList]);
  if (now === drawn) return body;
  drawn = now;
  const focused = document.activeElement?.closest?.('#whole-list') !== null && root.contains(document.activeElement);
  fill(body,
    make('ul', { class: 'provider-list' }, status.providers.map(provider)),
    models(status.models));
  if (focused) body.querySelector('#whole-list')?.focus();
  return body;
}

function provider(each) {
  const state = each.out_until ? 'out' : each.state === 'available' ? 'ready' : 'missing';
  return make('li', { class: `provider-card is-${state}` },
    make('h2', {}, foreign(each.name), make('span', { class: `state ${state}` }, each.state)),
    make('p', { class: 'url mono' }, foreign(each.url)),
    make('p', { class: 'key-line' }, icon('key'), each.variable ? ['key in ', make('code', {}, foreign(each.variable))] : keyName(each.key)),
    make('p', { class: 'soft apis' }, each.apis.map((api) => api.replaceAll('_', ' ')).join(' · ')),
    each.out_until ? make('p', { class: 'outage' }, outage(each.out_until), each.out_because ? [': ', foreign(failureName(each.out_because))] : null) : null,
    each.out_until || modelsOut(each.name) ? retryButton(each.name) : null);
}

/** Whether a model of the provider has an outage of its own. */
function modelsOut(name) {
  return known.status.models.some((model) => model.out_until && model.id.startsWith(`${name}:`));
}

/** Ends the outages of a provider. The result arrives with the next status. */
function retryButton(name) {
  const note = make('span', { class: 'soft', role: 'status' });
  const button = make('button', {
    type: 'button', class: 'retry', title: 'End the outage now: the next turn may call it',
    on: {
      click: async () => {
        button.disabled = true;
        try {
          await api.retryProvider(name);
          note.textContent = 'the next turn may call it';
        } catch (error) {
          note.textContent = error.message;
          button.disabled = false;
        }
      },
    },
  }, 'Retry');
  return make('p', { class: 'retry-row' }, button, ' ', note);
}

function outage(until) {
  return make('span', { class: 'until', data: { until }, title: fullTime(until) }, untilText(until));
}

function untilText(until) {
  const left = Date.parse(until) - Date.now();
  return left > 0 ? `out until ${clock(until)}, ${duration(Math.ceil(left / 1000) * 1000)} from now` : 'about to be tried again';
}

function tick() {
  if (root.hidden) return;
  for (const each of root.querySelectorAll('.until')) each.textContent = untilText(each.dataset.until);
}

function models(all) {
  const configured = all.filter((model) => model.configured);
  const shown = wholeList ? all : configured;
  const rest = all.length - configured.length;
  return make('section', { class: 'part' },
    make('div', { class: 'heading-row' },
      make('h2', {}, wholeList ? `All ${all.length} models` : counted(configured.length, 'model that can be asked', 'models that can be asked')),
      rest > 0 ? make('button', { type: 'button', class: 'toggle', id: 'whole-list', 'aria-pressed': String(wholeList), on: { click: () => { wholeList = !wholeList; draw(); } } },
        `${counted(rest, 'other')} without a key`) : null),
    make('table', { class: 'models' },
      make('thead', {}, make('tr', {}, ['Model', 'Tier', 'Aliases', 'State'].map((head) => make('th', { scope: 'col' }, head)))),
      make('tbody', {}, shown.map((model) => make('tr', { class: model.configured ? null : 'is-missing' },
        make('th', { scope: 'row' }, foreign(model.id, { class: 'mono' })),
        make('td', {}, make('span', { class: `tier tier-${model.tier}` }, tierBars(model.tier), model.tier ?? '–')),
        make('td', { class: 'aliases' }, model.aliases.map((alias) => make('code', {}, `@${alias}`))),
        make('td', {}, model.out_until ? make('span', { class: 'outage' }, outage(model.out_until))
          : model.configured ? make('span', { class: model.state === 'available' ? 'fine' : 'soft' }, model.state) : make('span', { class: 'soft' }, 'not configured')))))));
}
