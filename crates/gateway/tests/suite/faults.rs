//! Faults of turnwise itself: a decision that panics.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use contracts::events::{LogCommandPanicked, RouteDecided};
use event_bus::{Clock, SystemClock};
use event_core::Timestamp;

use crate::support::{Wish, World, message};

/// A clock that panics once after it is armed.
#[derive(Clone, Default)]
pub(crate) struct FaultyClock(pub(crate) Arc<AtomicBool>);

impl Clock for FaultyClock {
    fn now(&self) -> Timestamp {
        assert!(!self.0.swap(false, Ordering::Relaxed), "the clock is faulty");
        SystemClock.now()
    }
}

/// Attack: a request whose decision panics.
/// Holds: it gets status 500 and is not decided again; other requests are answered, and the log has the fault.
#[test]
fn a_panic_is_the_error_of_its_request_alone() {
    let clock = FaultyClock::default();
    let policy = "schema_version: 1\nglobal_default: sonnet\n";
    let world = World::wished(&Wish { policy, clock: Some(clock.clone()), ..Wish::default() });
    let post = |text: &str| world.post("/v1/messages", &[], &message("turnwise", text));
    assert_eq!(post("before").status, 200);
    // The regular check for the end of outages may reach the clock first.
    let poisonous = (0..20).map(|number| format!("poison {number}")).find(|text| {
        clock.0.store(true, Ordering::Relaxed);
        let answer = post(text);
        clock.0.store(false, Ordering::Relaxed);
        assert!(answer.status == 200 || answer.json()["error"]["type"] == "api_error", "{}", answer.body);
        answer.status == 500
    });
    let poisonous = poisonous.unwrap();
    let calls = world.mock.count();
    let again = post(&poisonous);
    assert_eq!((again.status.as_u16(), world.mock.count()), (500, calls), "{}", again.body);
    assert!(again.body.contains("not decided again"), "{}", again.body);
    let after = post("after");
    assert_eq!(after.status, 200, "{}", after.body);
    assert_eq!(after.header("x-turnwise-model"), "anthropic:claude-sonnet-5-5");
    assert_eq!(world.send(&hyper::Method::GET, "/health", &[], "").status, 200);
    assert!(!world.events::<LogCommandPanicked>().is_empty());
    assert!(world.events::<RouteDecided>().len() >= 2);
}
