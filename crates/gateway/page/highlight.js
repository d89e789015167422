// Syntax highlighting of a policy: keys, texts, numbers, comments. Validation is done by the gateway.

import { make } from './elements.js';

const PIECES = [
  ['text', /"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?/y],
  ['key', /[A-Za-z_~/.][\w./~-]*(?=\s*:(?:\s|$))/y],
  ['value', /(?:true|false|null|[-+]?\d[\d_]*(?:\.\d+)?)(?![\w.])/y],
  ['word', /[\w@./~-]+/y],
  ['sign', /[-[\]{},:|>&*]/y],
  ['plain', /\s+|./y],
];

/** The tokens of a line, each with its kind. */
export function pieces(line) {
  const found = [];
  let at = 0;
  while (at < line.length) {
    if (line[at] === '#' && (at === 0 || /\s/.test(line[at - 1]))) {
      found.push(['comment', line.slice(at)]);
      break;
    }
    const [kind, text] = next(line, at);
    found.push([kind, text]);
    at += text.length;
  }
  return found;
}

function next(line, at) {
  for (const [kind, shape] of PIECES) {
    shape.lastIndex = at;
    const match = shape.exec(line);
    if (match && match[0].length > 0) return [kind, match[0]];
  }
  return ['plain', line[at]];
}

/** A highlighted line, underlined as an error from `column` on (from 1), if one is given. */
export function paint(line, column) {
  const element = make('div', { class: 'line' });
  let from = 1;
  for (const [kind, text] of pieces(line)) {
    const wrong = column !== undefined && from + text.length > column && text.trim() !== '' && !element.querySelector('.wrong');
    element.append(kind === 'plain' || kind === 'word' ? (wrong ? make('span', { class: 'wrong' }, text) : text)
      : make('span', { class: wrong ? `${kind} wrong` : kind }, text));
    from += text.length;
  }
  // An empty line, or a column beyond the end of the line.
  if (column !== undefined && !element.querySelector('.wrong')) element.append(make('span', { class: 'wrong' }, ' '));
  if (element.childNodes.length === 0) element.append('\u200b');
  return element;
}
