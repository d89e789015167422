//! Similarity of messages by embeddings.

use contracts::{
    Features, Score,
    events::TurnEmbedded,
    views::{Estimator, PatternQuery, PatternSettings},
};
use event_core::{Position, Projected};
use patterns::{Patterns, features::sketch, project_embedding};

use crate::fixtures::{Log, WORKSPACE, judged, turn};

/// The text hash of the English message; any number.
const LOGIN: u64 = 1;
/// The text hash of the German message; any other number.
const ANMELDUNG: u64 = 2;

/// Features of a message; `text` is set if an embedder is configured.
fn message(words: &str, extension: &str, text: Option<u64>) -> Features {
    Features { sketch: sketch(words), extensions: vec![extension.to_owned()], text, ..Features::default() }
}

/// Returns the features of a judged turn: a request in English.
fn login(text: Option<u64>) -> Features {
    message("users cannot sign in since yesterday", ".rs", text)
}

/// The same request in another language for other files, without a common word or extension.
fn anmeldung(text: Option<u64>) -> Features {
    message("Anmeldung schlägt seit gestern fehl", ".ts", text)
}

/// Returns the event that records the embedding of the message with the hash `text`.
fn embedded(name: &str, text: u64, embedder: &str, numbers: &[f32]) -> TurnEmbedded {
    TurnEmbedded { turn: turn(name), text, embedder: embedder.to_owned(), vector: project_embedding(numbers) }
}

/// Returns the similarity of the first neighbour of a turn; `None` if it has none.
fn similarity(patterns: &Patterns, features: &Features, estimator: Estimator) -> Option<Score> {
    let settings = PatternSettings::defaults_for(estimator);
    let query =
        PatternQuery { workspace: Some(WORKSPACE), features, settings: &settings, baseline: None, known: &|_| true };
    Some(patterns.explain(&query)?.models.first()?.neighbours.first()?.similarity)
}

/// A log with a judged turn about signing in.
fn log(text: Option<u64>) -> Log {
    let mut log = Log::default();
    log.turn("one", &login(text), "a:x", Some(5));
    log.append(&judged("one", 90, 90, 1));
    log
}

/// The embedding of the English message.
const CLOSE: [f32; 4] = [0.9, 0.1, -0.2, 0.05];
/// An embedding similar to [`CLOSE`].
const CLOSER: [f32; 4] = [0.88, 0.12, -0.19, 0.04];
/// An embedding in another direction.
const FAR: [f32; 4] = [-0.1, 0.9, 0.3, -0.8];

#[test]
fn messages_with_similar_embeddings_are_neighbours() {
    for estimator in [Estimator::Paper, Estimator::Calibrated] {
        let mut log = log(Some(LOGIN));
        let asked = anmeldung(Some(ANMELDUNG));
        let by_words = similarity(log.view.state(), &asked, estimator).unwrap_or_default();
        log.append(&embedded("one", LOGIN, "m/4", &CLOSE));
        log.append(&embedded("two", ANMELDUNG, "m/4", &CLOSER));
        let by_meaning = similarity(log.view.state(), &asked, estimator).unwrap_or_default();
        assert!(by_words < Score(300_000_000), "{estimator:?} {by_words}");
        assert!(Score(500_000_000) < by_meaning, "{estimator:?} {by_meaning}");
    }
}

#[test]
fn messages_with_different_embeddings_are_no_neighbours() {
    let mut log = log(Some(LOGIN));
    log.append(&embedded("one", LOGIN, "m/4", &CLOSE));
    log.append(&embedded("two", ANMELDUNG, "m/4", &FAR));
    let found = similarity(log.view.state(), &anmeldung(Some(ANMELDUNG)), Estimator::Paper);
    assert_eq!(found, None);
}

#[test]
fn embeddings_of_different_embedders_are_not_compared() {
    let mut log = log(Some(LOGIN));
    log.append(&embedded("one", LOGIN, "m/4", &CLOSE));
    log.append(&embedded("two", ANMELDUNG, "other/4", &CLOSE));
    assert_eq!(similarity(log.view.state(), &anmeldung(Some(ANMELDUNG)), Estimator::Paper), None);
    log.append(&embedded("one", LOGIN, "other/4", &CLOSER));
    assert!(similarity(log.view.state(), &anmeldung(Some(ANMELDUNG)), Estimator::Paper).is_some());
}

#[test]
fn a_turn_without_a_text_hash_is_embedded_by_its_turn_id() {
    let mut log = log(None);
    log.append(&embedded("two", ANMELDUNG, "m/4", &CLOSER));
    let asked = anmeldung(Some(ANMELDUNG));
    log.append(&embedded("unknown", LOGIN, "m/4", &CLOSE));
    assert_eq!(similarity(log.view.state(), &asked, Estimator::Paper), None, "of a turn that has no row");
    log.append(&embedded("one", LOGIN, "m/4", &CLOSE));
    assert!(similarity(log.view.state(), &asked, Estimator::Paper).is_some());
}

#[test]
fn embeddings_are_the_same_after_a_replay_and_from_a_checkpoint() {
    let mut log = log(Some(LOGIN));
    log.turn("old", &message("another thing", ".md", None), "a:x", Some(5));
    log.append(&embedded("old", 7, "m/4", &FAR));
    log.append(&embedded("one", LOGIN, "m/4", &CLOSE));
    let saved = log.view.checkpoint().unwrap();
    log.append(&embedded("two", ANMELDUNG, "m/4", &CLOSER));
    // Enough updates for a new estimate of the space.
    for name in 0..20 {
        log.turn(&format!("n{name}"), &message(&format!("number {name}"), ".md", Some(100 + name)), "a:y", Some(5));
        log.append(&embedded(&format!("n{name}"), 100 + name, "m/4", &FAR));
    }
    let resumed = |mut view: Projected<Patterns>| {
        let from = view.position();
        for event in log.events.iter().filter(|event| from < event.position) {
            view.advance(event).unwrap();
        }
        view
    };
    let (anew, resumed) =
        (resumed(Projected::default()), resumed(Projected::resume(Some(&saved), log.view.position())));
    assert_ne!(saved.position, Position::ORIGIN);
    assert!(anew.state() == log.view.state() && resumed.state() == log.view.state());
    assert!(similarity(resumed.state(), &anmeldung(Some(ANMELDUNG)), Estimator::Calibrated).is_some());
}
