//! A naive implementation of the chain, written from the text of the specification, on policies as data.
//!
//! It shares only data types with the crate. Its decisions must equal those of `decide`.

mod budgets;
mod conditions;
mod validation;

use contracts::{
    Attempt, ChainEntry, ChainSlot as _, Decision, Failure, ModelId, Reason, Score, Slot, Tier, Verdict,
    views::PatternSettings,
};

pub(super) use self::conditions::{all_hold, is_skipped};
use self::{
    budgets::reached_budget,
    conditions::exceeded_limit,
    validation::{spec, validate},
};
use super::{
    policies::{MODELS, Policy, Scope},
    printed::name_of,
    worlds::World,
};

/// The workspace block that applies: the longest path that is the session's or above it (004 §11.1, decision D7).
fn closest<'p>(policy: &'p Policy, world: &World) -> Option<&'p Scope> {
    let here = world.workspace?;
    let above = |path: &str| path == "/" || here == path || here.starts_with(&format!("{path}/"));
    let candidates = policy.workspaces.iter().filter(|(_, path, _)| above(path));
    candidates.max_by_key(|(_, path, _)| path.len()).map(|(_, _, scope)| scope)
}

/// The settings that apply: the whole block of the workspace, or else the global one; missing keys have their defaults.
pub(super) fn settings(policy: &Policy, world: &World) -> PatternSettings {
    let defaults = PatternSettings::default();
    let own = closest(policy, world).and_then(|scope| scope.pattern.as_ref());
    let Some(block) = own.or(policy.global.pattern.as_ref()) else { return defaults };
    let fraction =
        |hundredths: Option<u64>, default: Score| hundredths.map_or(default, |value| Score(value * 10_000_000));
    PatternSettings {
        cost_weight: fraction(block.cost_weight, defaults.cost_weight),
        min_confidence: fraction(block.min_confidence, defaults.min_confidence),
        min_similarity: fraction(block.min_similarity, defaults.min_similarity),
        min_sample_size: block.min_sample_size.unwrap_or(defaults.min_sample_size),
        cost_scale: block.cost_scale.unwrap_or_default(),
        ..defaults
    }
}

fn says(slot: Slot, verdict: Verdict, candidate: Option<&str>, reason: Reason, failure: Option<Failure>) -> ChainEntry {
    let candidate = candidate.map(|id| ModelId::try_from(id).unwrap());
    ChainEntry { slot, verdict, candidate, reason, failure, attempts: Vec::new() }
}

fn nothing(slot: Slot, reason: Reason) -> ChainEntry {
    says(slot, Verdict::NotApplicable, None, reason, None)
}

fn proposes(world: &World, slot: Slot, id: &str, reason: Reason) -> ChainEntry {
    match validate(world, id) {
        None => says(slot, Verdict::Chose, Some(id), reason, None),
        Some(failure) => says(slot, Verdict::Rejected, Some(id), reason, Some(failure)),
    }
}

/// The first valid model of a list; those before it are attempts, and so are all if none is valid (decision D43).
fn proposes_list(world: &World, slot: Slot, name: &str, models: &[usize], reason: &Reason) -> ChainEntry {
    let entries: Vec<_> = models.iter().map(|model| proposes(world, slot, MODELS[*model].1, reason.clone())).collect();
    let rejected = entries.iter().take_while(|entry| entry.failure.is_some());
    let mut attempts: Vec<_> = rejected
        .map(|entry| Attempt {
            name: name.to_owned(),
            candidate: entry.candidate.clone().unwrap(),
            failure: entry.failure.clone().unwrap(),
        })
        .collect();
    let entry = entries.get(attempts.len()).unwrap_or(&entries[0]).clone();
    if entry.failure.is_some() && attempts.len() == 1 {
        attempts.clear();
    }
    ChainEntry { attempts, ..entry }
}

