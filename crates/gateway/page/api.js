// The API of the gateway: JSON over HTTP, with a token where the gateway demands one.

const TOKEN = 'turnwise.token';

/** What the gateway, or the way to it, said no to. `status` is 0 when no answer came. */
export class ApiError extends Error {
  constructor(message, { status = 0, next = null, body = null } = {}) {
    super(message);
    this.status = status;
    this.next = next;
    this.body = body;
  }
}

let remembered = null;

/** The token given in this tab. It stays in the tab's own storage, or in memory where there is none. */
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
    // A browser that stores nothing keeps it in memory, above.
  }
}

let asking = null;
let ask = () => Promise.resolve(null);

/** Who asks the user for a token: given whether one was refused before, a promise of it, or of null. */
export function askTokenWith(dialog) {
  ask = dialog;
}

let declined = false;

/** Asks once, however many calls wait for it, and not again when the user gave none. */
function newToken() {
  if (declined) return null;
  asking ??= ask(token() !== null).then((given) => {
    declined = given === null;
    return given;
  }).finally(() => { asking = null; });
  return asking;
}

/** An answer of the gateway; asks for a token, and again, while it demands one. */
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
    // Another call may have asked meanwhile.
    if (token() !== used) continue;
    const given = await newToken();
    if (!given) throw new ApiError('The gateway demands a token.', { status: 401, next: 'Reload the page to give it.' });
  }
}

/** The JSON of an answer, or an `ApiError` with what the gateway said. */
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
  spend: () => call('/api/spend'),
  rules: () => call('/api/rules'),
  policy: () => call('/api/policy'),
  check: (text, signal) => call('/api/policy/check', { method: 'POST', body: { text }, signal }),
  save: (text, based_on) => call('/api/policy', { method: 'PUT', body: { text, based_on } }),
  whatIf: (text, turns, signal) => call('/api/policy/what-if', { method: 'POST', body: { text, turns }, signal }),
};
