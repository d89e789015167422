// The view of an empty log: how to connect a client.

import { copier, make } from './elements.js';

export function firstSteps() {
  const here = location.origin;
  const recipes = [
    ['Claude Code', `ANTHROPIC_BASE_URL=${here} claude`],
    ['Codex', `codex -c openai_base_url=${here}/v1`],
    ['OpenAI SDKs, aider', `export OPENAI_BASE_URL=${here}/v1 OPENAI_API_BASE=${here}/v1`],
    ['Gemini CLI', `GOOGLE_GEMINI_BASE_URL=${here} gemini`],
  ];
  return make('div', { class: 'first-steps' },
    make('h2', {}, 'No turn yet'),
    make('p', {}, 'Point a coding agent here. Its next turn appears on this page the moment it is decided.'),
    make('dl', {}, recipes.map(([client, line]) => [
      make('dt', {}, client),
      make('dd', {}, make('code', {}, line), copier('Copy', line)),
    ])));
}
