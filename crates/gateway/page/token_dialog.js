// Asks for the token when the gateway demands one.

import { askTokenWith, rememberToken } from './api.js';
import { fill, make } from './elements.js';

export function mount() {
  askTokenWith(ask);
}

function ask(refused) {
  const dialog = document.getElementById('token');
  return new Promise((resolve) => {
    const input = make('input', { type: 'password', id: 'token-input', autocomplete: 'off', required: true, autofocus: true, 'aria-describedby': 'token-note' });
    let given = null;
    const form = make('form', { method: 'dialog' },
      make('h2', { id: 'token-title' }, 'This gateway asks for a token'),
      refused ? make('p', { class: 'failure', role: 'alert' }, 'The gateway refused the last one.') : null,
      make('label', { for: 'token-input' }, 'Token'),
      input,
      make('p', { class: 'soft', id: 'token-note' }, 'It stays in this tab and is sent to this gateway only.'),
      make('button', { class: 'primary' }, 'Continue'));
    form.addEventListener('submit', () => {
      given = input.value.trim();
      if (given) rememberToken(given);
    });
    fill(dialog, form);
    dialog.addEventListener('close', () => {
      fill(dialog);
      resolve(given || null);
    }, { once: true });
    dialog.showModal();
  });
}
