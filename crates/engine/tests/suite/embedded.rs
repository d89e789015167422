//! Embedding messages with the user's embedder: afterwards, in batches, and without delaying a turn.

use std::{sync::Arc, time::Duration};

use adapters::{
    HttpClient, RetryBudget,
    embedder::{OpenAiEmbedder, Timeouts},
    http_client,
};
use async_trait::async_trait;
use contracts::{
    Features, Score,
    events::{Rating, RouteDecided, TurnEmbedded, TurnStarted, TurnTextRecorded},
    views::{Estimator, PatternQuery, PatternSettings},
};
use engine::{EmbeddingReactor, EmbeddingRun, EmbeddingSummary, Engine, EngineError, TurnInput};
use event_bus::{Bus, Reactor, RetryAfter};
use event_core::{EventType as _, NewEvent, Position, Recorded, encode_state};

use crate::{
    stand_in::{Asked, Reply, StandIn},
    support::{
        Desk,
        again::{Words, repeat_decision},
        desk::session,
    },
};

const NO_EMBEDDER: &str = "global_default: haiku\n";

/// Returns a policy that names the stand-in, a test server, as the endpoint for embeddings.
fn policy(stand_in: &StandIn) -> String {
    format!("{NO_EMBEDDER}embedding: {{url: \"{}\", model: m}}\n", stand_in.url)
}

/// Returns an embedding: one direction for texts about signing in, another for all others.
fn meaning(text: &str) -> Vec<f32> {
    let length = f32::from(u16::try_from(text.len()).unwrap()) / 10_000.0;
    if text.contains("sign in") || text.contains("Anmeldung") {
        vec![0.9, 0.1, 0.0, length]
    } else {
        vec![0.0, -0.2, 0.9, length]
    }
}

fn meanings(asked: &Asked) -> Reply {
    Reply::directions(&asked.texts().iter().map(|text| meaning(text)).collect::<Vec<_>>())
}

fn stand_in() -> StandIn {
    StandIn::answering(|asked, _| meanings(asked))
}

fn client() -> HttpClient {
    http_client(Duration::from_secs(5), 4, |_| ()).unwrap()
}

/// Returns limits of requests with short pauses between retries, for quick tests.
fn quick() -> Timeouts {
    let retry = RetryBudget { backoff: Duration::from_millis(1), ..Timeouts::default().retry };
    Timeouts { retry, ..Timeouts::default() }
}

fn embed(desk: &mut Desk, stand_in: &StandIn) -> EmbeddingSummary {
    let embedder = OpenAiEmbedder::new(&stand_in.url, "m", None, client(), quick()).unwrap();
    run(desk, &embedder)
}

/// Embeds the messages of the log batch by batch, records the embeddings, and returns the counts.
fn run(desk: &mut Desk, embedder: &OpenAiEmbedder) -> EmbeddingSummary {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    desk.engine.commit().unwrap();
    let (log, texts) = (Arc::clone(desk.engine.log()), Arc::clone(desk.engine.texts()));
    let mut run = EmbeddingRun::new(log, texts, embedder).unwrap();
    while let Some(embeddings) = runtime.block_on(run.next_batch()).unwrap() {
        desk.engine.record_embeddings(embeddings).unwrap();
        desk.engine.commit().unwrap();
    }
    assert_eq!(run.done(), run.total());
    run.into_summary()
}

/// Returns the numbers of embedded, skipped and failed messages.
fn counts(embedded: &EmbeddingSummary) -> (u64, u64, u64) {
    (embedded.embedded, embedded.skipped, embedded.failed)
}

fn last_features(desk: &Desk) -> Features {
    desk.all::<TurnStarted>().pop().unwrap().features
}

