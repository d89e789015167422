// "Why this model?": one turn with its chain, calls and verdict.

import { chainList } from './chain.js';
import { callsTable, rawUsage } from './calls.js';
import { api } from './api.js';
import { copier, fill, foreign, icon, make } from './elements.js';
import { clock, counted, fullTime, money, short, tokens } from './format.js';
import { askedOther, modelChip, tierText, modelOf } from './models.js';
import { keepAll, listen, turn as knownTurn } from './store.js';
import { noticeList } from './notices.js';
import { ratingButtons } from './rating.js';
import { outcomeChip, skillAnswer } from './skill_outcome.js';
import { latencyText, turnCost } from './turn_row.js';
import { failureName, sideName, slotName } from './words.js';

let panel;
let shown = null; // id of the turn in the panel
let seen = null; // the turn in the list when the panel was drawn
let reading = null; // aborts the current request
let close = () => {};

export function mount(element, { onClose }) {
  panel = element;
  close = onClose;
  listen(['turns'], () => {
    // The turn has changed: load it again.
    const latest = shown && knownTurn(shown);
    if (latest && seen && latest !== seen) read(shown, false);
  });
}

export function open(id) {
  if (shown === id) return;
  shown = id;
  seen = null;
  panel.hidden = false;
  panel.setAttribute('aria-label', 'Why this model?');
  panel.scrollTop = 0;
  const known = knownTurn(id);
  fill(panel, head(known), make('p', { class: 'soft pad' }, 'Reading why …'));
  focusHeading();
  read(id, true);
}

export function shut() {
  reading?.abort();
  if (shown === null) return;
  shown = null;
  panel.hidden = true;
  fill(panel);
}

export function focusHeading() {
  panel.querySelector('h2')?.focus({ preventScroll: true });
}

let again = null;
async function read(id, first) {
  clearTimeout(again);
  if (!first) await new Promise((resolve) => { again = setTimeout(resolve, 150); });
  if (shown !== id) return;
  reading?.abort();
  reading = new AbortController();
  const { signal } = reading;
  seen = knownTurn(id);
  try {
    if (!/^[\w:-]+$/.test(id)) throw new Error('This is not the id of a turn.');
    const detail = await api.turn(id, signal);
    if (shown !== id) return;
    if (!seen) {
      keepAll([]); // a turn older than the list is only shown here
      seen = detail.turn;
    }
    draw(detail);
  } catch (error) {
    if (signal.aborted || shown !== id) return;
    fill(panel, head(null), make('div', { class: 'pad' }, make('p', { class: 'failure' }, error.message),
      error.next ? make('p', { class: 'soft' }, error.next) : null));
    focusHeading();
  }
}

function draw(detail) {
  const open = new Set([...panel.querySelectorAll('details[open]')].map((each) => each.dataset.name));
  const top = panel.scrollTop;
  const focusedName = document.activeElement?.closest?.('details')?.dataset.name;
  const hadFocus = panel.contains(document.activeElement);
  const turn = { ...detail.turn, time: Date.parse(detail.turn.at) || 0 };
  fill(panel,
    head(turn),
    make('div', { class: 'pad' },
      answer(turn),
      quality(detail.success),
      noticeList(detail.notices),
      figures(turn),
      decision(detail),
      detail.steps.map((step, at) => stepSection(step, at, detail.steps.length)),
      skillDecision(detail.skills),
      requirements(detail),
      adaptations(detail),
      calls(detail),
      verdict(detail.verdict),
      turn.status === 'running' ? null : ratingButtons(turn.turn),
      asText(detail)));
  for (const each of panel.querySelectorAll('details')) {
    each.dataset.name = each.dataset.name ?? each.querySelector('summary').textContent;
    if (open.has(each.dataset.name)) each.open = true;
  }
  panel.scrollTop = top;
  if (!hadFocus) return;
  const summary = [...panel.querySelectorAll('details')].find((each) => each.dataset.name === focusedName);
  if (summary) summary.querySelector('summary').focus({ preventScroll: true });
  else focusHeading();
}

function head(turn) {
  const title = turn?.message?.trim() ? foreign(turn.message)
    : make('span', { class: 'unsaid' }, turn ? (turn.auxiliary ? `${sideName(turn.auxiliary)} call` : 'message not recorded') : 'Turn');
  return make('header', { class: 'detail-head' },
    make('div', { class: 'detail-title' },
      make('p', { class: 'eyebrow' }, turn?.imported ? 'Imported turn' : 'Why this model?'),
      make('h2', { tabindex: '-1', dir: 'auto' }, title),
      turn ? byline(turn) : null),
    make('button', { type: 'button', class: 'quiet close', 'aria-label': 'Close', title: 'Close (Escape)', on: { click: () => close() } }, icon('close')));
}

function byline(turn) {
  return make('p', { class: 'byline' },
    make('span', { class: `status is-${turn.status}` }, icon(turn.status), turn.status),
    make('time', { datetime: turn.at, title: fullTime(turn.at) }, clock(turn.at)),
    foreign(turn.client ?? 'unknown client'),
    make('span', { title: turn.session }, 'session ', foreign(short(turn.session), { class: 'mono' })),
    turn.subagent ? make('span', { class: 'tag' }, 'sub-agent') : null,
    turn.thread ? make('span', { title: turn.thread }, 'thread ', foreign(short(turn.thread), { class: 'mono' })) : null,
    turn.auxiliary ? make('span', { class: 'tag' }, sideName(turn.auxiliary)) : null);
}