/// Slot 3: the workspace's rules, then the global ones; the first that matches and whose model is valid (decision D1).
fn rules(policy: &Policy, world: &World) -> ChainEntry {
    let slot = Slot::ConfiguredRules;
    let scopes = closest(policy, world).into_iter().chain([&policy.global]);
    let all: Vec<_> = scopes.flat_map(|scope| scope.rules.iter().enumerate()).collect();
    if all.is_empty() {
        return nothing(slot, Reason::NoRules);
    }
    let mut rejected: Vec<(Reason, Attempt)> = Vec::new();
    for (index, rule) in all {
        // Token limits count by the first model of the list.
        let model = spec(world, MODELS[rule.models[0]].1).unwrap();
        if !all_hold(&rule.when, world, model) || is_skipped(&rule.when, world) {
            continue;
        }
        let name = name_of(index, rule);
        for candidate in &rule.models {
            let (id, name) = (MODELS[*candidate].1, name.clone());
            let reason =
                Reason::Rule { name: name.clone(), budget: exceeded_limit(&rule.when, world, model), cut: false };
            match validate(world, id) {
                None => {
                    let mut entry = says(slot, Verdict::Chose, Some(id), reason, None);
                    entry.attempts = rejected.into_iter().map(|(_, attempt)| attempt).collect();
                    return entry;
                }
                Some(failure) => rejected.push((reason, Attempt { name, candidate: id.try_into().unwrap(), failure })),
            }
        }
    }
    let Some((reason, first)) = rejected.first().cloned() else {
        return nothing(slot, Reason::NoRuleMatched { cut: false });
    };
    let mut entry = says(slot, Verdict::Rejected, Some(first.candidate.as_str()), reason, Some(first.failure));
    entry.attempts = rejected.into_iter().map(|(_, attempt)| attempt).collect();
    entry
}

/// Slot 4 (004 §5.5): only at or above both thresholds.
fn pattern(policy: &Policy, world: &World) -> ChainEntry {
    let slot = Slot::PatternRecommendation;
    if world.turn.started.delegation.is_some() {
        return nothing(slot, Reason::InDelegation);
    }
    let Some(recommended) = &world.recommendation else { return nothing(slot, Reason::NoNeighbours) };
    let (settings, confidence, samples) = (settings(policy, world), recommended.confidence, recommended.samples);
    if confidence < settings.min_confidence || samples < settings.min_sample_size {
        return nothing(slot, Reason::BelowThreshold { confidence, samples });
    }
    let mut entry = proposes(world, slot, recommended.model.as_str(), Reason::Pattern(recommended.clone()));
    let request = world.turn.started.request.as_ref().unwrap();
    // What was learned only suggests where the client asked for a known model (decision D35).
    if request.named.is_some() && request.auxiliary.is_none() {
        entry.verdict = Verdict::Deferred;
    }
    entry
}

/// Slot 6: the workspace's default, then the model that the client asked for (decision D35).
fn workspace_default(policy: &Policy, world: &World) -> ChainEntry {
    let slot = Slot::WorkspaceDefault;
    let own = match closest(policy, world).and_then(|scope| scope.default.as_ref()) {
        Some(models) => proposes_list(world, slot, "workspace", models, &Reason::WorkspaceDefault),
        None => nothing(slot, Reason::NoWorkspaceDefault),
    };
    let request = world.turn.started.request.as_ref().unwrap();
    let Some(named) = request.named.as_ref().filter(|_| own.verdict != Verdict::Chose) else { return own };
    let asked = proposes(world, slot, named.as_str(), Reason::ClientModel { name: request.model.clone() });
    if own.verdict == Verdict::NotApplicable {
        return asked;
    }
    let mut attempts = own.attempts.clone();
    if attempts.is_empty() {
        let (candidate, failure) = (own.candidate.clone().unwrap(), own.failure.clone().unwrap());
        attempts.push(Attempt { name: "workspace".to_owned(), candidate, failure });
    }
    match asked.failure.clone() {
        None => ChainEntry { attempts, ..asked },
        Some(failure) => {
            attempts.push(Attempt { name: request.model.clone(), candidate: named.clone(), failure });
            ChainEntry { attempts, ..own }
        }
    }
}

