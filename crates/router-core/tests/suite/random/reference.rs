//! A naive implementation of the chain, written from the text of the specification, on policies as data.
//!
//! It shares only data types with the crate. Its decisions must equal those of `decide`.

use std::sync::LazyLock;

use contracts::{
    Attempt, ChainEntry, ChainSlot as _, Decision, Failure, MessageText, ModelId, ModelSpec, NanoUsd, OutageScope,
    Period, Reason, Score, Slot, SpentLimit, Tier, Verdict, views::PatternSettings,
};
use regex::Regex;

use super::{
    policies::{Block, MODELS, PATH_PATTERNS, PATTERNS, Policy, Scope, When},
    printed::name_of,
    worlds::World,
};

static COMPILED: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    PATTERNS.into_iter().chain(PATH_PATTERNS).map(|pattern| (pattern, Regex::new(pattern).unwrap())).collect()
});

/// Whether a pattern matches anywhere in a text (decision D9).
fn found(pattern: &str, text: &str) -> bool {
    COMPILED.iter().find(|(known, _)| *known == pattern).unwrap().1.is_match(text)
}

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

fn spec<'w>(world: &'w World, id: &str) -> Option<&'w ModelSpec> {
    world.models.iter().find(|model| model.id.as_str() == id)
}

/// Implements 004 §4.4 and §4.5.3 line by line.
fn validate(world: &World, id: &str) -> Option<Failure> {
    let Some(model) = spec(world, id) else { return Some(Failure::NotConfigured) };
    let turn = &world.turn;
    if !model.configured {
        return Some(Failure::NotConfigured);
    }
    for (provider, until) in &world.outages.providers {
        if provider.as_str() == id.split(':').next().unwrap() && turn.at < *until {
            return Some(Failure::ProviderUnavailable(OutageScope::ProviderWide(provider.clone())));
        }
    }
    for (out, until) in &world.outages.models {
        if out.as_str() == id && turn.at < *until {
            return Some(Failure::ProviderUnavailable(OutageScope::ModelSpecific(out.clone())));
        }
    }
    let (estimate, window) = (turn.tokens.of(model.tokenizer), model.context_window);
    let has_images = turn.needs.images || turn.message_has_images;
    let gates = [
        (has_images && !model.capabilities.images, Failure::NoVisionSupport),
        (estimate > window, Failure::ExceedsContextWindow { estimate, window }),
        (turn.needs.tools && !model.capabilities.tools, Failure::NoToolSupport),
        (turn.needs.system_prompt && !model.capabilities.system_prompt, Failure::NoSystemPromptSupport),
        (turn.needs.structured_output && !model.capabilities.structured_output, Failure::NoStructuredOutputSupport),
    ];
    gates.into_iter().find(|(fails, _)| *fails).map(|(_, failure)| failure)
}

/// Implements 004 §5.3.2; `model` is the model that the rule proposes.
fn holds(when: &When, world: &World, model: &ModelSpec) -> bool {
    let turn = &world.turn;
    let MessageText::Present(message) = &turn.message else { panic!("the text is there") };
    let tokens = turn.tokens.of(model.tokenizer);
    match when {
        When::Matches(pattern) => found(pattern, message),
        When::ContainsAny(texts) => texts.iter().any(|text| message.to_lowercase().contains(&text.to_lowercase())),
        When::TokensAbove(threshold) => tokens > *threshold,
        When::TokensBelow(threshold) => tokens < *threshold,
        When::HasImages(wanted) => turn.message_has_images == *wanted,
        When::HasToolCalls(wanted) => turn.tool_calls_in_history == *wanted,
        When::Skills(names) => names.iter().any(|name| turn.skills.contains(*name)),
        When::Extensions(names) => names.iter().any(|name| turn.extensions.contains(*name)),
        When::WorkspaceMatches(pattern) => turn.workspace.as_ref().is_some_and(|path| found(pattern, path)),
        When::TimeBetween(from, until) => {
            let minutes = i64::try_from(turn.at.0 / 60_000_000).unwrap() + i64::from(turn.offset_minutes);
            let now = minutes.rem_euclid(24 * 60);
            let (from, until) = (i64::from(*from), i64::from(*until));
            if from <= until { from <= now && now < until } else { now >= from || now < until }
        }
        When::SpentMoreThanCents(cents) => turn.spent_today.0 > cents * 10_000_000,
        When::AnyOf(blocks) => blocks.iter().any(|block| all_hold(block, world, model)),
        When::AllOf(blocks) => blocks.iter().all(|block| all_hold(block, world, model)),
        When::Not(block) => !all_hold(block, world, model),
    }
}