function answer(turn) {
  const asked = askedOther(turn);
  return make('div', { class: `answer${turn.model ? '' : ' refused'}` },
    make('p', { class: 'answer-model' }, turn.model ? [modelChip(turn.model, { whole: true }), tierText(modelOf(turn.model)?.tier)] : turn.imported ? 'The session file shows no call' : 'No model could take this turn'),
    make('p', { class: 'answer-why' }, turn.imported ? null : `${slotName(turn.slot)}: `, foreign(turn.reason)),
    asked ? make('p', { class: 'soft' }, 'The client requested ', foreign(asked, { class: 'mono' }), '.') : null,
    turn.asked === 'turnwise' ? make('p', { class: 'soft' }, 'The client left the choice to turnwise.') : null);
}

/** What is known of the success of the two models of a change in this project; null without a change. */
function quality(success) {
  if (!success || success.length === 0) return null;
  return make('section', { class: 'quality', 'aria-label': 'Success of the models in this project' },
    make('ul', {}, success.map((each) => make('li', {},
      modelChip(each.model), ' ',
      make('span', { class: 'soft', title: 'Mean score of its turns in this project, from what happened and from ratings, with the range that contains the true value with 95 % probability' }, 'success '),
      make('span', { class: each.known ? 'mono' : 'soft' }, each.success)))));
}

function figures(turn) {
  const list = [
    ['Cost', turnCost(turn)],
    ['Tokens', turn.calls > 0 || turn.input_tokens > 0 ? `${tokens(turn.input_tokens)} in, ${tokens(turn.output_tokens)} out` : '–'],
    ['Took', latencyText(turn)],
    ['Calls', String(turn.calls)],
    ['Tools', String(turn.tools)],
  ];
  return make('dl', { class: 'figures' }, list.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))));
}

function decision({ chain, skipped, steps, turn }) {
  if (chain.length === 0) return null;
  return make('section', { class: 'part' },
    make('h3', {}, turn.imported ? 'What the policy would have chosen' : steps.length > 0 ? 'First decision' : 'How it was decided'),
    steps.length > 0 ? make('p', { class: 'soft' }, `It fell back ${steps.length === 1 ? 'once' : `${steps.length} times`} before the first byte of an answer; each step was decided anew.`) : null,
    turn.status === 'refused' ? make('p', { class: 'failure' }, 'No policy named a model that can take this turn.') : null,
    chainList({ chain, skipped }));
}

function stepSection(step, at, all) {
  const list = make('details', { data: { name: `step ${at}` }, open: at === all - 1 ? true : null },
    make('summary', {}, 'The chain of this step'), chainList(step));
  return make('section', { class: 'part step-part' },
    make('h3', {}, icon('fell'), 'Fallback to ', step.model ? modelChip(step.model, { whole: true }) : 'no model'),
    make('p', {}, make('time', { datetime: step.at, title: fullTime(step.at), class: 'soft' }, clock(step.at)), ' after ',
      foreign(step.after.model, { class: 'mono' }), ': ', make('span', { class: 'failure' }, failureName(step.after.class))),
    step.chain.length > 0 ? list : null);
}

/** The skill decision of the turn; null for a turn without one, or if no skill was known and none was loaded. */
function skillDecision(skills) {
  if (!skills || (!skills.known && skills.loaded.length === 0)) return null;
  return make('section', { class: 'part' },
    make('h3', {}, 'Skills'),
    skillAnswer(skills, skills.loaded.map((each) => each.skill)),
    make('details', { data: { name: 'skills' } }, make('summary', {}, 'The chain of the skill decision'), chainList(skills, outcomeChip)));
}

/** What was dropped or converted because the model does not support it; null if nothing was. */
function adaptations({ adapted }) {
  if (adapted.length === 0) return null;
  return make('section', { class: 'part' },
    make('h3', {}, 'Adapted to the model'),
    make('p', { class: 'soft' }, 'Dropped or converted, because the model does not support it.'),
    make('ul', { class: 'chips' }, adapted.map((name) => make('li', { class: 'chip' }, String(name).replaceAll('_', ' ')))));
}

function requirements({ requires }) {
  if (requires.length === 0) return null;
  return make('section', { class: 'part' },
    make('h3', {}, 'What the request requires'),
    make('ul', { class: 'chips' }, requires.map((name) => make('li', { class: 'chip' }, String(name).replaceAll('_', ' ')))));
}

function calls(detail) {
  return make('section', { class: 'part' },
    make('h3', {}, counted(detail.calls.length, 'call')),
    detail.calls.length > 0 ? [callsTable(detail.calls), rawUsage(detail.calls)] : make('p', { class: 'soft' }, 'No provider was called.'));
}

function verdict(given) {
  if (!given) return null;
  return make('section', { class: 'part' },
    make('h3', {}, 'How it went'),
    make('p', {}, foreign(given.says)),
    make('p', { class: 'soft' }, `Score ${given.score}, confidence ${given.confidence}; the learned policy counts it.`));
}

function asText({ why, turn, policy_hash: hash }) {
  return make('section', { class: 'part last' },
    make('details', { data: { name: 'text' } }, make('summary', {}, 'As text'), make('pre', { tabindex: '0' }, why), copier('Copy', why)),
    make('p', { class: 'soft ids' }, 'Turn ', make('code', {}, turn.turn), hash ? [' under policy ', make('code', { title: hash }, short(hash, 12))] : null,
      ' · in the terminal: ', make('code', {}, `turnwise why ${short(turn.turn, 12)}`)));
}
