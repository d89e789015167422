//! A policy that becomes active while it is read: a reader sees either the old or the new one, never a mixture.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::Poll,
};

use event_bus::Expected;
use event_core::{Position, Projection, Recorded};
use serde::{Deserialize, Serialize};

use crate::{
    explore::{block_on, explore},
    support::new_event,
    watched_log,
};

/// A projection of the active policy: two values that change together, as hash and home do in the engine.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ActivePolicy {
    /// Position of the last event.
    policy: u64,
    /// The same position, in a second field.
    home: u64,
}

impl Projection for ActivePolicy {
    const NAME: &'static str = "test.in-force";
    const VERSION: u32 = 1;

    type Events = ();
    type Folded<'a> = ();

    fn apply(&mut self, (): (), event: &Recorded) {
        self.policy = event.position.0;
        self.home = event.position.0;
    }
}

/// While an append is in progress, a view has equal fields and never an earlier position than before. After `wait_for`
/// it has the appended event.
#[test]
fn a_reader_sees_a_policy_whole_and_its_own_swap_at_once() {
    explore("policy swap against reader", 2, || {
        let (_log, bus) = watched_log::start();
        block_on(async {
            let view = bus.project::<ActivePolicy>().await.unwrap();
            let look = || {
                view.read(|active, position| {
                    assert_eq!((active.policy, active.home), (position.0, position.0), "half a policy");
                    position
                })
            };
            let mut swap = pin!(bus.append(Expected::Any, vec![new_event(1)]));
            // The view is read while the append is in progress.
            assert!(poll_once(swap.as_mut()).await.is_none_or(|appended| appended.is_ok()));
            let before = look();
            let after = look();
            assert!(before <= after, "the earlier policy came back");
            view.wait_for(Position(1)).await.unwrap();
            assert_eq!(look(), Position(1));
            bus.close().await.unwrap();
        });
    });
}

/// Polls a future once and returns its output; `None` if it is pending.
async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Option<F::Output> {
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