pub(super) fn all_hold(block: &Block, world: &World, model: &ModelSpec) -> bool {
    block.0.iter().all(|when| holds(when, world, model))
}

/// The first budget, in the order of the file, that was exceeded and made this condition hold.
fn budget(block: &Block, world: &World, model: &ModelSpec) -> Option<SpentLimit> {
    block.0.iter().find_map(|when| match when {
        When::SpentMoreThanCents(cents) => {
            Some(SpentLimit { amount: NanoUsd(cents * 10_000_000), period: Period::Day })
        }
        When::AllOf(blocks) => blocks.iter().find_map(|block| budget(block, world, model)),
        When::AnyOf(blocks) => {
            blocks.iter().filter(|block| all_hold(block, world, model)).find_map(|block| budget(block, world, model))
        }
        _ => None,
    })
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
        if !all_hold(&rule.when, world, model) {
            continue;
        }
        let name = name_of(index, rule);
        for candidate in &rule.models {
            let (id, name) = (MODELS[*candidate].1, name.clone());
            let reason = Reason::Rule { name: name.clone(), budget: budget(&rule.when, world, model), cut: false };
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
    if world.turn.delegation.is_some() {
        return nothing(slot, Reason::InDelegation);
    }
    let Some(recommended) = &world.recommendation else { return nothing(slot, Reason::NoNeighbours) };
    let (settings, confidence, samples) = (settings(policy, world), recommended.confidence, recommended.samples);
    if confidence < settings.min_confidence || samples < settings.min_sample_size {
        return nothing(slot, Reason::BelowThreshold { confidence, samples });
    }
    proposes(world, slot, recommended.model.as_str(), Reason::Pattern(recommended.clone()))
}

/// Slot 5 (004 §6.9, §6.10): upwards from the requested tier; workspace, then global, then the registry.
fn delegation(policy: &Policy, world: &World) -> ChainEntry {
    let slot = Slot::DelegateRequest;
    let Some(asked) = world.turn.delegation.map(|delegation| delegation.tier) else {
        return nothing(slot, Reason::NotDelegation);
    };
    let tiers = closest(policy, world).and_then(|scope| scope.tiers.as_ref()).or(policy.global.tiers.as_ref());
    let mut attempts = Vec::new();
    let order = [Tier::Fast, Tier::Balanced, Tier::Deep];
    for (index, given) in order.into_iter().enumerate().filter(|(_, tier)| *tier >= asked) {
        let ids: Vec<&str> = if let Some(tiers) = tiers {
            tiers[index].iter().map(|model| MODELS[*model].1).collect()
        } else {
            // These models have neither a release date nor prices, so the first id counts.
            let of_tier = || world.models.iter().filter(|model| model.tier == Some(given));
            let model = of_tier().find(|model| model.configured).or_else(|| of_tier().next());
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
        Slot::PerMessageOverride => match &turn.override_model {
            Some(named) => proposes(world, slot, named.model.as_str(), Reason::Override { alias: named.alias.clone() }),
            None => nothing(slot, Reason::NoOverride),
        },
        Slot::ManualSticky => match &turn.sticky {
            Some(model) => proposes(world, slot, model.as_str(), Reason::Sticky),
            None => nothing(slot, Reason::NoSticky),
        },
        Slot::ConfiguredRules => rules(policy, world),
        Slot::PatternRecommendation => pattern(policy, world),
        Slot::DelegateRequest => delegation(policy, world),
        Slot::WorkspaceDefault => match closest(policy, world).and_then(|scope| scope.default.as_ref()) {
            Some(models) => proposes_list(world, slot, "workspace", models, &Reason::WorkspaceDefault),
            None => nothing(slot, Reason::NoWorkspaceDefault),
        },
        Slot::GlobalDefault => match &policy.global.default {
            Some(models) => proposes_list(world, slot, "global", models, &Reason::GlobalDefault),
            None => nothing(slot, Reason::NoGlobalDefault),
        },
        Slot::LastResort => nothing(slot, Reason::NoLastResort),
        Slot::Budget => nothing(slot, Reason::WithinBudgets),
    }
}

/// The chain (004 §4.1), with the additions of D2, D3 and §6.9.
pub(super) fn decide(policy: &Policy, world: &World) -> Decision {
    let mut chain: Vec<ChainEntry> = Vec::new();
    for &slot in Slot::CHAIN {
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
            Verdict::Rejected if slot == Slot::DelegateRequest => break,
            _ => {}
        }
    }
    Decision { chosen: None, chain }
}
