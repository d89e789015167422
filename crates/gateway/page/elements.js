// Creates the elements of the page. Text is always inserted as a text node, so that text of a client cannot become markup.

const SVG = 'http://www.w3.org/2000/svg';

/** The paths of the icons, in a square of 16 by 16. */
const SHAPES = {
  running: 'M8 1.8a6.2 6.2 0 1 1-6.2 6.2',
  completed: 'm3.5 8.5 3 3 6-7',
  failed: 'm4 4 8 8m0-8-8 8',
  unfinished: 'M3.5 8h2m2 0h1.5m2 0h1.5',
  cancelled: 'M3.5 8h9',
  refused: 'M8 1.8a6.2 6.2 0 1 0 0 12.4 6.2 6.2 0 1 0 0-12.4M3.8 3.8l8.4 8.4',
  chose: 'm3.5 8.5 3 3 6-7',
  rejected: 'm4 4 8 8m0-8-8 8',
  deferred: 'M3 5.5h6.5a3 3 0 0 1 0 6H6m0 0 2-2m-2 2 2 2',
  not_applicable: 'M4.5 8h7',
  close: 'm4 4 8 8m0-8-8 8',
  notice: 'M8 2 1.8 13.4h12.4zM8 6.4v3.2m0 1.8v.4',
  fold: 'm5 6.5 3 3 3-3',
  fell: 'M8 2.5v10m0 0 3.5-3.5M8 12.5l-3.5-3.5',
  key: 'M1.8 8a2.9 2.9 0 1 0 5.8 0 2.9 2.9 0 1 0-5.8 0M7.6 8h6.6v2.4M11.4 8v2',
};

/**
 * An element. `properties` are attributes, except `class`, `on` (listeners by event) and `data` (data attributes);
 * what is null, undefined or false is dropped. Children are nodes or texts.
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'class') element.className = value;
    else if (name === 'on') for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === 'data') Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...wanted(children));
  return element;
}

/** Replaces the children of `element`. */
export function fill(element, ...children) {
  element.replaceChildren(...wanted(children));
  return element;
}

function wanted(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

/** An icon. It is hidden from screen readers; a text beside it has the meaning. */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', `icon icon-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', SHAPES[name] ?? SHAPES.not_applicable);
  svg.append(path);
  return svg;
}

/** A text for screen readers only. */
export function unseen(text) {
  return make('span', { class: 'unseen' }, text);
}

/** Foreign text, isolated in its own direction of writing. Characters that would reorder other text are made visible. */
export function foreign(text, properties = {}) {
  return make('bdi', properties, String(text).replace(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd'));
}

/** A button that copies a text and confirms it. */
export function copier(label, text) {
  const button = make('button', { type: 'button', class: 'small' }, label);
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'The browser did not allow it';
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
}

let said = '';

/** Announces a text to screen readers, politely. */
export function announce(text) {
  const region = document.getElementById('announcer');
  // A repeated text is only announced if it differs.
  said = text === said ? `${text}\u00a0` : text;
  region.textContent = said;
}