/// Slot 5 (004 §6.9, §6.10): upwards from the requested tier; workspace, then global, then the registry.
fn delegation(policy: &Policy, world: &World) -> ChainEntry {
    let slot = Slot::DelegateRequest;
    let Some(asked) = world.turn.started.delegation.map(|delegation| delegation.tier) else {
        return nothing(slot, Reason::NotDelegation);
    };
    let tiers = closest(policy, world).and_then(|scope| scope.tiers.as_ref()).or(policy.global.tiers.as_ref());
    let is_auxiliary = world.turn.started.request.as_ref().unwrap().auxiliary.is_some();
    let mut attempts = Vec::new();
    let order = [Tier::Fast, Tier::Balanced, Tier::Deep];
    for (index, given) in order.into_iter().enumerate().filter(|(_, tier)| *tier >= asked) {
        let ids: Vec<&str> = if let Some(tiers) = tiers {
            tiers[index].iter().map(|model| MODELS[*model].1).collect()
        } else {
            // These models have neither a release date nor prices, so the first id counts.
            let of_tier = || world.models.iter().filter(|model| model.tier == Some(given));
            // For an auxiliary call, which has no planner, the first that can serve it.
            let valid = of_tier().find(|model| is_auxiliary && validate(world, model.id.as_str()).is_none());
            let model = valid.or_else(|| of_tier().find(|model| model.configured)).or_else(|| of_tier().next());
            model.iter().map(|model| model.id.as_str()).collect()
        };
        for id in ids {
            let Some(failure) = validate(world, id) else {
                let mut entry = says(slot, Verdict::Chose, Some(id), Reason::Tier { asked, given }, None);
                entry.attempts = attempts;
                return entry;
            };
            attempts.push(Attempt { name: given.name().to_owned(), candidate: id.try_into().unwrap(), failure });
        }
    }
    let first = attempts.first().cloned();
    let mut entry = says(slot, Verdict::Rejected, None, Reason::TierExhausted { asked }, None);
    entry.candidate = first.as_ref().map(|attempt| attempt.candidate.clone());
    entry.failure = first.map(|attempt| attempt.failure);
    entry.attempts = attempts;
    entry
}

fn evaluate(slot: Slot, policy: &Policy, world: &World) -> ChainEntry {
    let turn = &world.turn;
    match slot {
        Slot::PerMessageOverride => match &turn.started.override_model {
            Some(named) => proposes(world, slot, named.model.as_str(), Reason::Override { alias: named.alias.clone() }),
            None => nothing(slot, Reason::NoOverride),
        },
        Slot::ManualSticky => match &turn.started.sticky {
            Some(model) => proposes(world, slot, model.as_str(), Reason::Sticky),
            None => nothing(slot, Reason::NoSticky),
        },
        Slot::ConfiguredRules => rules(policy, world),
        Slot::PatternRecommendation => pattern(policy, world),
        Slot::DelegateRequest => delegation(policy, world),
        Slot::WorkspaceDefault => workspace_default(policy, world),
        Slot::GlobalDefault => match &policy.global.default {
            Some(models) => proposes_list(world, slot, "global", models, &Reason::GlobalDefault),
            None => nothing(slot, Reason::NoGlobalDefault),
        },
        Slot::LastResort => nothing(slot, Reason::NoLastResort),
        Slot::Budget => nothing(slot, Reason::WithinBudgets),
        Slot::SkillWish => nothing(slot, Reason::NoSkillWish),
    }
}

/// The chain (004 §4.1), with the additions of D2, D3 and §6.9.
pub(super) fn decide(policy: &Policy, world: &World) -> Decision {
    if let Some(entry) = reached_budget(policy, world) {
        let chosen = entry.candidate.clone().filter(|_| entry.verdict == Verdict::Chose);
        return Decision { chosen, chain: vec![entry] };
    }
    let is_auxiliary = world.turn.started.request.as_ref().unwrap().auxiliary.is_some();
    let mut chain: Vec<ChainEntry> = Vec::new();
    for &slot in Slot::CHAIN.iter().filter(|slot| **slot != Slot::SkillWish) {
        let entry = evaluate(slot, policy, world);
        let verdict = entry.verdict;
        chain.push(entry);
        match verdict {
            Verdict::Chose => {
                let model = chain.last().and_then(|entry| entry.candidate.clone());
                if [Slot::PerMessageOverride, Slot::ManualSticky, Slot::ConfiguredRules].contains(&slot) {
                    let mut learned = pattern(policy, world);
                    if learned.candidate.is_some() {
                        learned.verdict = Verdict::Deferred;
                        chain.push(learned);
                    }
                }
                return Decision { chosen: model, chain };
            }
            Verdict::Rejected if matches!(slot, Slot::PerMessageOverride | Slot::ManualSticky) && policy.refuse => {
                break;
            }
            // The tier of an auxiliary call is a preference only.
            Verdict::Rejected if slot == Slot::DelegateRequest && !is_auxiliary => break,
            _ => {}
        }
    }
    Decision { chosen: None, chain }
}
