//! Logs written as scripts, with one event per line.
//!
//! A line is `<seconds> <turn> <verb> …`, such as `0 a1 asks fix the total`, `1 a1 calls opus`, `2 a1 edits cart.rs`,
//! `3 a1 ends completed`.

use std::fmt::Write as _;

use contracts::events::SignalKind;
use evaluator::{DueVerdict, Evaluator, Rubric};
use event_core::{NewEvent, Position, Projected, Recorded};

use crate::events::{events, turn_id};

/// A log with its evaluator.
#[derive(Default)]
pub(crate) struct Log {
    /// All events so far; positions start at 1.
    pub(crate) events: Vec<Recorded>,
    /// The evaluator after the last event.
    pub(crate) view: Projected<Evaluator>,
    /// The line of the script that describes each event.
    lines: Vec<String>,
    /// The position up to which verdicts were computed.
    evaluated: Position,
}

impl Log {
    /// Appends an event with the line that describes it, and applies it to the evaluator; ignores an event whose id is
    /// in the log.
    pub(crate) fn append(&mut self, event: NewEvent, line: &str) {
        if self.events.iter().any(|known| known.event.id == event.id) {
            return;
        }
        let position = Position(self.events.len() as u64 + 1);
        let recorded = Recorded::new(position, event.at, event);
        self.view.advance(&recorded).unwrap();
        self.events.push(recorded);
        self.lines.push(line.to_owned());
    }

    /// Appends the verdicts that are due since the last call, as the engine does, and returns them.
    pub(crate) fn append_due_verdicts(&mut self, rubric: &Rubric) -> Vec<DueVerdict> {
        let due = self.view.state().due_verdicts(rubric, self.evaluated);
        self.evaluated = self.view.position();
        for verdict in &due {
            self.append(verdict.clone().seal().unwrap().event, "verdict");
        }
        due
    }

    /// Appends the events of a script and all due verdicts. Returns the verdicts as text, each after the line that
    /// changed it.
    pub(crate) fn append_script(&mut self, script: &str) -> String {
        let mut shown = String::new();
        for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
            for body in events(line) {
                self.append(body, line);
            }
            for verdict in self.append_due_verdicts(&Rubric::built_in()) {
                let _ = writeln!(shown, "after `{line}`:\n{}", self.show(&verdict));
            }
        }
        shown
    }

    /// Formats a verdict with the line of each signal.
    pub(crate) fn show(&self, verdict: &DueVerdict) -> String {
        let body = &verdict.event;
        let model = body.model.as_ref().map_or("no model", |model| model.model());
        let mut shown = format!("  {model}: score {}, confidence {}", body.score, body.confidence);
        for signal in &body.signals {
            let index = self.events.iter().position(|event| event.event.id == signal.event).unwrap();
            let _ = write!(shown, "\n    {} by `{}`", name(signal.kind), self.lines[index]);
        }
        if 0 < body.signals_omitted {
            let _ = write!(shown, "\n    and {} more", body.signals_omitted);
        }
        shown
    }
}

/// Returns the name of a kind of signal with spaces, such as `tool succeeded`.
fn name(kind: SignalKind) -> String {
    serde_json::to_string(&kind).unwrap().trim_matches('"').replace('_', " ")
}

/// Returns the verdicts on a script as text, each after the line that changed it.
pub(crate) fn verdicts(script: &str) -> String {
    Log::default().append_script(script)
}

/// Returns score, confidence and signals of the last verdict on a turn.
pub(crate) fn last(script: &str, turn: &str) -> (u64, u64, Vec<String>) {
    let mut log = Log::default();
    let _ = log.append_script(script);
    let verdicts = log.view.state().verdicts(turn_id(turn), &Rubric::built_in());
    let verdict = verdicts.last().unwrap();
    let kinds = verdict.signals.iter().map(|signal| name(signal.kind)).collect();
    (verdict.score.0, verdict.confidence.0, kinds)
}
