//! The conditions of rules, evaluated naively (004 §5.3).

use std::sync::LazyLock;

use contracts::{ModelSpec, NanoUsd, Period, Requirement, SpentLimit};
use regex::Regex;

use crate::random::{
    policies::{Block, PATH_PATTERNS, PATTERNS, When},
    worlds::World,
};

/// The patterns of random policies, with their compiled form.
static COMPILED: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    PATTERNS.into_iter().chain(PATH_PATTERNS).map(|pattern| (pattern, Regex::new(pattern).unwrap())).collect()
});

/// Whether a pattern matches anywhere in a text (decision D9).
fn found(pattern: &str, text: &str) -> bool {
    COMPILED.iter().find(|(known, _)| *known == pattern).unwrap().1.is_match(text)
}

/// Implements 004 §5.3.2; `model` is the model that the rule proposes.
fn holds(when: &When, world: &World, model: &ModelSpec) -> bool {
    let turn = &world.turn;
    let message = &turn.message;
    let request = turn.started.request.as_ref().unwrap();
    let tokens = turn.started.tokens.for_tokenizer(model.tokenizer);
    match when {
        When::Matches(pattern) => found(pattern, message),
        When::ContainsAny(texts) => texts.iter().any(|text| message.to_lowercase().contains(&text.to_lowercase())),
        When::TokensAbove(threshold) => tokens > *threshold,
        When::TokensBelow(threshold) => tokens < *threshold,
        When::HasImages(wanted) => turn.started.message_has_images == *wanted,
        When::HasToolCalls(wanted) => turn.started.tool_calls_in_history == *wanted,
        When::SelectedSkill(names) => names.iter().any(|name| turn.selected_skills.iter().any(|skill| skill == name)),
        When::Skills(names) => names.iter().any(|name| turn.started.skills.iter().any(|skill| skill == name)),
        When::Extensions(names) => {
            names.iter().any(|name| turn.started.extensions.iter().any(|extension| extension == name))
        }
        When::WorkspaceMatches(pattern) => turn.started.workspace.as_ref().is_some_and(|path| found(pattern, path)),
        When::TimeBetween(from, until) => {
            let minutes = i64::try_from(turn.at.0 / 60_000_000).unwrap() + i64::from(turn.started.offset_minutes);
            let now = minutes.rem_euclid(24 * 60);
            let (from, until) = (i64::from(*from), i64::from(*until));
            if from <= until { from <= now && now < until } else { now >= from || now < until }
        }
        When::SpentMoreThanCents(period, cents) => {
            let spent = match period {
                Period::Day => turn.started.spent_today,
                Period::Week => turn.started.spending.week,
                Period::Month => turn.started.spending.month,
                Period::Session => turn.started.spending.session,
            };
            spent.0 > cents * 10_000_000
        }
        When::Client(names) => {
            let client = request.client.as_ref().map(|client| client.to_lowercase());
            names.iter().any(|name| Some(name.to_lowercase()) == client)
        }
        // The alias `two` and the id of its model are the same request.
        When::ClientModel(names) => names.iter().any(|name| {
            *name == request.model
                || (*name == "two" && request.named.as_ref().is_some_and(|id| id.as_str() == "a:two"))
        }),
        When::Subagent(wanted) => request.subagent == *wanted,
        When::AuxiliaryCall(kinds) => request.auxiliary.is_some_and(|kind| kinds.contains(&kind)),
        When::WebSearch(wanted) => request.web_search == *wanted,
        When::Thinking(wanted) => request.requires.contains(&Requirement::Effort) == *wanted,
        When::AnyOf(blocks) => blocks.iter().any(|block| all_hold(block, world, model)),
        When::AllOf(blocks) => blocks.iter().all(|block| all_hold(block, world, model)),
        When::Not(block) => !all_hold(block, world, model),
    }
}

pub(in crate::random) fn all_hold(block: &Block, world: &World, model: &ModelSpec) -> bool {
    block.0.iter().all(|when| holds(when, world, model))
}

/// Whether a key of a condition, or of a condition inside it, is one of these.
fn mentions(block: &Block, is_one: &dyn Fn(&When) -> bool) -> bool {
    block.0.iter().any(|when| {
        is_one(when)
            || match when {
                When::AnyOf(blocks) | When::AllOf(blocks) => blocks.iter().any(|block| mentions(block, is_one)),
                When::Not(block) => mentions(block, is_one),
                _ => false,
            }
    })
}

/// Whether a rule does not apply to an auxiliary call because it is about the text of a message: it names no kind of
/// auxiliary call.
pub(in crate::random) fn is_skipped(block: &Block, world: &World) -> bool {
    world.turn.started.request.as_ref().unwrap().auxiliary.is_some()
        && mentions(block, &|when| matches!(when, When::Matches(_) | When::ContainsAny(_)))
        && !mentions(block, &|when| matches!(when, When::AuxiliaryCall(_)))
}

/// The first budget, in the order of the file, that was exceeded and made this condition hold.
pub(super) fn exceeded_limit(block: &Block, world: &World, model: &ModelSpec) -> Option<SpentLimit> {
    block.0.iter().find_map(|when| match when {
        When::SpentMoreThanCents(period, cents) => {
            Some(SpentLimit { amount: NanoUsd(cents * 10_000_000), period: *period })
        }
        When::AllOf(blocks) => blocks.iter().find_map(|block| exceeded_limit(block, world, model)),
        When::AnyOf(blocks) => blocks
            .iter()
            .filter(|block| all_hold(block, world, model))
            .find_map(|block| exceeded_limit(block, world, model)),
        _ => None,
    })
}
