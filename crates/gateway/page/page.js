// The page of the gateway: navigation between views, and keyboard commands.

import * as history from './history.js';
import * as keys from './keys.js';
import * as live from './live.js';
import * as providers from './providers.js';
import * as rules from './rules.js';
import * as skillWhy from './skill_why.js';
import * as skills from './skills.js';
import * as spend from './spend.js';
import * as statusLine from './status_line.js';
import { start } from './store.js';
import * as tokenDialog from './token_dialog.js';
import * as why from './why.js';

const VIEWS = {
  live: { module: live, hash: '#/', title: 'Live' },
  history: { module: history, hash: '#/history', title: 'History' },
  spend: { module: spend, hash: '#/spend', title: 'Spend' },
  rules: { module: rules, hash: '#/rules', title: 'Rules' },
  skills: { module: skills, hash: '#/skills', title: 'Skills' },
  providers: { module: providers, hash: '#/providers', title: 'Providers' },
};

const main = document.getElementById('content');
const roots = {};
const scrolled = {}; // scroll position of each view
let current = null; // name of the current view
let opened = null; // id of the turn or the skill decision in the panel
let from = '#/'; // where Escape leads from a turn

function route() {
  const found = /^#\/turns\/([^/]+)$/.exec(location.hash);
  if (found) {
    if (opened === null) from = VIEWS[current ?? 'live'].hash;
    showView(current === 'history' ? 'history' : 'live', false);
    showTurn(decode(found[1]));
    return;
  }
  const decision = /^#\/skills\/([0-9a-f]+)$/.exec(location.hash);
  if (decision) {
    from = VIEWS.skills.hash;
    showView('skills', false);
    showSkillDecision(decision[1]);
    return;
  }
  const name = Object.keys(VIEWS).find((each) => VIEWS[each].hash === location.hash) ?? 'live';
  const closed = opened;
  shutTurn();
  showView(name, closed === null || name !== 'live');
  if (closed !== null && name === 'skills') skills.focusDecision(closed);
  if (closed !== null && name === 'live') live.focusTurn(closed) || live.focusHeading();
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function showView(name, takesFocus) {
  const first = current === null;
  if (name === current) return;
  const scroller = document.getElementById('views');
  if (current !== null) scrolled[current] = scroller.scrollTop;
  current = name;
  const { module, title } = VIEWS[name];
  if (!roots[name]) {
    roots[name] = module.mount();
    document.getElementById('views').append(roots[name]);
  }
  for (const [each, root] of Object.entries(roots)) root.hidden = each !== name;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.view === name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${title} · turnwise`;
  module.enter?.();
  scroller.scrollTop = scrolled[name] ?? 0;
  if (takesFocus && !first) roots[name].querySelector('h1').focus({ preventScroll: true });
}

function showTurn(id) {
  skillWhy.shut();
  opened = id;
  main.classList.add('has-detail');
  document.title = 'Why this model? · turnwise';
  why.open(id);
  live.markOpen(id);
}

function showSkillDecision(id) {
  why.shut();
  opened = id;
  main.classList.add('has-detail');
  document.title = 'Why this skill? · turnwise';
  skillWhy.open(id);
}

function shutTurn() {
  if (opened === null) return;
  opened = null;
  main.classList.remove('has-detail');
  why.shut();
  skillWhy.shut();
  live.markOpen(null);
  document.title = `${VIEWS[current ?? 'live'].title} · turnwise`;
}

function closeTurn() {
  location.hash = from;
}

function move(by) {
  if (current !== 'live') return false;
  if (opened !== null) {
    const next = live.neighbour(opened, by);
    // Replaces the history entry, so that "back" leaves the turns instead of walking through them.
    if (next && next !== opened) location.replace(`#/turns/${encodeURIComponent(next)}`);
    return true;
  }
  const next = live.neighbour(live.focusedTurn(), by);
  return next !== null && live.focusTurn(next);
}

function arrow(by) {
  const focused = document.activeElement;
  // Elsewhere the arrow keys scroll.
  if (focused !== document.body && focused !== main && !focused.closest('.view.live .turns') && focused.tagName !== 'H1') return false;
  return move(by);
}

function escape() {
  if (current === 'rules' && rules.escapeEditor()) return true;
  if (current === 'live' && live.escapeFilter()) return true;
  if (opened !== null) {
    closeTurn();
    return true;
  }
  return false;
}

function goLive(then) {
  location.hash = '#/';
  // The browser applies the new hash after this event.
  setTimeout(then, 0);
}

keys.mount({
  escape,
  arrow,
  keys: {
    1: () => { location.hash = '#/'; },
    h: () => { location.hash = '#/history'; },
    2: () => { location.hash = '#/spend'; },
    3: () => { location.hash = '#/rules'; },
    4: () => { location.hash = '#/providers'; },
    5: () => { location.hash = '#/skills'; },
    j: () => move(1),
    k: () => move(-1),
    '/': () => (current === 'live' ? live.focusFilter() : goLive(live.focusFilter)),
    s: () => current === 'live' && document.getElementById('toggle-s').click(),
    x: () => current === 'live' && document.getElementById('toggle-x').click(),
    f: () => current === 'live' && live.foldFocused(),
    e: () => current === 'rules' && rules.focusEditor(),
  },
});
document.getElementById('skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
window.addEventListener('hashchange', route);

tokenDialog.mount();
statusLine.mount();
why.mount(document.getElementById('detail'), { onClose: closeTurn });
skillWhy.mount(document.getElementById('detail'), { onClose: closeTurn });
start();
route();
