// Opens the page of a gateway in a real browser and uses it the way a person would: mostly by the keyboard.
//
//   node page.test.mjs BASE_URL TURN_COMMAND
//
// TURN_COMMAND is a shell command that makes a client send one turn through the gateway; the message it is to send is
// in the environment as TURN_MESSAGE. Other settings, all from the environment:
//   CHROMIUM         the browser, /usr/bin/chromium unless given
//   PLAYWRIGHT_CORE  the folder of the package playwright-core, when it does not lie beside this file
//   GATEWAY_TOKEN    the token to give when the page asks for one
//   SCREENSHOTS      a folder for one picture of each view
//   RULE_MODEL       an alias for the rule that is added; one that is configured, unless given
// A turn comes from a workspace with the skills `database` and `review` and a trigger table, which the caller provides.
// Prints one line per check and exits with 1 when any failed.

import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const [base = process.env.BASE_URL, turnCommand = process.env.TURN_COMMAND] = process.argv.slice(2);
if (!base || !turnCommand) {
  console.error('usage: node page.test.mjs BASE_URL TURN_COMMAND');
  process.exit(2);
}
const origin = new URL(base).origin;
const { chromium } = createRequire(import.meta.url)(process.env.PLAYWRIGHT_CORE ?? 'playwright-core');
const run = promisify(execFile);
const unique = `${Date.now().toString(36)}${process.pid}`;
const marker = `browser test ${unique}`;
const ruleName = `browser rule ${unique}`;
const WAIT = 15_000;

let failures = 0;

/** One check: its name is a sentence that says what holds. Later checks still run when it fails. */
async function check(name, body) {
  try {
    await body();
    console.log(`ok      ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED  ${name}\n        ${String(error.message ?? error).split('\n').slice(0, 6).join('\n        ')}`);
  }
}

function expect(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}

async function sendTurn(message) {
  await run('/bin/sh', ['-c', turnCommand], { env: { ...process.env, TURN_MESSAGE: message }, timeout: 60_000 });
}

