//! The line of a session: model, reason, cost of the day, and what remains of a limit that is nearly spent.

use control::{LimitReport, SessionReport, TurnReport};

use super::Answer;
use crate::{
    commands::turn_row::{reason_words, short_model},
    screen::{escape_line, truncate},
};

/// The maximum number of terminal columns of the line.
const MAX_COLUMNS: usize = 80;

/// The maximum number of terminal columns of a reason, a model's name or an error message.
const MAX_PART_COLUMNS: usize = 30;

/// Formats the status line of a session for the gateway's `answer`. `displayed` is the model that Claude Code displays;
/// `was_answered` is whether a model has responded in the session.
pub(super) fn status_line(answer: &Answer, displayed: Option<&str>, was_answered: bool) -> String {
    let client = part(displayed.unwrap_or("Claude Code"));
    let parts = match answer {
        Answer::Report(report) => report_parts(report, client, was_answered),
        Answer::NotRunning => vec![client, "turnwise is not running".to_owned()],
        Answer::Busy => vec![client, "turnwise is busy".to_owned()],
        Answer::Failed(message) => vec![client, format!("turnwise: {}", part(message))],
    };
    truncate(&parts.join(" · "), MAX_COLUMNS).to_owned()
}

/// Returns the parts of the status line for a report of the gateway: model and reason, the cost of the day, and the
/// limit of which least remains. `client` is the model that Claude Code displays.
fn report_parts(report: &SessionReport, client: String, was_answered: bool) -> Vec<String> {
    let mut parts = match &report.turn {
        Some(turn) if !turn.is_imported => {
            let model = turn.model.as_ref().map_or_else(|| "no model".to_owned(), |model| short_model(model.as_str()));
            vec![part(&model), reason(turn)]
        }
        // A model has answered and the gateway has no turn: the requests reach the provider in another way.
        _ if was_answered || report.turn.is_some() => vec![client, "not through turnwise".to_owned()],
        _ => vec![client, "turnwise decides the first message".to_owned()],
    };
    parts.push(format!("{} today", report.spent_today));
    parts.extend(report.limits.iter().min_by_key(|limit| limit.remaining).map(remaining));
    parts
}

/// Returns why the turn has its model, in about four words.
fn reason(turn: &TurnReport) -> String {
    match (&turn.failed, &turn.model, &turn.slot) {
        (_, None, _) | (_, _, None) => "refused: turnwise why".to_owned(),
        (Some(failed), ..) => part(&format!("{} failed", short_model(failed.as_str()))),
        (None, _, Some(slot)) => part(&reason_words(slot, turn.rule.as_deref(), turn.is_requested)),
    }
}

/// Formats what remains of a limit on spending, such as `$0.80 of $5.00 left`.
fn remaining(limit: &LimitReport) -> String {
    format!("{} of {} left", limit.remaining, limit.limit)
}

/// Removes control characters from a part of the line, and truncates it to [`MAX_PART_COLUMNS`].
fn part(text: &str) -> String {
    truncate(&escape_line(text), MAX_PART_COLUMNS).to_owned()
}

#[cfg(test)]
mod tests {
    use contracts::{ModelId, NanoUsd};

    use super::*;

    fn model(id: &str) -> ModelId {
        ModelId::try_from(id).unwrap()
    }

    /// Returns the report of a session whose last turn a rule decided.
    fn report() -> SessionReport {
        let turn = TurnReport {
            model: Some(model("anthropic:claude-haiku-5-5")),
            slot: Some("CONFIGURED_RULES".to_owned()),
            rule: Some("fast for commits".to_owned()),
            is_requested: false,
            failed: None,
            is_imported: false,
        };
        SessionReport { turn: Some(turn), spent_today: NanoUsd(3_210_000_000), limits: Vec::new() }
    }

    /// Returns the line of a report whose turn was changed.
    fn line_of(change: impl FnOnce(&mut TurnReport)) -> String {
        let mut report = report();
        change(report.turn.as_mut().unwrap());
        status_line(&Answer::Report(report), Some("Opus 5"), true)
    }

    #[test]
    fn a_turn_has_its_model_its_reason_and_the_cost_of_the_day() {
        assert_eq!(line_of(|_| ()), "haiku-5-5 · fast for commits · $3.21 today");
        let requested = |turn: &mut TurnReport| {
            (turn.slot, turn.rule, turn.is_requested) = (Some("WORKSPACE_DEFAULT".to_owned()), None, true);
        };
        assert_eq!(line_of(requested), "haiku-5-5 · as requested · $3.21 today");
        let fallback = |turn: &mut TurnReport| turn.failed = Some(model("anthropic:claude-opus-5-5"));
        assert_eq!(line_of(fallback), "haiku-5-5 · opus-5-5 failed · $3.21 today");
        let refused = |turn: &mut TurnReport| (turn.model, turn.slot, turn.rule) = (None, None, None);
        assert_eq!(line_of(refused), "no model · refused: turnwise why · $3.21 today");
    }

    #[test]
    fn the_smallest_rest_of_a_nearly_spent_limit_is_shown() {
        let limit = |rest: u64| LimitReport { budget: None, limit: NanoUsd(5_000_000_000), remaining: NanoUsd(rest) };
        let report = SessionReport { limits: vec![limit(900_000_000), limit(800_000_000)], ..report() };
        let line = status_line(&Answer::Report(report), None, true);
        assert_eq!(line, "haiku-5-5 · fast for commits · $3.21 today · $0.80 of $5.00 left");
    }

    #[test]
    fn a_session_whose_requests_do_not_reach_the_gateway_is_named_as_such() {
        let unknown = SessionReport { turn: None, ..report() };
        let line = |was_answered| status_line(&Answer::Report(unknown.clone()), Some("Opus 5"), was_answered);
        assert_eq!(line(true), "Opus 5 · not through turnwise · $3.21 today");
        assert_eq!(line(false), "Opus 5 · turnwise decides the first message · $3.21 today");
        assert_eq!(line_of(|turn| turn.is_imported = true), "Opus 5 · not through turnwise · $3.21 today");
    }

    #[test]
    fn without_an_answer_the_line_has_the_reason() {
        assert_eq!(status_line(&Answer::NotRunning, Some("Opus 5"), true), "Opus 5 · turnwise is not running");
        assert_eq!(status_line(&Answer::Busy, None, false), "Claude Code · turnwise is busy");
        let failed = status_line(&Answer::Failed("the running gateway uses version 2".to_owned()), None, false);
        assert_eq!(failed, "Claude Code · turnwise: the running gateway uses versi");
    }

    #[test]
    fn names_cannot_control_the_terminal_or_exceed_the_line() {
        let long = |turn: &mut TurnReport| turn.rule = Some(format!("red \u{1b}[31m {}", "x".repeat(200)));
        let line = line_of(long);
        assert!(!line.contains('\u{1b}') && line.chars().count() <= 80, "{line}");
        assert!(line.ends_with("today"), "{line}");
    }
}
