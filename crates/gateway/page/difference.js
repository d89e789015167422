// The difference of two texts, line by line.

/** The most lines that are compared pairwise; a larger change is shown as a whole. */
const MOST = 600;

/** Lines as `{ kind: 'same' | 'gone' | 'new', text }`: `gone` are only in `before`, `new` only in `after`. */
export function difference(before, after) {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (lines) => lines.map((text) => ({ kind: 'same', text }));
  return [
    ...same(a.slice(0, start)),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

function middle(a, b) {
  const gone = (text) => ({ kind: 'gone', text });
  const fresh = (text) => ({ kind: 'new', text });
  if (a.length > MOST || b.length > MOST) return [...a.map(gone), ...b.map(fresh)];
  // The longest common subsequence, computed from the end.
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] });
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || longest[(i + 1) * width + j] >= longest[i * width + j + 1])) {
      lines.push(gone(a[i]));
      i += 1;
    } else {
      lines.push(fresh(b[j]));
      j += 1;
    }
  }
  return lines;
}

/** The lines around changes; `{ kind: 'gap' }` replaces those in between. */
export function aroundChanges(lines, context = 2) {
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - context), at + context + 1).some((each) => each.kind !== 'same'));
  const kept = [];
  lines.forEach((line, at) => {
    if (near[at]) kept.push(line);
    else if (kept.at(-1)?.kind !== 'gap') kept.push({ kind: 'gap', text: '…' });
  });
  return kept;
}