/** A page that remembers what went wrong in it and whom it talked to. */
async function open(browser, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const seen = { errors: [], elsewhere: [] };
  page.on('console', (message) => { if (message.type() === 'error' || message.type() === 'warning') seen.errors.push(message.text()); });
  page.on('pageerror', (error) => seen.errors.push(String(error)));
  page.on('request', (request) => { if (new URL(request.url()).origin !== origin) seen.elsewhere.push(request.url()); });
  page.on('dialog', (dialog) => { seen.errors.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(`${origin}/`);
  const token = process.env.GATEWAY_TOKEN;
  if (token) {
    await page.waitForSelector('#token-input', { timeout: WAIT });
    await page.keyboard.type(token);
    await page.keyboard.press('Enter');
    // The demand for a token is itself an answer that browsers call an error.
    seen.errors.length = 0;
  }
  await page.waitForSelector('.connection.is-connected', { timeout: WAIT });
  return { context, page, seen };
}

async function picture(page, name) {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

function rowOf(page, message) {
  return page.locator('.row', { hasText: message }).first();
}

const focusedText = (page) => page.evaluate(() => document.activeElement?.textContent ?? '');

/** Presses j until the turn with `message` has the focus. */
async function walkTo(page, message) {
  for (let steps = 0; steps < 60; steps += 1) {
    await page.keyboard.press('j');
    if ((await focusedText(page)).includes(message)) return;
  }
  throw new Error(`no turn with "${message}" was reached in 60 steps`);
}

/** Puts the caret behind the line `rules:`, or adds one, and types a rule whose condition is called `condition`. */
async function typeRule(page, condition, alias) {
  await page.keyboard.press('Control+Home');
  const lines = (await page.inputValue('#policy-text')).split('\n');
  const at = lines.findIndex((line) => /^rules:\s*(#.*)?$/.test(line));
  if (at < 0) {
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\nrules:');
  } else {
    for (let line = 0; line < at; line += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
  }
  // The editor begins each line where the one before it began.
  await page.keyboard.press('Enter');
  await page.keyboard.type(`  - name: "${ruleName}"`);
  await page.keyboard.press('Enter');
  await page.keyboard.type(`when: {${condition}: "(?i)browser test"}`);
  await page.keyboard.press('Enter');
  await page.keyboard.type(`use: ${alias}`);
  return (await page.inputValue('#policy-text')).split('\n').findIndex((line) => line.includes(`{${condition}:`)) + 1;
}

async function configuredAlias(page) {
  if (process.env.RULE_MODEL) return process.env.RULE_MODEL;
  const headers = process.env.GATEWAY_TOKEN ? { Authorization: `Bearer ${process.env.GATEWAY_TOKEN}` } : {};
  const status = await (await page.request.get(`${origin}/api/status`, { headers })).json();
  const model = status.models.find((each) => each.configured && each.aliases.length > 0);
  expect(model, 'no configured model has an alias');
  return model.aliases[0];
}

async function liveAndWhy(page) {
  await check('a turn appears on the page without a reload', async () => {
    await sendTurn(marker);
    await rowOf(page, marker).waitFor({ timeout: WAIT });
  });
  await check('a hostile message is shown as text and runs nothing', async () => {
    const hostile = `<img src=x onerror="alert(1)"><script>alert(2)</script> ${unique}`;
    await sendTurn(hostile);
    await rowOf(page, hostile).waitFor({ timeout: WAIT });
    expect(await page.locator('.row img, .row script').count() === 0, 'markup from a message is in the page');
  });
  await check('the new turn says its model and the policy that decided', async () => {
    const row = rowOf(page, marker);
    expect((await row.locator('.model').textContent()).trim() !== '', 'no model');
    expect((await row.locator('.reason').textContent()).trim() !== '', 'no reason');
  });
  await check('j walks to the turn and Enter opens why, by the keyboard alone', async () => {
    await walkTo(page, marker);
    await page.keyboard.press('Enter');
    await page.locator('#detail .chain .entry').first().waitFor({ timeout: WAIT });
    expect(page.url().includes('#/turns/'), `the address is ${page.url()}`);
    expect((await page.textContent('#detail h2')).includes(marker), 'another turn was opened');
  });
  await check('the chain has one policy that chose, and its model is the answer', async () => {
    const chose = page.locator('#detail section:not(.step-part) .verdict-chose');
    expect(await chose.count() >= 1, 'no policy chose');
    expect((await page.textContent('#detail .answer')).trim() !== '', 'no answer');
  });
  await check('the calls of the turn are listed', () => page.locator('#detail .calls tbody tr').first().waitFor({ timeout: WAIT }));
  await picture(page, 'why');
  await check('Escape closes why and gives the focus back to the turn', async () => {
    await page.keyboard.press('Escape');
    await page.locator('#detail').waitFor({ state: 'hidden', timeout: WAIT });
    expect((await focusedText(page)).includes(marker), `the focus is on "${await focusedText(page)}"`);
  });
  await check('/ filters, Escape clears', async () => {
    // One that does not match.
    await sendTurn('A question of another kind');
    await rowOf(page, 'A question of another kind').waitFor({ timeout: WAIT });
    await page.keyboard.press('/');
    await page.keyboard.type(unique);
    await page.waitForFunction(() => document.querySelector('.shown').textContent.includes(' of '), null, { timeout: WAIT });
    expect(await page.locator('.row').count() === 2, `${await page.locator('.row').count()} turns match`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await page.inputValue('#filter') === '', 'the filter is not empty');
  });
  await check('? lists the keys, Escape closes the list', async () => {
    await page.keyboard.press('?');
    expect(await page.locator('#keys[open]').count() === 1, 'no list');
    await page.keyboard.press('Escape');
    expect(await page.locator('#keys[open]').count() === 0, 'the list is still open');
  });
  await picture(page, 'live');
}

async function rules(page) {
  let line = 0;
  let alias = '';
  await check('3 and e lead into the editor', async () => {
    alias = await configuredAlias(page);
    await page.keyboard.press('3');
    await page.locator('.policy-verdict.right').waitFor({ timeout: WAIT });
    await page.keyboard.press('e');
    expect(await page.evaluate(() => document.activeElement.id) === 'policy-text', 'the editor has no focus');
  });
  await check('a mistake is reported at its line while typing', async () => {
    line = await typeRule(page, 'message_matchez', alias);
    const problem = page.locator('.problems button').first();
    await problem.waitFor({ timeout: WAIT });
    const place = (await problem.locator('.place').textContent()).split(':').map(Number);
    expect(place[0] === line, `reported at line ${place[0]}, made at line ${line}`);
    expect(await page.locator('.gutter .wrong-line').count() >= 1, 'no line is marked');
  });
  await picture(page, 'mistake');
  await check('F8 goes to the mistake', async () => {
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('F8');
    const at = await page.evaluate(() => document.activeElement.value.slice(0, document.activeElement.selectionStart).split('\n').length);
    expect(at === line, `the caret is in line ${at}`);
  });
  await check('corrected, the mistake is gone', async () => {
    await page.keyboard.press('End');
    for (let left = (await lineText(page, line)).length - (await lineText(page, line)).indexOf('z:') - 1; left > 0; left -= 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('s');
    await page.locator('.policy-verdict.right', { hasText: 'Not saved' }).waitFor({ timeout: WAIT });
    expect(await page.locator('.problems button').count() === 0, 'there are still mistakes');
  });
  await check('Ctrl+Enter says what the edited policy would have changed', async () => {
    await page.keyboard.press('Control+Enter');
    await page.locator('.what-if-answer').waitFor({ timeout: 60_000 });
    const text = await page.textContent('.what-if-answer');
    expect(/[\d,]+ of [\d,]+ turns?/.test(text), `it says "${text}"`);
  });
  await picture(page, 'what-if');
  await check('Ctrl+S saves, and the new rule stands in the list', async () => {
    await page.keyboard.press('Control+s');
    await page.locator('.editor-notice .done').waitFor({ timeout: WAIT });
    await page.locator('.rules .rule-name', { hasText: ruleName }).waitFor({ timeout: WAIT });
  });
  await picture(page, 'rules');
  await check('the next turn is decided by the new rule', async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('1');
    await sendTurn(`${marker} again`);
    const row = rowOf(page, `${marker} again`);
    await row.waitFor({ timeout: WAIT });
    const reason = await row.locator('.reason').textContent();
    expect(reason.includes(ruleName), `it was "${reason}"`);
  });
  await check('a change of model is shown with what is known of the success of both', async () => {
    await rowOf(page, `${marker} again`).click();
    const models = page.locator('#detail .quality li');
    await models.first().waitFor({ timeout: WAIT });
    expect(await models.count() === 2, `${await models.count()} models`);
    for (const text of await models.allTextContents()) expect(/success (not known|\d+ % \(\d+-\d+ %, n=\d+\))$/.test(text.trim()), `it says "${text}"`);
    await picture(page, 'quality');
    await page.keyboard.press('Escape');
    await page.locator('#detail').waitFor({ state: 'hidden', timeout: WAIT });
  });
}

async function lineText(page, line) {
  return (await page.inputValue('#policy-text')).split('\n')[line - 1];
}

async function figures(page) {
  await check('2 shows the spend of today by model', async () => {
    await page.keyboard.press('2');
    await page.locator('.total-figure').waitFor({ timeout: WAIT });
    await page.locator('.by-model tbody tr').first().waitFor({ timeout: WAIT });
  });
  await picture(page, 'spend');
  await check('each budget has what was spent, its limit and the time of its reset', async () => {
    const budget = page.locator('.budget', { hasText: 'each day' });
    await budget.waitFor({ timeout: WAIT });
    const text = await budget.textContent();
    expect(/\$[\d.]+ of \$5\.00 per day/.test(text) && /resets \d{4}-\d\d-\d\d 00:00 UTC/.test(text) && text.includes('then warn'), `it says "${text}"`);
    expect(await page.locator('.budget', { hasText: 'session' }).count() >= 1, 'the budget of a session is missing');
  });
  await check('what was saved against the requested models is shown by rule', async () => {
    await page.locator('.saved-figure').waitFor({ timeout: WAIT });
    expect(/^−?\$[\d.,]+$/.test(await page.textContent('.saved-figure')), `it says "${await page.textContent('.saved-figure')}"`);
    expect((await page.textContent('.savings')).includes('instead of'), 'the two sums are missing');
    expect(await page.locator('.by-rule tbody tr', { hasText: ruleName }).count() === 1, 'the rule is missing');
  });
  await check('the spend has the last days', () => page.locator('.by-day tbody tr').first().waitFor({ timeout: WAIT }));
  await check('4 shows the providers and never a key', async () => {
    await page.keyboard.press('4');
    await page.locator('.provider-card').first().waitFor({ timeout: WAIT });
    expect(!/sk-[\w-]{8,}/.test(await page.textContent('.providers')), 'something that looks like a key');
  });
  await picture(page, 'providers');
}

async function history(page) {
  await check('without a token, the page says so', async () => {
    const required = (await (await page.request.get(`${origin}/api/status`)).json()).token_required;
    const said = await page.locator('#status-line').getByText('no token', { exact: true }).count();
    expect(said === (required ? 0 : 1), `token required: ${required}, "no token" is there ${said} times`);
  });
  await check('h opens the history, which searches the whole log by words', async () => {
    await page.keyboard.press('h');
    await page.locator('.history .row').first().waitFor({ timeout: WAIT });
    await page.fill('#history-words', `${marker} again`);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('.history-info').textContent.startsWith('1 turn,'), null, { timeout: WAIT });
    expect(await page.locator('.history .row').count() === 1, 'another number of turns was found');
  });
  await check('a range of days in the past has no turns', async () => {
    await page.fill('.history input[type=date] >> nth=1', '2001-01-01');
    await page.click('.history-form button[type=submit]');
    await page.waitForFunction(() => document.querySelector('.history-info').textContent.startsWith('0 turns'), null, { timeout: WAIT });
    await page.fill('.history input[type=date] >> nth=1', '');
  });
  await check('the history can be sorted', async () => {
    await page.fill('#history-words', '');
    await page.click('.history-form button[type=submit]');
    await page.waitForFunction(() => document.querySelectorAll('.history .row').length > 1, null, { timeout: WAIT });
    const first = () => page.locator('.history .row').first().getAttribute('data-turn');
    const newest = await first();
    await page.selectOption('.history select', 'tokens');
    const tokens = await page.locator('.history .row-tokens').allTextContents();
    expect(tokens.length > 1 && newest !== null, 'no list');
    await page.selectOption('.history select', 'newest');
    expect(await first() === newest, 'another turn is the newest');
  });
  await picture(page, 'history');
  await check('a turn of the history opens beside it and is rated', async () => {
    await page.locator('.history .row').first().click();
    await page.locator('#detail .rating button').first().waitFor({ timeout: WAIT });
    expect(await page.locator('.history').isVisible(), 'the history is hidden');
    await page.locator('#detail .rating button').first().click();
    await page.locator('#detail .rating [role=status]', { hasText: 'rated' }).waitFor({ timeout: WAIT });
    await page.keyboard.press('Escape');
    await page.locator('#detail').waitFor({ state: 'hidden', timeout: WAIT });
  });
  await check('the steps of a decision are explained in titles', async () => {
    const title = await page.locator('.history .step').first().getAttribute('title');
    expect(/Step \d of the decision/.test(title), `the title is "${title}"`);
  });
}

async function skills(page) {
  const message = `write the migration ${unique}`;
  const decision = () => page.locator('.decision', { hasText: message }).first();
  await check('5 shows the skill decisions, and a new one appears without a reload', async () => {
    await page.keyboard.press('5');
    await page.locator('.decision').first().waitFor({ timeout: WAIT });
    await sendTurn(message);
    await decision().waitFor({ timeout: WAIT });
    const outcome = await decision().locator('.decision-outcome').textContent();
    expect(outcome === 'database', `it selects "${outcome}"`);
  });
  await check('a skill decision opens with its chain by the keyboard, and Escape closes it', async () => {
    await decision().locator('a').focus();
    await page.keyboard.press('Enter');
    await page.locator('#detail .verdict-chose').waitFor({ timeout: WAIT });
    const chose = await page.textContent('#detail .verdict-chose');
    expect(chose.includes('Keywords') && chose.includes('database'), `it says "${chose}"`);
    await picture(page, 'skill-why');
    await page.keyboard.press('Escape');
    await page.locator('#detail').waitFor({ state: 'hidden', timeout: WAIT });
    expect((await focusedText(page)).includes(message), `the focus is on "${await focusedText(page)}"`);
  });
  await check('the telemetry has five metrics, each with its target', async () => {
    const rows = page.locator('.metrics tbody tr');
    expect(await rows.count() === 5, `${await rows.count()} metrics`);
    for (const text of await rows.allTextContents()) expect(/at (least|most) [\d.]+( %)?(reached|missed|unknown)$/.test(text), `it says "${text}"`);
  });
  await check('the skills of the workspace are listed with problems and collisions', async () => {
    await page.locator('.skill-table tbody tr', { hasText: 'database' }).waitFor({ timeout: WAIT });
    expect(await page.locator('.findings li', { hasText: 'triggers.md' }).count() >= 1, 'the unknown skill of the table is missing');
    expect(/code of database is also a keyword of review/.test(await page.textContent('.collisions')), `it says "${await page.textContent('.collisions')}"`);
  });
  await check('a turn shows the skill decision beside that of the model', async () => {
    await page.keyboard.press('1');
    await rowOf(page, message).click();
    await page.locator('#detail details[data-name=skills]').waitFor({ timeout: WAIT });
    expect((await page.textContent('#detail')).includes('database'), 'the skill is missing');
    await page.keyboard.press('Escape');
    await page.locator('#detail').waitFor({ state: 'hidden', timeout: WAIT });
    await page.keyboard.press('5');
  });
  await picture(page, 'skills');
}

async function small(browser, name, options) {
  const { context, page, seen } = await open(browser, options);
  await check(`${name}: nothing is wider than the screen, in any view`, async () => {
    for (const view of ['#/', '#/history', '#/spend', '#/rules', '#/skills', '#/providers']) {
      await page.goto(`${origin}/${view}`);
      await page.waitForTimeout(400);
      const { wide, room } = await page.evaluate(() => ({ wide: Math.max(document.documentElement.scrollWidth, document.getElementById('views').scrollWidth), room: innerWidth }));
      expect(wide <= room, `${view} is ${wide} wide on ${room}`);
      await picture(page, `${name}-${view.slice(2) || 'live'}`);
    }
  });
  await check(`${name}: a tap opens why, and its button closes it`, async () => {
    await page.goto(`${origin}/#/`);
    const row = rowOf(page, marker);
    await row.waitFor({ timeout: WAIT });
    await (options.hasTouch ? row.tap() : row.click());
    await page.locator('#detail .chain .entry').first().waitFor({ timeout: WAIT });
    await page.locator('#detail .calls').scrollIntoViewIfNeeded();
    await picture(page, `${name}-why`);
    const { wide, room } = await page.evaluate(() => ({ wide: document.getElementById('detail').scrollWidth, room: document.getElementById('detail').clientWidth }));
    expect(wide <= room, `why is ${wide} wide on ${room}`);
    await page.locator('#detail .close').click();
    await page.locator('#detail').waitFor({ state: 'hidden', timeout: WAIT });
  });
  await clean(name, seen);
  await context.close();
}

async function dark(browser) {
  const { context, page, seen } = await open(browser, { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
  await check('dark: light text on a dark ground', async () => {
    const [ground, ink] = await page.evaluate(() => {
      const style = getComputedStyle(document.body);
      const light = (color) => color.match(/\d+/g).slice(0, 3).reduce((sum, each) => sum + Number(each), 0) / 3;
      return [light(style.backgroundColor), light(style.color)];
    });
    expect(ground < 60 && ink > 180, `ground ${ground}, text ${ink}`);
  });
  await picture(page, 'dark-live');
  await clean('dark', seen);
  await context.close();
}

async function clean(name, seen) {
  await check(`${name}: no error in the console`, () => expect(seen.errors.length === 0, seen.errors.join('\n')));
  await check(`${name}: no request to any other host`, () => expect(seen.elsewhere.length === 0, seen.elsewhere.join('\n')));
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const { context, page, seen } = await open(browser, { viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  await liveAndWhy(page);
  await rules(page);
  await figures(page);
  await history(page);
  await skills(page);
  await clean('desktop', seen);
  await context.close();
  await small(browser, 'phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await small(browser, 'small phone', { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true, reducedMotion: 'reduce' });
  await dark(browser);
} catch (error) {
  failures += 1;
  console.log(`FAILED  the page opens and connects\n        ${error.message}`);
} finally {
  await browser.close();
}
console.log(failures === 0 ? 'all checks hold' : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
