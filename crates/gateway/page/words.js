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
};

const VERDICT_HELP = {
  chose: 'This step chose the model.',
  rejected: 'The model of this step could not take the turn; the next step was tried.',
  deferred: 'This step had a model too, but an earlier step had already chosen.',
  not_applicable: 'This step had no model for the turn.',
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

const KEYS = {
  environment: 'key from the environment',
  file: 'key from a file',
  client: 'the client’s own key',
  none: 'no key',
  not_needed: 'needs no key',
};

const ROLES = { planner: 'Main agent', worker: 'Sub-agents', auxiliary: 'Auxiliary calls' };

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

export function sideName(side) {
  return SIDES[side] ?? plain(side);
}

export function keyName(key) {
  return KEYS[key] ?? plain(key);
}

export function roleName(role) {
  return ROLES[role] ?? plain(role);
}
