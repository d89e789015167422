//! Test of the projection as a view that follows a growing log.

use std::sync::Arc;

use event_bus::{Appender, Bus, Expected, MemoryLog, SystemClock, View};
use slow_calls::{SlowCalls, SlowCount};

use crate::events::{call, model};

#[test]
fn view_of_the_projection_follows_the_bus() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let bus = Bus::start(Appender::new(Arc::new(MemoryLog::new()), SystemClock)).unwrap();
        bus.append(Expected::Any, vec![call(1, "openai:gpt-5", Some(7_000))]).await.unwrap();

        let slow: View<SlowCalls> = bus.project().await.unwrap();
        let appended = bus.append(Expected::Any, vec![call(2, "openai:gpt-5", Some(9_000))]).await.unwrap();
        slow.wait_for(appended.head).await.unwrap();

        let seen = slow.read(|slow, position| (slow.count(&model("openai:gpt-5")), position));
        assert_eq!(seen, (SlowCount { calls: 2, slowest_ms: 9_000 }, appended.head));
        bus.close().await.unwrap();
    });
}
