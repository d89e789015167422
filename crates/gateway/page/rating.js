// The buttons that rate a turn.

import { api } from './api.js';
import { make } from './elements.js';

/** Two buttons that record a rating. Learning counts it more than everything else that it knows of the turn. */
export function ratingButtons(id) {
  const note = make('span', { class: 'soft', role: 'status' });
  const button = (rating, label) => make('button', {
    type: 'button', class: 'small', title: `Rate this turn ${rating}; the same as: turnwise feedback ${rating}`,
    on: { click: () => rate(id, rating, note) },
  }, label);
  return make('section', { class: 'part rating' },
    make('h3', {}, 'Was it good?'),
    make('p', {}, button('up', 'It went well'), ' ', button('down', 'It went badly'), ' ', note));
}

async function rate(id, rating, note) {
  note.textContent = 'saving …';
  try {
    await api.rate(id, rating);
    note.textContent = rating === 'up' ? 'rated: it went well' : 'rated: it went badly';
  } catch (error) {
    note.textContent = error.message;
  }
}
