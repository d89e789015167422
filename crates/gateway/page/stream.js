// The live stream of the gateway. It is read with fetch, since an EventSource cannot send a token.

import { request } from './api.js';

/** The longest silence in milliseconds; the gateway sends comments more often, so beyond it the connection is dead. */
const SILENCE = 60_000;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

/**
 * Follows `/api/live` and reconnects for ever. Calls `on.event(name, data)` for each event, `on.open()` when connected,
 * and `on.lost(wait)` when the connection is lost and opened again after `wait` milliseconds.
 */
export async function follow(on) {
  let wait = FIRST_WAIT;
  for (;;) {
    const ended = new AbortController();
    try {
      const answer = await request('/api/live', { accept: 'text/event-stream', signal: ended.signal });
      if (!answer.ok || !answer.body) throw new Error(`answer ${answer.status}`);
      await on.open();
      wait = FIRST_WAIT;
      await read(answer.body, on.event, () => ended.abort());
    } catch {
      // Reconnects below, whatever the cause.
    }
    ended.abort();
    const scattered = wait * (0.75 + Math.random() / 2);
    on.lost(scattered);
    await awhile(scattered);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
}

/** Waits, but not longer than until the computer is online again or the tab becomes visible. */
function awhile(milliseconds) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      document.removeEventListener('visibilitychange', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener('online', done);
    document.addEventListener('visibilitychange', done);
  });
}

async function read(body, event, silent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const parse = parser(event);
  for (;;) {
    const watch = setTimeout(silent, SILENCE);
    const { done, value } = await reader.read().finally(() => clearTimeout(watch));
    if (done) return;
    parse(value);
  }
}

/** A parser of server-sent events that accepts chunks cut anywhere. */
export function parser(event) {
  let rest = '';
  let name = '';
  let data = [];
  return (piece) => {
    rest += piece;
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop();
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) deliver(event, name || 'message', data.join('\n'));
        name = '';
        data = [];
      } else if (line.startsWith('event:')) {
        name = line.slice(6).trim();
      } else if (line.startsWith('data:')) {
        data.push(line.slice(5).replace(/^ /, ''));
      }
    }
  };
}

function deliver(event, name, text) {
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    return; // A malformed event is skipped.
  }
  event(name, data);
}
