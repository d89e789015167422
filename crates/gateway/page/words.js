// Labels for names in the log: slots, verdicts, failures, states.

const SLOTS = {
  PER_MESSAGE_OVERRIDE: '@model in the message',
  MANUAL_STICKY: 'Model set for the session',
  CONFIGURED_RULES: 'Your rules',
  PATTERN_RECOMMENDATION: 'Learned from your log',
  DELEGATE_REQUEST: 'Tier asked for by a planner',
  WORKSPACE_DEFAULT: 'Default of the workspace',
  GLOBAL_DEFAULT: 'Global default',
  LAST_RESORT: 'Last resort',
  BUDGET: 'Budget',
  EXPLICIT: 'Skill named in the message',
  NO_SKILL: 'Request for no skill',
  POLICY: 'Row of AGENTS.md',
  KEYWORD: 'Keywords',
  TREE: 'Decision tree',
  SCORE: 'Scores',
  LLM: 'Model that was asked',
  FALLBACK: 'Best earlier result',
  CLARIFY: 'Question, or no skill',
  SKILL_WISH: 'Wish of a skill',
};

/** What each step of the decision is, for a title. */
const SLOT_HELP = {
  PER_MESSAGE_OVERRIDE: 'A message that starts with @model chooses it.',
  MANUAL_STICKY: 'The model that `turnwise model` set for the session.',
  CONFIGURED_RULES: 'The first rule of the policy that matches, with a model that can take the turn.',
  PATTERN_RECOMMENDATION: 'The model with the best results on similar turns of your log.',
  DELEGATE_REQUEST: 'The tier that another model requested for a piece of work, or the policy for auxiliary calls.',
  WORKSPACE_DEFAULT: 'The default for the folder, or else the model that the client requested.',
  GLOBAL_DEFAULT: 'The default for everything else.',
  LAST_RESORT: 'The requested model, if nothing else can take the turn and the policy allows it.',
  BUDGET: 'A budget of the policy that is spent: it refuses the turn, or selects the model.',
  EXPLICIT: 'The message starts with /skill, or asks to use a skill.',
  NO_SKILL: 'The message asks that no skill is loaded.',
  POLICY: 'A row of an AGENTS.md that maps the task to a skill.',
  KEYWORD: 'Keywords of the trigger table and of the skills that occur in the message.',
  TREE: 'A row of the decision tree: type of the task, criticality, previous skill, types of files.',
  SCORE: 'How well description, files and technologies of each skill fit, from 0 to 100.',
  LLM: 'The reply of a model that was asked which skill fits.',
  FALLBACK: 'The result of an earlier step, if a later one is not available, or the default skill.',
  CLARIFY: 'A question to the user if several skills are possible, and no skill if nothing indicates one.',
  SKILL_WISH: 'The model or tier that a skill of the message asks for in its metadata.',
};

const VERDICT_HELP = {
  chose: 'This step decided.',
  rejected: 'The result of this step could not be used; the next step was tried.',
  deferred: 'This step had a result too, but an earlier step had already decided.',
  not_applicable: 'This step had no result.',
};

const VERDICTS = { chose: 'chose', rejected: 'rejected', deferred: 'outranked', not_applicable: 'skipped' };

const FAILURES = {
  not_configured: 'no API key',
  provider_unavailable: 'out after failures',
  key_refused: 'its key was refused',
  no_vision_support: 'cannot see images',
  exceeds_context_window: 'the prompt is too long for it',
  no_tool_support: 'cannot use tools',
  no_system_prompt_support: 'takes no system prompt',
  no_structured_output_support: 'cannot follow a schema',
  unsupported_feature: 'cannot accept a part of the request',
  thinking_of_another_model: 'the turn contains thinking of another model',
  just_failed: 'failed in this turn',
  rate_limit: 'rate limit',
  overloaded: 'overloaded',
  server_error: 'server error',
  network: 'network error',
  timeout: 'no answer in time',
  model_not_found: 'the provider does not know it',
  auth: 'the key was refused',
  cancelled: 'cancelled by the client',
  invalid_request: 'the provider refused the request',
  context_overflow: 'the prompt was too long',
  content_filter: 'stopped by a content filter',
  consecutive_failures: 'several calls in a row failed',
  auth_error: 'its key was refused',
  network_errors: 'it could not be reached',
  multi_model_failures: 'several of its models failed',
};

const SIDES = { title: 'title', classifier: 'classifier', token_count: 'token count', count_tokens: 'token count' };

const METHODS = {
  explicit: 'named',
  no_skill: 'no evidence',
  policy: 'AGENTS.md',
  keyword: 'keywords',
  decision_tree: 'decision tree',
  score: 'scores',
  llm: 'model asked',
  fallback: 'fallback',
  clarification: 'question',
};

const MODES = { hook: 'told to the client by its hook', observed: 'recorded beside the client’s own choice', imported: 'decided for an imported turn' };

const KEYS = {
  environment: 'key from the environment',
  file: 'key from a file',
  client: 'the client’s own key',
  none: 'no key',
  not_needed: 'needs no key',
};

const ROLES = { planner: 'Main agent', worker: 'Sub-agents', auxiliary: 'Auxiliary calls', skill_routing: 'Skill routing' };

function plain(name) {
  return String(name ?? '').replaceAll('_', ' ').toLowerCase();
}

export function slotName(slot) {
  return SLOTS[slot] ?? plain(slot);
}

export function slotHelp(slot) {
  return SLOT_HELP[slot] ?? '';
}

export function verdictHelp(verdict) {
  return VERDICT_HELP[verdict] ?? '';
}

export function verdictName(verdict) {
  return VERDICTS[verdict] ?? plain(verdict);
}

/** The label of a failure. What follows its name (`name: more`, `name, more`) is kept. */
export function failureName(text) {
  const [name, rest] = split(String(text ?? ''));
  const words = FAILURES[name] ?? plain(name);
  return rest ? `${words} (${rest})` : words;
}

function split(text) {
  const found = /^([a-z_]+)(?:\s*[,:(]\s*([^]*?)\)?)?$/.exec(text);
  return found ? [found[1], found[2]] : [text, ''];
}

/** How a skill decision was made, in a few words. */
export function methodName(method) {
  return METHODS[method] ?? plain(method);
}

/** How a skill decision was used. */
export function modeName(mode) {
  return MODES[mode] ?? plain(mode);
}

export function sideName(side) {
  return SIDES[side] ?? plain(side);
}

export function keyName(key) {
  return KEYS[key] ?? plain(key);
}

export function roleName(role) {
  return ROLES[role] ?? plain(role);
}
