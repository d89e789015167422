//! Stories of turns, one event a line, and a log whose evaluator is asked after every event.
//!
//! A line is `<seconds> <turn> <verb> …`, such as `0 a1 asks fix the total`, `1 a1 calls opus`, `2 a1 edits cart.rs`,
//! `3 a1 ends completed`.

use std::fmt::Write as _;

use contracts::events::SignalKind;
use evaluator::{Evaluator, Rubric, Verdict};
use event_core::{NewEvent, Position, Projected, Recorded};

use crate::events::{events, turn_id};

/// The log of a story, and the evaluator that follows it.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) events: Vec<Recorded>,
    pub(crate) view: Projected<Evaluator>,
    /// What each event is, in words.
    lines: Vec<String>,
    asked: Position,
}

impl Log {
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

    /// Appends what is due since the last time, as the engine does.
    pub(crate) fn react(&mut self, rubric: &Rubric) -> Vec<Verdict> {
        let due = self.view.state().due(rubric, self.asked);
        self.asked = self.view.position();
        for verdict in &due {
            self.append(verdict.clone().seal().unwrap().event, "verdict");
        }
        due
    }

    pub(crate) fn tell(&mut self, story: &str) -> String {
        let mut told = String::new();
        for line in story.lines().map(str::trim).filter(|line| !line.is_empty()) {
            for body in events(line) {
                self.append(body, line);
            }
            for verdict in self.react(&Rubric::built_in()) {
                let _ = writeln!(told, "after `{line}`:\n{}", self.show(&verdict));
            }
        }
        told
    }

    /// A verdict, with the line of the story behind each of its signals.
    pub(crate) fn show(&self, verdict: &Verdict) -> String {
        let body = &verdict.event;
        let model = body.model.as_ref().map_or("nobody", |model| model.model());
        let mut shown = format!("  {model}: score {}, confidence {}", body.score, body.confidence);
        for signal in &body.signals {
            let place = self.events.iter().position(|event| event.event.id == signal.event).unwrap();
            let _ = write!(shown, "\n    {} by `{}`", name(signal.kind), self.lines[place]);
        }
        if 0 < body.signals_omitted {
            let _ = write!(shown, "\n    and {} more", body.signals_omitted);
        }
        shown
    }
}

fn name(kind: SignalKind) -> String {
    serde_json::to_string(&kind).unwrap().trim_matches('"').replace('_', " ")
}

/// The verdicts of a story, each after the line that made it due.
pub(crate) fn told(story: &str) -> String {
    Log::default().tell(story)
}

/// The last verdict on a turn: its score, its confidence and its kinds of signals.
pub(crate) fn last(story: &str, turn: &str) -> (u64, u64, Vec<String>) {
    let mut log = Log::default();
    let _ = log.tell(story);
    let verdicts = log.view.state().verdicts(turn_id(turn), &Rubric::built_in());
    let verdict = verdicts.last().unwrap();
    let kinds = verdict.signals.iter().map(|signal| name(signal.kind)).collect();
    (verdict.score.0, verdict.confidence.0, kinds)
}
