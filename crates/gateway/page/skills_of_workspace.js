// The skills of one workspace: what exists, the problems of the files, and the collisions of keywords.

import { api } from './api.js';
import { fill, foreign, make } from './elements.js';
import { count, counted } from './format.js';
import { skillChip } from './skill_outcome.js';

const SCOPES = { project: 'project', user: 'user', client: 'client' };

let root;
let choice;
let body;
let chosen = null; // id of the workspace
let drawn = '';
let reading = null;

export function mount() {
  choice = make('select', { 'aria-label': 'Workspace', on: { change: () => { chosen = choice.value; read(); } } });
  body = make('div', { 'aria-live': 'off' });
  root = make('section', { class: 'part workspace-skills', hidden: true, 'aria-label': 'Skills of a workspace' },
    make('div', { class: 'heading-row' }, make('h2', {}, 'What exists'), choice), body);
  return root;
}

/** Sets the workspaces to choose from, those with the latest decisions first, and reads the chosen one again. */
export function choose(workspaces) {
  root.hidden = workspaces.length === 0;
  if (root.hidden) return;
  if (!workspaces.some((each) => each.id === chosen)) chosen = workspaces[0].id;
  fill(choice, workspaces.map((each) => make('option', { value: each.id, selected: each.id === chosen },
    `${each.path ?? 'unknown workspace'} (${counted(each.decisions, 'decision')})`)));
  read();
}

async function read() {
  reading?.abort();
  reading = new AbortController();
  const { signal } = reading;
  try {
    const found = await api.skillWorkspace(chosen, signal);
    const text = JSON.stringify(found);
    // Nothing is drawn again while it is read.
    if (text === drawn) return;
    drawn = text;
    fill(body, skills(found), problems(found), collisions(found));
  } catch (error) {
    if (signal.aborted) return;
    drawn = '';
    fill(body, make('p', { class: 'failure' }, error.message));
  }
}

function skills({ listed, skills: number, of_clients: ofClients, shadowed, folders }) {
  if (number + ofClients.length === 0) {
    return make('p', { class: 'soft' }, folders.length > 0
      ? ['No skills in ', folders.map((folder, at) => [at > 0 ? ', ' : null, make('code', {}, foreign(folder))]), '. A skill is a folder there with a SKILL.md.']
      : 'The workspace of these requests is unknown, and their clients listed no skill.');
  }
  const parts = [counted(number, 'skill'), ofClients.length > 0 ? `${ofClients.length} that only the client lists` : null, shadowed > 0 ? `${shadowed} replaced by another of the same name` : null];
  const rows = [...listed, ...ofClients];
  return [
    make('p', { class: 'soft' }, `${parts.filter(Boolean).join(', ')}.`),
    make('table', { class: 'skill-table' },
      make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'Skill'), make('th', { scope: 'col' }, 'From'), make('th', { scope: 'col', class: 'n' }, 'Keywords'), make('th', { scope: 'col', class: 'n' }, 'Problems'))),
      make('tbody', {}, rows.map(skill))),
    number > listed.length ? make('p', { class: 'soft' }, `The first ${listed.length} of ${count(number)}.`) : null,
  ];
}

function skill(each) {
  return make('tr', {},
    make('th', { scope: 'row' }, skillChip(each.name), each.explicit_only ? make('span', { class: 'tag', title: 'Only the user loads it, by its name' }, 'by name only') : null,
      make('span', { class: 'skill-description soft' }, foreign(each.description))),
    make('td', { title: each.path || null }, SCOPES[each.scope] ?? each.scope),
    make('td', { class: 'n' }, count(each.keywords)),
    make('td', { class: each.problems > 0 ? 'n notice' : 'n' }, each.problems > 0 ? count(each.problems) : ''));
}

function problems({ findings, counts }) {
  const number = counts.errors + counts.warnings;
  return make('section', { class: 'part' },
    make('h3', {}, 'Problems of the files'),
    number === 0 ? make('p', { class: 'done' }, 'None.') : [
      make('p', { class: 'soft' }, `${counted(counts.errors, 'error')}, ${counted(counts.warnings, 'warning')}.`),
      make('ul', { class: 'findings' }, findings.map((finding) => make('li', { class: `is-${finding.severity}` },
        make('span', { class: 'finding-place mono' }, foreign(finding.path), finding.line === null ? null : `:${finding.line}`),
        make('span', {}, make('b', {}, finding.severity), ' ', foreign(finding.message), make('span', { class: 'soft' }, ` (${finding.code})`))))),
      number > findings.length ? make('p', { class: 'soft' }, `The first ${findings.length} of ${count(number)}; `, make('code', {}, 'turnwise skills lint'), ' has all.') : null,
    ],
    counts.recommendations > 0 ? make('p', { class: 'soft' }, `${counted(counts.recommendations, 'recommendation')} for authors: `, make('code', {}, 'turnwise skills lint --all')) : null);
}

function collisions({ table, collisions: found, skills: number }) {
  if (number === 0 && table === null) return null;
  return make('section', { class: 'part' },
    make('h3', {}, 'Collisions of keywords'),
    make('p', { class: 'soft' }, table
      ? ['Trigger table ', make('code', {}, foreign(table.path)), `: ${counted(table.rows, 'row')}, ${counted(table.keywords, 'keyword')}.`]
      : ['No trigger table: ', make('code', {}, 'skills: {triggers: FILE}'), ' in the policy names one. The keywords of the skills are compared.']),
    found.number === 0 ? make('p', { class: 'done' }, 'No two skills share a keyword.') : [
      make('p', {}, found.more ? `More than ${counted(found.number, 'collision')}.` : `${counted(found.number, 'collision')}.`),
      make('ul', { class: 'collisions' }, found.listed.map(collision)),
      found.number > found.listed.length ? make('p', { class: 'soft' }, `The first ${found.listed.length}; `, make('code', {}, 'turnwise triggers collisions'), ' has all.') : null,
    ]);
}

function collision(each) {
  return make('li', {},
    make('b', {}, foreign(each.keyword)), ' of ', skillChip(each.skill), each.kind === 'exact' ? ' is also a keyword of ' : [' is part of ', make('b', {}, foreign(each.other_keyword)), ' of '], skillChip(each.other_skill),
    each.is_separated ? make('span', { class: 'soft' }, ', separated by a negative keyword') : null);
}
