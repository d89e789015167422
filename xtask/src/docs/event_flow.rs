//! The producers of each kind of event, and the projections that fold it.

use contracts::Event;

/// The producer and the consumers of one kind of event, for docs/events.md.
pub(super) struct EventFlow {
    /// The producer: the command or the occurrence upon which the event is written, as a phrase for the documentation.
    pub(super) producer: &'static str,
    /// The projections that fold it.
    pub(super) folded_by: &'static [&'static str],
}

/// Events that only an import writes.
const BY_IMPORT: &str = "an import";
/// Events that only a call through the gateway writes.
const BY_GATEWAY: &str = "a call through the gateway";
/// Events of model calls and tools.
const BY_CALL: &str = "a call through the gateway, an import";
/// Events of turns, live or imported.
const BY_TURN: &str = "a live turn, an import";
/// Events of skill decisions.
const BY_SKILL_DECISION: &str = "a live turn, an import, a hook of a client";
/// Events of questions to a model.
const BY_SKILL_MODEL: &str = "a live turn, if the policy has a model asked which skill fits";
/// Events of policy and catalogue files.
const BY_FILE_CHANGE: &str = "a change of the policy or catalogue files, found before a turn";
/// Events about the capacity of the pattern store.
const BY_SIZE_CHECK: &str = "the size check of the pattern store";
/// Events about sessions that were removed from the log.
const BY_RETENTION: &str = "`events retain`";
/// Events about outages of providers.
const BY_AVAILABILITY: &str = "a transition found by availability";

