// The elements around the views: status line, today's spend, and errors of the policy.

import { fill, foreign, make } from './elements.js';
import { count, counted, duration, fullTime, money, short } from './format.js';
import { known, listen } from './store.js';

export function mount() {
  listen(['connection', 'status'], drawLine);
  listen(['status'], drawTrouble);
  listen(['status'], drawOutCount);
  listen(['spend'], drawToday);
  setInterval(drawLine, 1000);
  drawLine();
}

let line = '';
function drawLine() {
  const { status, connection } = known;
  const wait = Math.max(0, Math.ceil((connection.until - Date.now()) / 1000));
  const words = {
    connecting: 'connecting …',
    connected: 'connected',
    reconnecting: wait > 0 ? `not connected, trying again in ${wait} s` : 'not connected, trying again …',
  }[connection.state];
  const up = status ? duration(Math.floor((Date.now() - Date.parse(status.started_at)) / 60_000) * 60_000) : '';
  const now = JSON.stringify([words, up, status?.position, status?.version, status?.policy]);
  if (now === line) return;
  line = now;
  const footer = document.getElementById('status-line');
  fill(footer,
    make('span', { class: `connection is-${connection.state}` }, make('i', { 'aria-hidden': 'true' }), words),
    status ? [
      make('span', { title: 'position of the last event in the log' }, 'log ', make('b', {}, count(status.position))),
      make('span', { class: 'wide-only', title: status.policy.hash }, 'policy ', foreign(status.policy.path ?? 'built in'), ' ', make('code', {}, short(status.policy.hash, 8))),
      status.token_required ? null : make('span', { class: 'wide-only', title: 'Every program on this machine may use the gateway. `turnwise token add NAME` makes a token necessary.' }, 'no token'),
      make('span', { class: 'wide-only', title: `since ${fullTime(status.started_at)}` }, `up ${up === '0 ms' ? 'less than a minute' : up.replace(/ 0 s$/, '')}`),
      make('span', { class: 'version' }, `turnwise ${status.version}`),
    ] : null);
}

let trouble = '';
function drawTrouble() {
  const { policy } = known.status;
  const now = JSON.stringify([policy.trouble, policy.notice]);
  if (now === trouble) return;
  trouble = now;
  const banners = document.getElementById('banners');
  if (policy.trouble.length === 0) {
    fill(banners, policy.notice ? make('div', { class: 'banner' }, make('p', {}, foreign(policy.notice)), make('a', { href: '#/rules' }, 'Show in the editor')) : null);
    return;
  }
  const first = policy.trouble[0];
  fill(banners, make('div', { class: 'banner' },
    make('p', {}, make('strong', {}, `The policy file has ${counted(policy.trouble.length, 'mistake')}.`), ' The last good policy stays in use.'),
    make('p', { class: 'mono' }, foreign(`${policy.path ?? 'policy'}:${first.line}:${first.column} ${first.message}`)),
    make('a', { href: '#/rules' }, 'Show in the editor')));
}

function drawOutCount() {
  const { providers, models } = known.status;
  const now = Date.now();
  const out = [...providers, ...models].filter((each) => each.out_until && Date.parse(each.out_until) > now).length;
  fill(document.getElementById('out-count'), out > 0 ? make('span', { class: 'badge' }, String(out), make('span', { class: 'unseen' }, ' out')) : null);
}

function drawToday() {
  const today = document.getElementById('today');
  const { total, unpriced_calls: unpriced } = known.spend;
  today.hidden = false;
  today.title = 'spent today';
  fill(today, make('span', { class: 'soft label' }, 'today '), make('b', {}, money(total) ?? '–'), unpriced > 0 ? make('span', { class: 'soft' }, ' + unpriced') : null);
}