#[test]
fn every_message_is_embedded_once_and_every_turn_is_told() {
    let stand_in = stand_in();
    let mut desk = Desk::with(NO_EMBEDDER);
    desk.turn("one", "users cannot sign in");
    desk.turn("two", "users cannot sign in");
    assert_eq!(last_features(&desk).text, None);
    desk.edit_policy(&policy(&stand_in));
    for (name, message) in [("one", "users cannot sign in"), ("one", "write a poem"), ("two", "write a poem")] {
        desk.turn(name, message);
        assert!(last_features(&desk).text.is_some());
    }
    let embedded = embed(&mut desk, &stand_in);
    assert_eq!((counts(&embedded), embedded.embedder.as_deref()), ((2, 0, 0), Some("m/4")));
    assert_eq!(stand_in.asked().len(), 1);
    assert_eq!(stand_in.asked()[0].texts(), ["users cannot sign in", "write a poem"]);
    // Two turns without a key, and one turn for each key.
    let events = desk.all::<TurnEmbedded>();
    assert_eq!(events.len(), 4);
    assert!(events.iter().all(|event| event.vector == patterns::project_embedding(&meaning("users cannot sign in"))
        || event.text == last_features(&desk).text.unwrap()));
    assert_eq!(counts(&embed(&mut desk, &stand_in)), (0, 0, 0));
    assert_eq!(stand_in.asked().len(), 1, "nobody is asked when nothing is new");
    desk.turn("two", "write a sonnet");
    assert_eq!(counts(&embed(&mut desk, &stand_in)), (1, 0, 0));
}

#[test]
fn a_message_is_found_by_the_start_of_its_hash() {
    let stand_in = stand_in();
    let mut desk = Desk::with(&policy(&stand_in));
    desk.turn("one", "write a poem");
    let hash = blake3::hash(b"write a poem");
    let start: [u8; 8] = hash.as_bytes()[..8].try_into().unwrap();
    assert_eq!(last_features(&desk).text, Some(u64::from_le_bytes(start)));
}

#[test]
fn what_was_embedded_stays_when_the_rest_fails() {
    let stand_in = StandIn::answering(|asked, number| match number {
        1..=3 => Reply::Status(500, "", ""),
        _ => meanings(asked),
    });
    let mut desk = Desk::with(&policy(&stand_in));
    for number in 0..70 {
        desk.turn("one", &format!("message {number}"));
    }
    let embedded = embed(&mut desk, &stand_in);
    assert_eq!(counts(&embedded), (64, 0, 6));
    assert!(embedded.failure.unwrap().to_string().contains("answered 500 at the last of 3 tries"));
    let mut desk = desk.restarted();
    assert_eq!(desk.all::<TurnEmbedded>().len(), 64);
    assert_eq!(counts(&embed(&mut desk, &stand_in)), (6, 0, 0));
}

#[test]
fn a_message_the_endpoint_will_not_take_does_not_stop_the_others() {
    let stand_in = StandIn::answering(|asked, _| {
        if asked.texts().iter().any(|text| text == "too long") {
            return Reply::Status(400, "", "input too long");
        }
        meanings(asked)
    });
    let mut desk = Desk::with(&policy(&stand_in));
    for message in ["a", "too long", "b"] {
        desk.turn("one", message);
    }
    let embedded = embed(&mut desk, &stand_in);
    assert_eq!(counts(&embedded), (2, 0, 1));
    assert!(embedded.failure.unwrap().to_string().contains("answered 400"));
}

#[test]
fn an_endpoint_that_takes_no_key_is_asked_once() {
    let stand_in = StandIn::answering(|_, _| Reply::Status(401, "", ""));
    let mut desk = Desk::with(&policy(&stand_in));
    for number in 0..130 {
        desk.turn("one", &format!("message {number}"));
    }
    assert_eq!(counts(&embed(&mut desk, &stand_in)), (0, 0, 130));
    assert_eq!(stand_in.asked().len(), 1);
}

#[test]
fn texts_beside_the_log_are_read_and_missing_or_empty_ones_are_skipped() {
    let stand_in = stand_in();
    let mut desk = Desk::with(&policy(&stand_in));
    let long = |word: &str| word.repeat(2_000);
    desk.turn("one", &long("sign in "));
    desk.turn("one", &long("poem "));
    desk.turn("one", " \n");
    desk.texts.remove(*blake3::hash(long("poem ").as_bytes()).as_bytes()).unwrap();
    assert_eq!(counts(&embed(&mut desk, &stand_in)), (1, 2, 0));
    assert!(stand_in.asked()[0].texts()[0].starts_with("sign in sign in"));
}

#[test]
fn no_turn_waits_for_an_embedder() {
    let stand_in = StandIn::answering(|_, _| Reply::Silence);
    let mut desk = Desk::with(&policy(&stand_in));
    for number in 0..5 {
        assert!(desk.turn("one", &format!("message {number}")).is_some());
    }
    assert_eq!(stand_in.asked().len(), 0, "a turn is decided without asking anyone");
    let timeouts = Timeouts { whole: Duration::from_millis(50), ..Timeouts::default() };
    let embedder = OpenAiEmbedder::new(&stand_in.url, "m", None, client(), timeouts).unwrap();
    assert_eq!(counts(&run(&mut desk, &embedder)), (0, 0, 5));
    assert!(desk.turn("one", "and after that").is_some());
}

