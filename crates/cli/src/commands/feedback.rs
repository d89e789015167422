//! `feedback`: records the user's rating of a turn and prints the new verdict.

use std::fmt::Write as _;

use contracts::events::{EvalCompleted, Rating, Signal, SignalKind};
use control::GiveFeedback;
use patterns::MIN_EVAL_CONFIDENCE;

use super::route::resolve_turn;
use crate::{arguments::FeedbackArguments, context::Context, failure::Failure, screen::outln};

/// Records the user's rating of a turn, in the running gateway if there is one, and prints the verdicts on the turn
/// that follow from it.
pub(super) fn run(context: &Context, arguments: &FeedbackArguments) -> Result<(), Failure> {
    let turn = resolve_turn(context.log_reader()?.as_ref(), &arguments.turn)?;
    let mut writer = context.writer()?;
    let feedback = writer.execute(GiveFeedback { turn, rating: arguments.rating.into() })?;
    writer.close()?;
    context.print(&feedback, || {
        let rating = match feedback.given.rating {
            Rating::Up => "up",
            Rating::Down => "down",
        };
        outln!("Rating {rating} for turn {turn}.");
        for verdict in &feedback.verdicts {
            outln!("{}", verdict_text(verdict));
        }
        if feedback.later {
            outln!("The turn is long past: `turnwise patterns evaluate` takes this into account.");
        } else if feedback.verdicts.is_empty() {
            outln!("It has no verdict yet: no model has answered, or it is not over.");
        }
    })
}

/// Formats the verdict on a turn as a sentence: model, score, confidence, and the signals behind it.
fn verdict_text(verdict: &EvalCompleted) -> String {
    let model = verdict.model.as_ref().map_or("whoever took it", contracts::ModelId::as_str);
    let counts = if verdict.confidence < MIN_EVAL_CONFIDENCE { ", too unsure to count" } else { "" };
    let (score, confidence) = (verdict.score, verdict.confidence);
    format!("{model} is scored {score} at confidence {confidence}{counts}: {}.", signals_text(&verdict.signals))
}

/// Lists the signals of a verdict in order, each kind once with its count.
fn signals_text(signals: &[Signal]) -> String {
    let mut shown = String::new();
    for (place, signal) in signals.iter().enumerate() {
        if signals.iter().take(place).any(|earlier| earlier.kind == signal.kind) {
            continue;
        }
        let separator = if shown.is_empty() { "" } else { ", " };
        // Writing to a `String` always succeeds.
        let _ = write!(shown, "{separator}{}", signal_text(signal.kind));
        let times = signals.iter().filter(|other| other.kind == signal.kind).count();
        if 1 < times {
            let _ = write!(shown, " {times} times");
        }
    }
    shown
}

/// Returns the description of a kind of signal (evidence of how a turn went) for users.
const fn signal_text(kind: SignalKind) -> &'static str {
    match kind {
        SignalKind::Completed => "the turn completed",
        SignalKind::Cancelled => "the turn was cancelled",
        SignalKind::GaveUp => "the last call failed",
        SignalKind::CutShort => "a response was truncated",
        SignalKind::Withheld => "a response was refused",
        SignalKind::CallFailed => "a call failed",
        SignalKind::ToolSucceeded => "tools succeeded",
        SignalKind::ToolFailed => "a tool failed",
        SignalKind::ToolDeclined => "a tool was declined",
        SignalKind::Continued => "the next message continued",
        SignalKind::RepeatedRequest => "the next message repeated the request",
        SignalKind::Corrected => "the next message corrected the response",
        SignalKind::Approved => "the next message approved the response",
        SignalKind::ChosenByUser => "the user chose the model",
        SignalKind::Reassigned => "the user reassigned it to another model",
        SignalKind::Reverted => "its file changes were reverted",
        SignalKind::RatingUp => "rating up",
        SignalKind::RatingDown => "rating down",
    }
}
