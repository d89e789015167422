// The representation of a model: name, tier as one to three bars, and whether the client requested it.

import { make, unseen } from './elements.js';
import { modelParts } from './format.js';
import { known } from './store.js';

const TIERS = ['fast', 'balanced', 'deep'];

/** The registry's entry of a model, by id or alias. */
export function modelOf(name) {
  const models = known.status?.models ?? [];
  return models.find((model) => model.id === name)
    ?? models.find((model) => model.aliases.includes(name) || modelParts(model.id).name === name)
    ?? null;
}

/** A model's name with its tier. `whole` includes the provider. */
export function modelChip(id, { whole = false } = {}) {
  const { provider, name } = modelParts(id);
  const tier = modelOf(id)?.tier ?? null;
  return make('span', { class: `model${tier ? ` tier-${tier}` : ''}`, title: tier ? `${id} · ${tier} tier (bars: 1 fast, 2 balanced, 3 deep)` : id },
    tierBars(tier),
    whole && provider ? make('span', { class: 'provider' }, `${provider}:`) : null,
    make('bdi', { class: 'model-name' }, name));
}

/** One bar for fast, two for balanced, three for deep. */
export function tierBars(tier) {
  const level = TIERS.indexOf(tier) + 1;
  if (level === 0) return null;
  return make('span', { class: `bars level-${level}`, 'aria-hidden': 'true' },
    make('i'), make('i'), make('i'));
}

/** A tier as text for screen readers. */
export function tierText(tier) {
  return tier ? unseen(` (${tier})`) : null;
}

/** The model that the client requested if another one took the turn; null otherwise, and for names that leave the choice to the policy. */
export function askedOther(turn) {
  const { asked, model } = turn;
  if (!asked || asked === 'turnwise' || asked === model) return null;
  const plain = asked.replace(/\[.*\]$/, '');
  if (model && (modelOf(plain)?.id === model || modelParts(model).name === plain)) return null;
  return asked;
}
