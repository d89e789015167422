// The API of the gateway: JSON over HTTP, with a token if the gateway requires one.

const TOKEN = 'turnwise.token';

/** A failed request. `status` is 0 if there was no response. */
export class ApiError extends Error {
  constructor(message, { status = 0, next = null, body = null } = {}) {
    super(message);
    this.status = status;
    this.next = next;
    this.body = body;
  }
}

let remembered = null;

/** The token entered in this tab, from the tab's session storage, or from memory if there is none. */
export function token() {
  try {
    return sessionStorage.getItem(TOKEN) ?? remembered;
  } catch {
    return remembered;
  }
}

export function rememberToken(given) {
  remembered = given;
  try {
    sessionStorage.setItem(TOKEN, given);
  } catch {
    // Without storage the token stays in memory.
  }
}

let asking = null;
let ask = () => Promise.resolve(null);

/** Sets the token dialog: called with whether a token was refused, it returns a promise of the new token or null. */
export function askTokenWith(dialog) {
  ask = dialog;
}

let declined = false;

/** Asks the user once for all waiting requests, and not again if the user declined. */
function newToken() {
  if (declined) return null;
  asking ??= ask(token() !== null).then((given) => {
    declined = given === null;
    return given;
  }).finally(() => { asking = null; });
  return asking;
}

/** Sends a request and returns the response. Asks for a token as long as the gateway requires one. */
export async function request(path, { method = 'GET', body, accept = 'application/json', signal } = {}) {
  for (;;) {
    const used = token();
    const headers = { Accept: accept };
    if (used) headers.Authorization = `Bearer ${used}`;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    let answer;
    try {
      answer = await fetch(path, {
        method, headers, signal, cache: 'no-store', credentials: 'omit', redirect: 'error',
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError('The gateway does not answer.', { next: 'Is `turnwise serve` still running?' });
    }
    if (answer.status !== 401) return answer;
    await answer.body?.cancel();
    // Another request may have asked in the meantime.
    if (token() !== used) continue;
    const given = await newToken();
    if (!given) throw new ApiError('The gateway demands a token.', { status: 401, next: 'Reload the page to give it.' });
  }
}

/** Sends a request and returns the JSON of its response; throws an `ApiError` with the gateway's message. */
export async function call(path, options) {
  const answer = await request(path, options);
  const text = await answer.text();
  let body = null;
  try {
    body = text === '' ? null : JSON.parse(text);
  } catch {
    throw new ApiError('The gateway answered something that is not JSON.', { status: answer.status });
  }
  if (!answer.ok) {
    const said = body?.error?.message ?? body?.message ?? `The gateway answered ${answer.status}.`;
    throw new ApiError(said, { status: answer.status, next: body?.error?.next ?? null, body });
  }
  return body;
}

export const api = {
  status: () => call('/api/status'),
  turns: (before, limit = 50) => call(`/api/turns?limit=${limit}${before === null ? '' : `&before=${before}`}`),
  turn: (id, signal) => call(`/turns/${encodeURIComponent(id)}`, { signal }),
  search: (query, signal) => call('/api/turns/search', { method: 'POST', body: query, signal }),
  rate: (id, rating) => call(`/api/turns/${encodeURIComponent(id)}/feedback`, { method: 'POST', body: { rating } }),
  spend: () => call('/api/spend'),
  savings: (signal) => call('/api/savings', { signal }),
  retryProvider: (name) => call(`/api/providers/${encodeURIComponent(name)}/retry`, { method: 'POST', body: {} }),
  rules: () => call('/api/rules'),
  skills: () => call('/api/skills'),
  skillDecision: (id, signal) => call(`/api/skills/decisions/${encodeURIComponent(id)}`, { signal }),
  skillWorkspace: (id, signal) => call(`/api/skills/workspace?workspace=${encodeURIComponent(id)}`, { signal }),
  policy: () => call('/api/policy'),
  check: (text, signal) => call('/api/policy/check', { method: 'POST', body: { text }, signal }),
  save: (text, based_on) => call('/api/policy', { method: 'PUT', body: { text, based_on } }),
  whatIf: (text, turns, signal) => call('/api/policy/what-if', { method: 'POST', body: { text, turns }, signal }),
};