/// Returns the producer of an event's kind, and the projections that fold it.
pub(super) const fn flow_of(event: &Event) -> EventFlow {
    let (producer, folded_by): (_, &[_]) = match event {
        Event::CostsRetained(_) => (BY_RETENTION, &["costs", "spending ledger"]),
        Event::DecisionsRetained(_) => (BY_RETENTION, &["rule hits"]),
        Event::LogRetained(_) => (BY_RETENTION, &[]),
        Event::EvalCompleted(_) => ("a verdict of the evaluator, `patterns evaluate`", &["evaluator", "patterns"]),
        Event::FeedbackGiven(_) => ("`feedback`", &["evaluator"]),
        Event::LlmCallCompleted(_) => (
            BY_CALL,
            &["availability", "costs", "evaluator", "patterns", "prompt cache", "sessions", "spending ledger"],
        ),
        Event::LlmCallFailed(_) => {
            (BY_CALL, &["availability", "costs", "evaluator", "patterns", "sessions", "spending ledger"])
        }
        Event::LlmCallStarted(_) => (BY_GATEWAY, &["availability", "costs", "sessions"]),
        Event::LogPurged(_) => ("`events purge`", &[]),
        Event::LogCommandPanicked(_) => ("the bus of a running gateway", &[]),
        Event::LogRepaired(_) => ("opening the log", &[]),
        Event::PatternsCleared(_) => ("`patterns clear`", &["patterns"]),
        Event::PatternEvicted(_) | Event::PatternFilling(_) => (BY_SIZE_CHECK, &["patterns"]),
        Event::PatternOverrideDismissed(_) => ("`route ignore`", &["evaluator"]),
        Event::CatalogueLoaded(_) | Event::PolicyLoaded(_) => (BY_FILE_CHANGE, &["active"]),
        Event::RouteDecided(_) => (BY_TURN, &["rule hits", "sessions"]),
        Event::RouteFallback(_) => ("a call through the gateway that failed", &["sessions"]),
        Event::RouteOverridden(_) => ("`route override`", &["evaluator", "patterns", "sessions"]),
        Event::PolicyInvalid(_) => (BY_FILE_CHANGE, &[]),
        Event::ProviderRecovered(_) | Event::ProviderUnavailable(_) => (BY_AVAILABILITY, &["availability"]),
        Event::SessionCompacted(_) | Event::SessionResumed(_) => (BY_IMPORT, &["prompt cache"]),
        Event::SessionModelSelected(_) => ("`model`", &["sessions"]),
        Event::SessionStarted(_) | Event::SkillWished(_) => (BY_TURN, &["sessions"]),
        Event::SkillActivated(_) => ("a tool call through the gateway that failed", &["sessions", "skill history"]),
        Event::SkillModelAsked(_) => {
            (BY_SKILL_MODEL, &["costs", "skill history", "skill questions", "spending ledger"])
        }
        Event::SkillQuestionSent(_) => (BY_SKILL_MODEL, &["skill questions"]),
        Event::SkillClarificationRequested(_) | Event::SkillDeferred(_) => (BY_SKILL_DECISION, &[]),
        Event::SkillCorrected(_) => ("`skills corrected`", &["skill history"]),
        Event::SkillIndexInvalid(_) | Event::SkillIndexed(_) => {
            ("a change of skill files or of the skills that a client lists, found before a skill decision", &[])
        }
        Event::SkillLoaded(_) => (BY_CALL, &["skill history"]),
        Event::SkillPromptRecorded(_) => ("a hook of a client; never if the policy forbids it", &["skill history"]),
        Event::SkillReused(_) => (BY_TURN, &["sessions", "skill history"]),
        Event::SkillRouted(_) => (BY_SKILL_DECISION, &["sessions", "skill history", "skill questions"]),
        Event::ToolCalled(_) | Event::ToolFinished(_) => (BY_CALL, &["evaluator", "sessions"]),
        Event::TurnEmbedded(_) => ("the gateway, `patterns embed`", &["patterns"]),
        Event::TurnEnded(_) => {
            (BY_TURN, &["costs", "evaluator", "patterns", "prompt cache", "sessions", "skill history"])
        }
        Event::TurnStarted(_) => {
            (BY_TURN, &["costs", "evaluator", "patterns", "prompt cache", "sessions", "spending ledger"])
        }
        Event::TurnTextRecorded(_) => ("a live turn, an import; never if the policy forbids it", &["skill history"]),
    };
    EventFlow { producer, folded_by }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use contracts::catalogue::{KINDS, KindSpec};

    use super::*;
    use crate::workspace;

    /// The projections, and the prefix of the paths of their sources.
    const PROJECTIONS: [(&str, &str); 11] = [
        ("availability", "crates/availability/src/"),
        ("costs", "crates/costs/src/projection"),
        ("evaluator", "crates/evaluator/src/"),
        ("active", "crates/engine/src/active"),
        ("patterns", "crates/patterns/src/"),
        ("prompt cache", "crates/costs/src/prompt_cache"),
        ("rule hits", "crates/engine/src/rule_hits"),
        ("sessions", "crates/engine/src/sessions"),
        ("skill history", "crates/skills/src/history"),
        ("skill questions", "crates/engine/src/skill_questions"),
        ("spending ledger", "crates/costs/src/ledger"),
    ];

    /// Returns the name of a kind's type in Rust: the variant's name in [`Event`].
    fn type_name(spec: &KindSpec) -> String {
        let shown = format!("{:?}", (spec.sample)());
        shown.split('(').next().unwrap().to_owned()
    }

    /// Returns the names of the event types that the source text of a projection folds: those in `event_subset!`, the
    /// one of `Folded`, or those that it reads itself.
    fn folded_types(source: &str) -> BTreeSet<String> {
        let subsets = source.split("event_subset! {").skip(1).filter_map(|rest| {
            let (_, body) = rest.split_once(" enum ")?.1.split_once('{')?;
            Some(body.split_once('}')?.0)
        });
        let one = source.split("type Folded<'a> = &'a ").skip(1).filter_map(|rest| rest.split(';').next());
        let read = source.split("read::<").skip(1).filter_map(|rest| rest.split('>').next());
        let kinds = subsets.flat_map(|kinds| kinds.split(',')).chain(one).chain(read);
        kinds.map(str::trim).filter(|kind| !kind.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn a_projection_is_listed_for_exactly_the_events_it_reads() {
        let crates = workspace::list_files(&workspace::root().join("crates")).unwrap();
        for (projection, beginning) in PROJECTIONS {
            let sources = crates.iter().filter(|path| workspace::display_path(path).starts_with(beginning));
            let source: String = sources.map(|path| workspace::read_file(path).unwrap()).collect();
            let read = folded_types(&source);
            let listed: BTreeSet<_> = KINDS
                .iter()
                .filter(|spec| flow_of(&(spec.sample)()).folded_by.contains(&projection))
                .map(type_name)
                .collect();
            assert_eq!(listed, read, "the events `{projection}` folds");
        }
    }

    #[test]
    fn every_projection_of_the_workspace_is_listed() {
        let crates = workspace::list_files(&workspace::root().join("crates")).unwrap();
        let in_sources = |path: &&std::path::PathBuf| {
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            let path = workspace::display_path(path);
            is_rust && path.contains("/src/") && !path.contains("/tests")
        };
        for path in crates.iter().filter(in_sources) {
            let name = workspace::display_path(path);
            let declares =
                workspace::read_file(path).unwrap().lines().any(|line| line.starts_with("impl Projection for "));
            let is_listed = PROJECTIONS.iter().any(|(_, beginning)| name.starts_with(beginning));
            assert!(!declares || is_listed, "{name} has a projection that PROJECTIONS lacks");
        }
    }

    #[test]
    fn every_projection_named_is_one_of_ours() {
        let ours: BTreeSet<_> = PROJECTIONS.iter().map(|(name, _)| *name).collect();
        assert!(KINDS.iter().flat_map(|spec| flow_of(&(spec.sample)()).folded_by).all(|name| ours.contains(name)));
    }
}
