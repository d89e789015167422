//! Who writes each kind of event and what folds it.

use contracts::events::{self, DocumentedEvent};

use crate::failure::{Failure, Outcome};

/// The way of one kind of event.
pub(super) struct Traffic {
    pub(super) kind: &'static str,
    /// The name of its type in Rust.
    #[cfg_attr(not(test), expect(dead_code, reason = "only the test that reads the sources needs it"))]
    pub(super) type_name: &'static str,
    /// What makes it happen.
    pub(super) written_by: &'static str,
    /// The projections that fold it.
    pub(super) folded_by: &'static [&'static str],
}

fn way<F: DocumentedEvent>(written_by: &'static str, folded_by: &'static [&'static str]) -> Traffic {
    let path = std::any::type_name::<F>();
    let type_name = path.rsplit("::").next().unwrap_or(path);
    Traffic { kind: F::KIND, type_name, written_by, folded_by }
}

const IMPORT: &str = "an import";
const GATEWAY: &str = "a call through the gateway";
const WORK: &str = "a call through the gateway, an import";
const TURN: &str = "a live turn, an import";
const OPENING: &str = "a change of the files, seen before a turn";

/// The ways of all kinds.
fn all() -> [Traffic; 29] {
    [
        way::<events::CatalogueLoaded>(OPENING, &["active"]),
        way::<events::EvalCompleted>(
            "the reaction to what the evaluator says, `patterns evaluate`",
            &["evaluator", "patterns"],
        ),
        way::<events::FeedbackGiven>("`feedback`", &["evaluator"]),
        way::<events::LlmCallCompleted>(
            WORK,
            &["availability", "costs", "evaluator", "patterns", "prompt cache", "sessions"],
        ),
        way::<events::LlmCallFailed>(WORK, &["availability", "costs", "evaluator", "patterns", "sessions"]),
        way::<events::LlmCallStarted>(GATEWAY, &["availability", "sessions"]),
        way::<events::LogPurged>("`events purge`", &[]),
        way::<events::LogRepaired>("opening the log", &[]),
        way::<events::PatternsCleared>("`patterns clear`", &["patterns"]),
        way::<events::PatternEvicted>("the reaction to how large a store is", &["patterns"]),
        way::<events::PatternFilling>("the reaction to how large a store is", &["patterns"]),
        way::<events::PatternOverrideDismissed>("`route ignore`", &["evaluator"]),
        way::<events::PolicyLoaded>(OPENING, &["active"]),
        way::<events::RouteDecided>(TURN, &["rule hits", "sessions"]),
        way::<events::RouteFallback>("a call through the gateway that failed", &["rule hits", "sessions"]),
        way::<events::RouteOverridden>("`route override`", &["evaluator", "patterns", "sessions"]),
        way::<events::PolicyInvalid>(OPENING, &[]),
        way::<events::ProviderRecovered>("the reaction to what availability says", &["availability"]),
        way::<events::ProviderUnavailable>("the reaction to what availability says", &["availability"]),
        way::<events::SessionCompacted>(IMPORT, &["prompt cache"]),
        way::<events::SessionModelSelected>("`model`", &["sessions"]),
        way::<events::SessionResumed>(IMPORT, &["prompt cache"]),
        way::<events::SessionStarted>(TURN, &["sessions"]),
        way::<events::ToolCalled>(WORK, &["evaluator", "sessions"]),
        way::<events::ToolFinished>(WORK, &["evaluator", "sessions"]),
        way::<events::TurnEmbedded>("`patterns embed`", &["patterns"]),
        way::<events::TurnEnded>(TURN, &["evaluator", "patterns", "prompt cache", "sessions"]),
        way::<events::TurnStarted>(TURN, &["costs", "evaluator", "patterns", "prompt cache", "sessions"]),
        way::<events::TurnTextRecorded>("a live turn, an import; never when the policy says so", &[]),
    ]
}

/// The way of a kind.
///
/// # Errors
/// When the kind is not listed above.
pub(super) fn of(kind: &str) -> Outcome<Traffic> {
    let known = all().into_iter().find(|way| way.kind == kind);
    known.ok_or_else(|| Failure::new(format!("say in xtask/src/docs/traffic.rs who writes and folds `{kind}`")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use contracts::catalogue::KINDS;

    use super::*;
    use crate::workspace;

    /// The projections, and how the paths of their sources begin.
    const PROJECTIONS: [(&str, &str); 8] = [
        ("availability", "crates/availability/src/"),
        ("costs", "crates/costs/src/projection"),
        ("evaluator", "crates/evaluator/src/"),
        ("active", "crates/engine/src/active"),
        ("patterns", "crates/patterns/src/"),
        ("prompt cache", "crates/costs/src/prompt_cache"),
        ("rule hits", "crates/engine/src/rule_hits"),
        ("sessions", "crates/engine/src/sessions"),
    ];

    #[test]
    fn every_kind_has_its_way_and_no_other_kind_is_listed() {
        let known: BTreeSet<_> = KINDS.iter().map(|spec| spec.kind).collect();
        let listed: BTreeSet<_> = all().iter().map(|way| way.kind).collect();
        assert_eq!(listed, known);
    }

    #[test]
    fn a_projection_is_listed_for_exactly_the_events_it_reads() {
        let crates = workspace::files(&workspace::root().join("crates")).unwrap();
        for (projection, beginning) in PROJECTIONS {
            let sources = crates.iter().filter(|path| workspace::shown(path).starts_with(beginning));
            let source: String = sources.map(|path| workspace::read(path).unwrap()).collect();
            let read: BTreeSet<_> = ["read::<", "view::<"]
                .iter()
                .flat_map(|reads| source.split(reads).skip(1))
                .filter_map(|rest| rest.split('>').next())
                .map(str::to_owned)
                .collect();
            let listed: BTreeSet<_> = all()
                .iter()
                .filter(|way| way.folded_by.contains(&projection))
                .map(|way| way.type_name.to_owned())
                .collect();
            assert_eq!(listed, read, "the events `{projection}` folds");
        }
    }

    #[test]
    fn every_projection_named_is_one_of_ours() {
        let ours: BTreeSet<_> = PROJECTIONS.iter().map(|(name, _)| *name).collect();
        assert!(all().iter().flat_map(|way| way.folded_by).all(|name| ours.contains(name)));
    }
}
