// The view of skills: the latest decisions, telemetry against its targets, gaps of the keywords, and the skills of a workspace.

import { api } from './api.js';
import { fill, foreign, make } from './elements.js';
import { clock, counted, fullTime } from './format.js';
import { loadedList, outcomeList, skillChip } from './skill_outcome.js';
import * as ofWorkspace from './skills_of_workspace.js';
import { known, listen } from './store.js';
import { methodName, modeName } from './words.js';

/** The shortest time between two readings, in milliseconds. */
const REST = 400;
/** The number of decisions that are shown at first. */
const FIRST_ROWS = 15;

let root;
let body;
let shown = null; // the overview as last read
let all = false; // whether all decisions are listed
let waiting = null;

export function mount() {
  body = make('div', {}, make('p', { class: 'soft' }, 'Reading the log …'));
  root = make('section', { class: 'view padded skills', 'aria-labelledby': 'skills-title' },
    make('h1', { id: 'skills-title', tabindex: '-1' }, 'Skills'), body, ofWorkspace.mount());
  listen(['skills'], () => {
    if (!root.hidden && known.skillChanges !== shown?.changes) soon();
  });
  return root;
}

export function enter() {
  read();
}

/** Moves the focus to a decision in the list. */
export function focusDecision(event) {
  root.querySelector(`a[href="#/skills/${CSS.escape(event)}"]`)?.focus({ preventScroll: true });
}

function soon() {
  waiting ??= setTimeout(read, REST);
}

async function read() {
  clearTimeout(waiting);
  waiting = null;
  try {
    shown = await api.skills();
    draw();
    ofWorkspace.choose(shown.workspaces);
  } catch (error) {
    fill(body, make('p', { class: 'failure' }, error.message));
  }
}

function draw() {
  const focused = document.activeElement?.getAttribute?.('href');
  fill(body, shown.decisions === 0 ? nothing() : [decisions(shown), telemetry(shown), gaps(shown)]);
  if (focused && !root.contains(document.activeElement)) body.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

function nothing() {
  return make('div', { class: 'first-steps' },
    make('h2', {}, 'No skill decision yet'),
    make('p', {}, 'For each message of a user, turnwise decides which skill fits, and records why. The next message through this gateway appears here.'),
    make('dl', {},
      make('dt', {}, 'Claude Code'), make('dd', {}, make('code', {}, 'turnwise init --claude-code'), ' tells it which skill fits, before it answers.'),
      make('dt', {}, 'Earlier sessions'), make('dd', {}, make('code', {}, 'turnwise import'), ' decides for the messages of session files.'),
      make('dt', {}, 'A message'), make('dd', {}, make('code', {}, 'turnwise skills explain "MESSAGE"'), ' shows which skill it would load.')));
}

function decisions({ rows, decisions: total, measured, read: kept }) {
  const listed = all ? rows : rows.slice(0, FIRST_ROWS);
  const older = total > kept ? ` Figures are of the latest ${counted(kept, 'decision')}.` : '';
  return make('section', { class: 'part' },
    make('h2', {}, 'Decisions'),
    make('p', { class: 'soft' }, `${counted(total, 'decision')}, ${measured} of them with known skills.${older}`),
    make('ol', { class: 'decisions' }, listed.map(row)),
    rows.length > listed.length ? make('button', { type: 'button', class: 'more', on: { click: () => { all = true; draw(); } } }, `Show the latest ${rows.length}`) : null);
}

function row(each) {
  const message = each.message.trim();
  return make('li', { class: each.known ? 'decision' : 'decision is-unknown' },
    make('a', { href: `#/skills/${each.event}` },
      make('span', { class: 'decision-message', dir: 'auto' }, message ? foreign(message) : make('span', { class: 'unsaid' }, 'message not recorded')),
      make('span', { class: 'decision-outcome' }, outcomeList(each.outcome, each.skills)),
      make('span', { class: 'decision-under soft' },
        make('time', { datetime: each.at, title: fullTime(each.at) }, clock(each.at)),
        make('span', { title: modeName(each.mode) }, each.known ? methodName(each.method) : 'no skill was known'),
        each.mode === 'hook' ? make('span', { class: 'tag' }, 'hook') : null,
        each.mode === 'imported' ? make('span', { class: 'tag' }, 'imported') : null,
        loadedList(each.loaded, each.skills),
        each.corrected ? make('span', { class: 'notice' }, 'corrected: ', each.right_skill === null ? 'no skill' : foreign(each.right_skill)) : null)));
}

function telemetry({ telemetry: given, measured }) {
  const { latest, labels } = given;
  return make('section', { class: 'part' },
    make('h2', {}, 'Telemetry against targets'),
    measured === 0 ? unmeasured() : [
      make('p', { class: 'soft' }, `The latest ${counted(latest.tasks, 'task')}, ${latest.unlabelled} without a label.`),
      make('table', { class: 'metrics' },
        make('thead', {}, make('tr', {}, ['Metric', 'Value', 'Target', ''].map((title) => (title ? make('th', { scope: 'col' }, title) : make('td', {}))))),
        make('tbody', {}, latest.metrics.map((metric) => make('tr', { class: `is-${metric.verdict}` },
          make('th', { scope: 'row' }, metric.name), make('td', {}, metric.value), make('td', {}, metric.target),
          make('td', { class: 'metric-verdict' }, metric.verdict))))),
      make('p', { class: 'soft' }, `Labels: ${counted(labels.corrected, 'correction')}, ${labels.loaded} from loaded skills, ${labels.deferred_activation} from deferred ones.`),
      latest.unlabelled === latest.tasks ? make('p', { class: 'soft' }, 'State the right skill of a decision: ', make('code', {}, 'turnwise skills corrected TURN SKILL')) : null,
    ]);
}

function unmeasured() {
  return make('p', { class: 'soft' }, 'No decision was made with known skills. Skills are folders with a SKILL.md; ', make('code', {}, 'turnwise skills list'), ' shows where they are looked up.');
}

function gaps({ gaps: found, measured }) {
  if (measured === 0) return null;
  return make('section', { class: 'part' },
    make('h2', {}, 'Coverage gaps'),
    found.length === 0 ? make('p', { class: 'done' }, `No gap in ${counted(measured, 'decision')}.`) : [
      make('ul', { class: 'gaps' }, found.map((gap) => make('li', {},
        make('h3', {}, gap.title),
        make('p', { class: 'soft' }, `${gap.rate}, above ${gap.limit} %`),
        gap.words.length === 0 ? make('p', { class: 'soft' }, 'No word occurs in enough of these requests to be suggested.')
          : make('ul', { class: 'chips' }, gap.words.map((word) => make('li', { class: 'chip' }, 'add ', make('b', {}, foreign(word.word)), word.skill ? [' to ', skillChip(word.skill)] : null, make('span', { class: 'soft' }, ` ${counted(word.requests, 'request')}`)))),
        make('p', { class: 'soft gap-events' }, 'Decisions: ', gap.events.map((event, at) => [at > 0 ? ', ' : null, make('a', { href: `#/skills/${event}`, class: 'mono' }, event.slice(0, 8))]))))),
      make('p', { class: 'soft' }, 'Try a word: ', make('code', {}, 'turnwise triggers add SKILL WORD --dry-run')),
    ]);
}
