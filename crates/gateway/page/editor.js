// A text area with line numbers, highlighting and marked lines. Undo, search and screen readers work as in any text area.

import { make } from './elements.js';
import { paint } from './highlight.js';

export class Editor {
  /** `changed` is called after each edit. */
  constructor({ label, describedBy, changed }) {
    this.lines = [];
    this.problems = [];
    this.gutter = make('div', { class: 'gutter', 'aria-hidden': 'true' });
    this.paper = make('div', { class: 'paper', 'aria-hidden': 'true' });
    this.area = make('textarea', {
      id: 'policy-text', 'aria-label': label, 'aria-describedby': describedBy, wrap: 'off', spellcheck: 'false',
      autocomplete: 'off', autocapitalize: 'off', autocorrect: 'off',
    });
    this.element = make('div', { class: 'editor' }, this.gutter, make('div', { class: 'sheet' }, this.paper, this.area));
    this.area.addEventListener('input', () => {
      this.repaint();
      changed();
    });
    this.area.addEventListener('keydown', (event) => this.indent(event));
    document.addEventListener('selectionchange', () => this.markCaret());
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.area.setSelectionRange(0, 0);
    this.repaint();
  }

  /** Marks the lines of `problems`, each with line and column from 1. */
  mark(problems) {
    this.problems = problems;
    this.repaint();
  }

  repaint() {
    const lines = this.area.value.split('\n');
    const wrong = new Map();
    for (const { line, column } of this.problems) if (!wrong.has(line)) wrong.set(line, column);
    while (this.paper.childNodes.length > lines.length) {
      this.paper.lastChild.remove();
      this.gutter.lastChild.remove();
    }
    lines.forEach((line, at) => {
      const column = wrong.get(at + 1);
      const painted = `${column ?? ''}|${line}`;
      const old = this.paper.childNodes[at];
      if (old && this.lines[at] === painted) return;
      const fresh = paint(line, column);
      if (old) old.replaceWith(fresh);
      else {
        this.paper.append(fresh);
        this.gutter.append(make('div', {}, String(at + 1)));
      }
      this.gutter.childNodes[at].className = column === undefined ? '' : 'wrong-line';
      this.lines[at] = painted;
    });
    this.lines.length = lines.length;
    this.markCaret();
  }

  markCaret() {
    const inside = document.activeElement === this.area;
    const at = inside ? this.area.value.slice(0, this.area.selectionStart).split('\n').length - 1 : -1;
    if (at === this.caretLine) return;
    this.gutter.querySelector('.caret-line')?.classList.remove('caret-line');
    if (at >= 0) this.gutter.childNodes[at]?.classList.add('caret-line');
    this.caretLine = at;
  }

  /** Indents a new line like the previous one. */
  indent(event) {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing) return;
    const before = this.area.value.slice(0, this.area.selectionStart);
    const [space] = /^[ ]*(?:- )?/.exec(before.slice(before.lastIndexOf('\n') + 1));
    event.preventDefault();
    // The only way to insert text that undo supports.
    document.execCommand('insertText', false, `\n${' '.repeat(space.length)}`);
  }

  /** Moves the cursor to a line and column, from 1, and scrolls there. */
  goTo(line, column = 1) {
    const lines = this.area.value.split('\n');
    const row = Math.min(Math.max(line, 1), lines.length);
    const start = lines.slice(0, row - 1).reduce((sum, each) => sum + each.length + 1, 0);
    const at = start + Math.min(Math.max(column, 1) - 1, lines[row - 1].length);
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(at, at);
    this.markCaret();
    const shown = this.paper.childNodes[row - 1];
    if (!shown) return;
    this.element.scrollTo({ top: shown.offsetTop - this.element.clientHeight / 3, left: 0 });
    shown.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    shown.classList.remove('flash');
    void shown.offsetWidth; // restarts the animation
    shown.classList.add('flash');
  }
}
