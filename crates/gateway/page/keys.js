// Keyboard commands: single keys that move between views and turns, and the list of them.

import { fill, make } from './elements.js';

const OFF = 'turnwise.keys-off';

const GROUPS = [
  ['Anywhere', [['1 2 3 4 5', 'live, spend, rules, providers, skills'], ['h', 'history'], ['/', 'filter the turns'], ['?', 'this list'], ['Escape', 'close, leave, go back']]],
  ['Turns', [['j k', 'next, previous turn'], ['↓ ↑', 'the same, in the list'], ['Enter', 'why this model?'], ['s', 'by session or by time'], ['x', 'auxiliary calls: show, hide'], ['f', 'fold or unfold the sub-agents']]],
  ['Rules', [['e', 'into the editor'], ['Ctrl+Enter', 'what if: run it over past turns'], ['Ctrl+S', 'save'], ['F8', 'next mistake'], ['Escape', 'out of the editor']]],
];

let off = false;

export function mount(actions) {
  try {
    off = localStorage.getItem(OFF) === 'yes';
  } catch {
    off = false;
  }
  const dialog = document.getElementById('keys');
  drawDialog(dialog);
  document.getElementById('keys-button').addEventListener('click', () => dialog.showModal());
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || document.querySelector('dialog[open]') || event.isComposing) return;
    if (event.key === 'Escape') {
      if (actions.escape()) event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || writes(event.target)) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (actions.arrow(event.key === 'ArrowDown' ? 1 : -1)) event.preventDefault();
      return;
    }
    if (off) return;
    const action = event.key === '?' ? () => dialog.showModal() : actions.keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function writes(target) {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select');
}

function drawDialog(dialog) {
  const single = make('input', { type: 'checkbox', id: 'single-keys', checked: off ? null : true });
  single.addEventListener('change', () => {
    off = !single.checked;
    try {
      localStorage.setItem(OFF, off ? 'yes' : 'no');
    } catch {
      // It then applies until the page is reloaded.
    }
  });
  fill(dialog,
    make('form', { method: 'dialog' },
      make('h2', { id: 'keys-title' }, 'Keys'),
      GROUPS.map(([title, keys]) => [
        make('h3', {}, title),
        make('dl', {}, keys.map(([key, what]) => make('div', {},
          make('dt', {}, key.split(' ').map((each) => make('kbd', {}, each))), make('dd', {}, what)))),
      ]),
      make('label', { class: 'check' }, single, 'Single keys are on'),
      make('button', { class: 'primary', autofocus: true }, 'Close')));
}
