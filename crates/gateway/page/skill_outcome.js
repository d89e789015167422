// What a skill decision selects, as text and chips.

import { foreign, icon, make } from './elements.js';
import { methodName } from './words.js';

/** The skills of an outcome, each as a chip, with a word that states what happens with them. */
export function outcomeList(outcome, skills) {
  const word = { deferred: 'after a failure: ', clarification: 'question: ' }[outcome] ?? null;
  if (skills.length === 0) return make('span', { class: 'soft' }, 'no skill');
  return make('span', { class: 'outcome' }, word ? make('span', { class: 'soft' }, word) : null,
    skills.map((skill, at) => [at > 0 ? make('span', { class: 'soft' }, outcome === 'clarification' ? ' or ' : ', then ') : null, skillChip(skill)]));
}

/** The name of a skill. */
export function skillChip(skill) {
  return foreign(skill, { class: 'skill' });
}

/** The candidate of an entry of the chain: an outcome in the form of the log. */
export function outcomeChip(candidate) {
  if (candidate.load) return outcomeList(candidate.load.skills.length > 1 ? 'combined' : 'routed', candidate.load.skills);
  if (candidate.defer) return outcomeList('deferred', [candidate.defer.skill]);
  if (candidate.ask) return outcomeList('clarification', candidate.ask.skills);
  return outcomeList('no_skill', []);
}

/** Whether two names denote one skill: equal, or one of them lacks the name of the plugin. */
function isSame(one, other) {
  const last = (name) => name.slice(name.lastIndexOf(':') + 1);
  return one === other || (one.includes(':') !== other.includes(':') && last(one) === last(other));
}

/** The skills that the agent loaded, compared with those of the decision; null if it loaded none. */
export function loadedList(loaded, selected) {
  if (loaded.length === 0) return null;
  return make('span', { class: 'loaded' }, make('span', { class: 'soft' }, 'loaded: '), loaded.map((skill, at) => {
    const hit = selected.some((each) => isSame(each, skill));
    return [at > 0 ? ', ' : null, make('span', { class: hit ? 'hit' : 'miss', title: hit ? 'The decision selects it too' : 'The decision does not select it' }, icon(hit ? 'chose' : 'rejected'), foreign(skill))];
  }));
}

/** The box with the outcome of a decision, how it was made, and what the agent loaded. */
export function skillAnswer({ outcome, skills, method, known }, loaded) {
  return make('div', { class: 'answer' },
    make('p', { class: 'answer-model' }, outcomeList(outcome, skills)),
    make('p', { class: 'answer-why' }, known ? methodName(method) : 'No skill was known.'),
    make('p', {}, loadedList(loaded, skills) ?? make('span', { class: 'soft' }, 'The agent loaded no skill.')));
}
