// The view of the rules: their counts, and the policy to edit, check, try and save.

import { api } from './api.js';
import { aroundChanges, difference } from './difference.js';
import { Editor } from './editor.js';
import { announce, fill, foreign, make } from './elements.js';
import { counted, short } from './format.js';
import { rulesTable } from './rules_table.js';
import { known, listen } from './store.js';
import * as whatIf from './what_if.js';

/** The pause in typing after which the text is checked, in milliseconds. */
const REST = 300;

let root;
let table;
let editor;
let problemList;
let verdict;
let notice;
let saveButton;
let revertButton;
let loaded = null; // { path, text, hash, built_in } as last loaded or saved
let problems = [];
let checking = null;
let restTimer = null;

export function mount() {
  editor = new Editor({ label: 'The routing policy, as YAML', describedBy: 'policy-verdict', changed });
  const what = whatIf.mount(() => editor.text);
  table = make('div', { class: 'rules-box' }, make('p', { class: 'soft' }, 'Reading the rules …'));
  verdict = make('p', { id: 'policy-verdict', class: 'policy-verdict', role: 'status' });
  problemList = make('ol', { class: 'problems', 'aria-label': 'Mistakes' });
  notice = make('div', { class: 'editor-notice', 'aria-live': 'polite' });
  saveButton = make('button', { type: 'button', class: 'primary', 'aria-keyshortcuts': 'Control+S', title: 'Ctrl+S', disabled: true, on: { click: save } }, 'Save');
  revertButton = make('button', { type: 'button', class: 'quiet', disabled: true, on: { click: revert } }, 'Undo all');
  root = make('section', { class: 'view rules-view', 'aria-labelledby': 'rules-title' },
    make('div', { class: 'rules-side' }, make('h1', { id: 'rules-title', tabindex: '-1' }, 'Rules'),
      make('p', { class: 'soft' }, 'Tried from top to bottom; the first that matches, with a model that can take the turn, wins.'), table),
    make('div', { class: 'policy-side' },
      make('div', { class: 'policy-bar' },
        make('h2', {}, 'Policy'), make('span', { class: 'soft mono policy-path', id: 'policy-path' }),
        revertButton, what.controls, saveButton),
      notice, editor.element,
      make('div', { class: 'policy-check' }, verdict, problemList),
      what.results));
  root.addEventListener('keydown', editorKeys);
  listen(['status'], fileChanged);
  return root;
}

export async function enter() {
  await Promise.all([readRules(), loaded === null ? readPolicy() : null]);
}

async function readRules() {
  try {
    const { rules } = await api.rules();
    fill(table, rulesTable(rules, goToRule));
  } catch (error) {
    fill(table, make('p', { class: 'failure' }, error.message));
  }
}

async function readPolicy() {
  try {
    take(await api.policy());
    editor.text = loaded.text;
    check();
  } catch (error) {
    fill(verdict, make('span', { class: 'failure' }, error.message));
  }
}

function take(policy) {
  loaded = policy;
  fill(notice, policy.built_in ? make('p', { class: 'notice' }, 'This is the built-in policy. Saving writes it to ', foreign(policy.path ?? 'the policy file', { class: 'mono' }), '.') : null);
  fill(document.getElementById('policy-path'), foreign(policy.path ?? 'built in'));
}

function dirty() {
  return loaded !== null && editor.text !== loaded.text;
}

window.addEventListener('beforeunload', (event) => {
  if (editor && dirty()) event.preventDefault();
});

function changed() {
  buttons();
  clearTimeout(restTimer);
  restTimer = setTimeout(check, REST);
}

function buttons() {
  saveButton.disabled = !dirty() && !loaded?.built_in;
  revertButton.disabled = !dirty();
  root.classList.toggle('is-dirty', dirty());
}

async function check() {
  checking?.abort();
  checking = new AbortController();
  const { signal } = checking;
  try {
    const found = await api.check(editor.text, signal);
    if (!signal.aborted) show(found.problems);
  } catch (error) {
    if (!signal.aborted) fill(verdict, make('span', { class: 'failure' }, `Not checked: ${error.message}`));
  }
}

function show(found) {
  problems = found;
  editor.mark(found);
  buttons();
  const text = found.length === 0 ? (dirty() ? 'No mistake. Not saved yet.' : 'No mistake.') : counted(found.length, 'mistake');
  verdict.className = `policy-verdict ${found.length === 0 ? 'right' : 'wrong'}`;
  if (verdict.textContent !== text) fill(verdict, text);
  fill(problemList, found.map((problem) => make('li', {},
    make('button', { type: 'button', on: { click: () => editor.goTo(problem.line, problem.column) } },
      make('span', { class: 'place' }, `${problem.line}:${problem.column}`), ' ', foreign(problem.message)))));
}