/// A second reactor, which records an event for each text of a message.
struct Witness;

#[async_trait]
impl Reactor for Witness {
    fn name(&self) -> &'static str {
        "test.witness"
    }

    async fn react(&mut self, events: &[Recorded]) -> Result<Vec<NewEvent>, RetryAfter> {
        let texts = events.iter().filter(|event| event.event.kind == TurnTextRecorded::KIND);
        let witnessed = |event: &Recorded| NewEvent {
            id: event.event.id.then("test.witnessed", 0),
            kind: "test.witnessed".into(),
            ..event.event.clone().caused_by(event.event.id)
        };
        Ok(texts.map(witnessed).collect())
    }
}

/// Starts a turn on a bus and waits until it is durable.
async fn start(bus: &Bus<Engine>, name: &'static str, message: &'static str) {
    let arrive = move |engine: &mut Engine| engine.arrive(TurnInput::new(session(name), "message", message)).map(drop);
    let (started, durable) = bus.command(arrive).await.unwrap();
    started.unwrap();
    durable.wait().await.unwrap();
}

/// Waits until a reactor has handled every event.
async fn wait_for_reactor(bus: &Bus<Engine>, name: &str) {
    while bus.log().load_checkpoint(name).unwrap().unwrap().position != bus.head() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Returns all embeddings that the log of a bus contains.
fn embedded_on(bus: &Bus<Engine>) -> Vec<TurnEmbedded> {
    let events = bus.log().read_after(Position::ORIGIN, usize::MAX).unwrap();
    events.iter().filter_map(|event| event.read().unwrap()).collect()
}

#[test]
fn a_reactor_embeds_new_messages_until_the_policy_names_no_endpoint() {
    let stand_in = stand_in();
    let mut desk = Desk::with(&policy(&stand_in));
    desk.turn("one", "before the reactor");
    let policy_path = desk.home.path().join("routing.yaml");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let bus = Bus::start(desk.engine).unwrap();
        bus.run(Box::new(EmbeddingReactor::new(bus.clone(), client(), quick()))).await.unwrap();
        start(&bus, "two", "users cannot sign in").await;
        start(&bus, "three", "users cannot sign in").await;
        wait_for_reactor(&bus, "reactor.embedding").await;
        let (embedded, requests) = (embedded_on(&bus), stand_in.asked().len());
        assert_eq!(embedded.len(), 1, "one event for both turns, none for the turn before the reactor's first start");
        std::fs::write(&policy_path, NO_EMBEDDER).unwrap();
        start(&bus, "four", "a poem about rain").await;
        wait_for_reactor(&bus, "reactor.embedding").await;
        assert_eq!((embedded_on(&bus), stand_in.asked().len()), (embedded, requests));
        bus.close().await.unwrap();
    });
}

#[test]
fn a_reactor_repeats_a_failed_request_and_other_reactors_go_on_meanwhile() {
    // Each attempt consists of three requests.
    let stand_in = StandIn::answering(|asked, number| match number {
        0..=5 => Reply::Status(500, "", ""),
        _ => meanings(asked),
    });
    let desk = Desk::with(&policy(&stand_in));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let bus = Bus::start(desk.engine).unwrap();
        let reactor = EmbeddingReactor::new(bus.clone(), client(), quick()).with_retry_delay(Duration::from_secs(2));
        bus.run(Box::new(reactor)).await.unwrap();
        bus.run(Box::new(Witness)).await.unwrap();
        start(&bus, "one", "users cannot sign in").await;
        wait_for_reactor(&bus, "reactor.test.witness").await;
        let kinds = bus.log().read_after(Position::ORIGIN, usize::MAX).unwrap();
        assert!(kinds.iter().any(|event| event.event.kind == "test.witnessed"));
        assert_eq!(embedded_on(&bus), [], "the endpoint has not answered yet");
        wait_for_reactor(&bus, "reactor.embedding").await;
        assert_eq!((embedded_on(&bus).len(), stand_in.asked().len()), (1, 7));
        bus.close().await.unwrap();
    });
}

