// The notices of a decision: what was passed over, unavailable or over budget, with what the user can do.

import { foreign, icon, make, unseen } from './elements.js';
import { counted } from './format.js';

/** A badge for a row of the list; null without notices. Its title has their texts. */
export function noticeBadge(turn) {
  const notices = turn.notices ?? [];
  if (notices.length === 0) return null;
  const lines = notices.join('\n');
  return make('span', { class: 'notice-badge', title: lines }, icon('notice'), unseen(counted(notices.length, 'notice')),
    notices.length > 1 ? String(notices.length) : null);
}

/** The list of notices for the panel; null without notices. */
export function noticeList(notices) {
  if (!notices || notices.length === 0) return null;
  return make('section', { class: 'part notices' },
    make('h3', {}, counted(notices.length, 'notice')),
    make('ul', {}, notices.map((notice) => make('li', {}, icon('notice'),
      make('span', {}, notice.split('\n').map((line) => make('span', { class: 'line' }, foreign(line.trim()))))))));
}