function goToRule(rule) {
  // The text may have been edited since: take the nearest line that contains the rule's name.
  const lines = editor.text.split('\n');
  const named = lines.map((line, at) => [at + 1, line]).filter(([, line]) => line.includes(rule.name)).map(([at]) => at);
  named.sort((a, b) => Math.abs(a - rule.line) - Math.abs(b - rule.line));
  editor.goTo(named[0] ?? rule.line);
}

let tried = 0;
function nextProblem() {
  if (problems.length === 0) return announce('No mistake');
  const line = editor.text.slice(0, editor.area.selectionStart).split('\n').length;
  const next = problems.find((each) => each.line > line) ?? problems[tried % problems.length];
  tried += 1;
  editor.goTo(next.line, next.column);
  return announce(`Line ${next.line}: ${next.message}`);
}

function editorKeys(event) {
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key === 'Enter') whatIf.run(editor.text);
  else if (command && event.key.toLowerCase() === 's') save();
  else if (event.key === 'F8') nextProblem();
  else return;
  event.preventDefault();
}

let saving = false;
async function save() {
  if (saving || saveButton.disabled) return;
  saving = true;
  saveButton.textContent = 'Saving …';
  const { text } = editor;
  try {
    saved(text, await api.save(text, loaded.hash));
  } catch (error) {
    if (error.status === 409) await conflict(error);
    else if (error.status === 422 && error.body?.problems) refusedFor(error.body.problems);
    else said('failure', error.message, error.next);
  } finally {
    saving = false;
    saveButton.textContent = 'Save';
    buttons();
  }
}

function saved(text, { hash }) {
  take({ ...loaded, text, hash, built_in: false });
  said('done', 'Saved. The next turn uses it.');
  check();
  readRules();
}

function refusedFor(found) {
  show(found);
  said('failure', 'Not saved: the policy has mistakes.', 'F8 goes to the next one.');
}

function said(kind, text, next = null) {
  fill(notice, make('p', { class: kind === 'done' ? 'done' : 'failure' }, text, next ? make('span', { class: 'soft' }, ` ${next}`) : null));
}

/** The file has changed since it was loaded: shows the difference and lets the user choose a version. */
async function conflict(error) {
  const theirs = await api.policy();
  const lines = aroundChanges(difference(theirs.text, editor.text));
  const signs = { same: ' ', gone: '−', new: '+', gap: '…' };
  const words = { gone: 'only in the file: ', new: 'only here: ' };
  fill(notice, make('div', { class: 'conflict', role: 'group', 'aria-label': 'Conflict' },
    make('p', { class: 'failure' }, error.message || 'The file changed meanwhile.'),
    make('pre', { class: 'difference', tabindex: '0', 'aria-label': 'The file, and what is here' }, lines.map(({ kind, text }) => make('span', { class: kind },
      make('span', { 'aria-hidden': 'true' }, `${signs[kind]} `), words[kind] ? make('span', { class: 'unseen' }, words[kind]) : null, kind === 'gap' ? '' : text, '\n'))),
    make('div', { class: 'choices' },
      make('button', { type: 'button', on: { click: () => { take(theirs); save(); } } }, 'Save what is here over it'),
      make('button', { type: 'button', on: { click: () => { take(theirs); editor.text = theirs.text; changed(); editor.area.focus(); } } }, 'Take the file'),
      make('button', { type: 'button', class: 'quiet', on: { click: () => { fill(notice); editor.area.focus(); } } }, 'Decide later'))));
  // Not a button: an accidental key press must not decide.
  notice.querySelector('.difference').focus();
}

function revert() {
  editor.text = loaded.text;
  fill(notice);
  changed();
  editor.area.focus();
}

/** The active policy has changed. */
function fileChanged() {
  const hash = known.status?.policy.hash;
  if (!loaded || !hash || saving || hash === loaded.hash || hash === seenHash) return;
  seenHash = hash;
  if (!root.hidden) readRules();
  if (!dirty()) {
    readPolicy();
    return;
  }
  said('failure', `The policy file changed meanwhile (${short(hash, 8)}).`, 'Saving will show the difference.');
}
let seenHash = null;

export function focusEditor() {
  editor.area.focus();
}

/** Handles Escape in the editor: moves the focus to the buttons. */
export function escapeEditor() {
  if (document.activeElement !== editor.area) return false;
  (saveButton.disabled ? root.querySelector('h1') : saveButton).focus();
  return true;
}
