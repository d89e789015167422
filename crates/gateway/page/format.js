// Formats money, tokens and times.

/** Formats nano-dollars as dollars; `null` if the cost is unknown, which is not zero. */
export function money(nano, { exact = false, signed = false } = {}) {
  if (nano === null || nano === undefined) return null;
  const size = Math.abs(nano) / 1e9;
  const sign = nano < 0 ? '−' : signed && nano > 0 ? '+' : '';
  if (nano === 0) return '$0';
  // Two decimals; below a cent two significant digits, as the command line shows amounts.
  const least = 2;
  const most = exact ? 9 : size >= 0.01 ? 2 : Math.min(9, Math.floor(-Math.log10(size)) + 2);
  return `${sign}$${size.toLocaleString('en-US', { minimumFractionDigits: least, maximumFractionDigits: most })}`;
}

/** The cost of something, with the number of calls without a price. */
export function costText(cost, unpriced) {
  const known = money(cost);
  if (!unpriced) return known ?? '–';
  return known === null || cost === 0 ? 'unpriced' : `${known} + unpriced`;
}

export function count(number) {
  return (number ?? 0).toLocaleString('en-US');
}

/** `1 turn`, `3 turns`. */
export function counted(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Formats a token count in at most four characters. */
export function tokens(number) {
  if (number === null || number === undefined) return '–';
  if (number < 1000) return String(number);
  if (number < 9950) return `${(number / 1000).toFixed(1)}k`;
  if (number < 999_500) return `${Math.round(number / 1000)}k`;
  return `${(number / 1e6).toFixed(number < 9.95e6 ? 1 : 0)}M`;
}

/** Formats a duration in milliseconds. */
export function duration(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return '–';
  const seconds = milliseconds / 1000;
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds) % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

/** Formats the time since something began, in whole seconds: tenths would flicker. */
export function elapsed(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000);
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

/** The local time of day, with the date unless it is today. */
export function clock(text) {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return String(text ?? '');
  const today = at.toDateString() === new Date().toDateString();
  return today ? CLOCK.format(at) : `${DAY.format(at)} ${CLOCK.format(at).slice(0, 5)}`;
}

export function fullTime(text) {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? String(text ?? '') : FULL.format(at);
}

/** The start of an id: enough to distinguish it at a glance. */
export function short(id, length = 8) {
  return id === null || id === undefined ? '' : String(id).slice(0, length);
}

/** The provider and the name of a model id. */
export function modelParts(id) {
  const text = String(id ?? '');
  const colon = text.indexOf(':');
  return colon < 0 ? { provider: '', name: text } : { provider: text.slice(0, colon), name: text.slice(colon + 1) };
}

/** A share of a whole in percent; 0 if the whole is 0. */
export function share(part, whole) {
  return whole > 0 ? (100 * part) / whole : 0;
}