#[test]
fn a_message_that_a_reactor_and_a_command_embed_is_recorded_once() {
    let stand_in = stand_in();
    let desk = Desk::with(&policy(&stand_in));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let bus = Bus::start(desk.engine).unwrap();
        bus.run(Box::new(EmbeddingReactor::new(bus.clone(), client(), quick()))).await.unwrap();
        start(&bus, "one", "users cannot sign in").await;
        // Before the reactor has gathered its messages.
        let embedder = OpenAiEmbedder::new(&stand_in.url, "m", None, client(), quick()).unwrap();
        let texts = bus.query(|engine| Arc::clone(engine.texts())).await.unwrap();
        let mut run = EmbeddingRun::new(Arc::clone(bus.log()), texts, &embedder).unwrap();
        let embeddings = run.next_batch().await.unwrap().unwrap();
        assert_eq!(embeddings.len(), 1);
        let recorded = bus.command(move |engine| engine.record_embeddings(embeddings)).await.unwrap();
        recorded.0.unwrap();
        recorded.1.wait().await.unwrap();
        wait_for_reactor(&bus, "reactor.embedding").await;
        assert_eq!((embedded_on(&bus).len(), stand_in.asked().len()), (1, 2));
        bus.close().await.unwrap();
    });
}

#[test]
fn where_words_are_forgotten_nothing_is_embedded() {
    let stand_in = stand_in();
    let mut desk = Desk::with(NO_EMBEDDER);
    desk.turn("one", "from before");
    desk.edit_policy(&format!("{}privacy: {{record_text: never}}\n", policy(&stand_in)));
    desk.turn("one", "a secret");
    assert_eq!(last_features(&desk).text, None);
    let refused = desk.engine.record_embeddings(Vec::new()).unwrap_err();
    assert!(matches!(refused, EngineError::TextForbidden), "{refused}");
    assert_eq!(desk.all::<TurnEmbedded>(), []);
}

/// Returns a desk with embedded turns, the first of which has a verdict, in the order of the log.
fn learned(stand_in: &StandIn, before: &str) -> Desk {
    let mut desk = Desk::with(before);
    for (name, message) in [("one", "users cannot sign in since yesterday"), ("two", "write a poem about rain")] {
        let made = desk.start(name, message);
        desk.answer(name, contracts::events::StopReason::EndTurn);
        desk.end(name);
        desk.engine.give_feedback(made.turn, Rating::Up).unwrap();
    }
    desk.edit_policy(&policy(stand_in));
    desk.turn("three", "Anmeldung klappt nicht mehr");
    embed(&mut desk, stand_in);
    desk
}

#[test]
fn a_message_in_other_words_finds_the_turn_that_means_the_same() {
    let stand_in = stand_in();
    for before in [NO_EMBEDDER.to_owned(), policy(&stand_in)] {
        let mut desk = learned(&stand_in, &before);
        let first = desk.all::<TurnStarted>()[0].turn;
        desk.start("four", "Anmeldung klappt nicht mehr");
        let features = last_features(&desk);
        for estimator in [Estimator::Paper, Estimator::Calibrated] {
            let settings =
                PatternSettings { min_similarity: Score(300_000_000), ..PatternSettings::defaults_for(estimator) };
            let asking = PatternQuery {
                workspace: None,
                features: &features,
                settings: &settings,
                baseline: None,
                known: &|_| true,
            };
            let found = desk.engine.state().patterns.explain(&asking).unwrap();
            let nearest = found.models.iter().flat_map(|model| &model.neighbours).map(|near| near.turn).next();
            assert_eq!(nearest, Some(first), "{estimator:?}");
        }
    }
}

#[test]
fn decisions_with_embeddings_are_made_again_with_the_same_bytes_also_when_the_text_is_gone() {
    let stand_in = stand_in();
    let mut desk = learned(&stand_in, &policy(&stand_in));
    for message in ["Anmeldung klappt nicht mehr", "users cannot sign in since yesterday", "something new"] {
        desk.turn("four", message);
    }
    let decided = desk.all::<RouteDecided>();
    assert_eq!(decided.len(), 6);
    for event in &decided {
        for words in [Words::Kept, Words::Purged] {
            let again = repeat_decision(desk.log.as_ref(), desk.texts.as_ref(), event, words).decision;
            let bytes = |decision: &contracts::Decision| encode_state("decision", decision).unwrap();
            assert_eq!(bytes(&again), bytes(&event.decision), "{words:?}");
        }
    }
    assert_ne!(desk.head(), Position::ORIGIN);
}
