//! Tests of the properties of channels that the bus relies on. The real types and the replacements for model checkers
//! must pass them.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use super::{oneshot, queue, watch};

/// Runs a concurrency test: under loom or shuttle, which try many orders of its threads' steps, if one is enabled;
/// otherwise once.
fn check(test: fn()) {
    #[cfg(feature = "model-loom")]
    loom::model(test);
    #[cfg(all(feature = "model-shuttle", not(feature = "model-loom")))]
    shuttle::check_random(test, 1);
    #[cfg(not(any(feature = "model-loom", feature = "model-shuttle")))]
    test();
}

/// Polls a future once, with a waker that does nothing.
fn poll<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// If the queue kept them, a caller that waits for the reply to a queued command would wait forever.
#[test]
fn a_queue_without_a_receiver_drops_its_messages_and_accepts_no_more() {
    check(|| {
        let (sender, receiver) = queue::unbounded();
        let message = Arc::new(());
        sender.send(Arc::clone(&message)).unwrap();
        drop(receiver);
        assert_eq!(Arc::strong_count(&message), 1, "a caller that waits for a reply would wait forever");
        assert!(sender.send(message).is_err());
    });
}

#[test]
fn a_queue_without_senders_delivers_its_messages_first() {
    check(|| {
        let (sender, receiver) = queue::unbounded();
        assert!(receiver.try_recv().is_err());
        let another = sender.clone();
        sender.send(1).unwrap();
        another.send(2).unwrap();
        drop((sender, another));
        assert_eq!((receiver.recv().unwrap(), receiver.try_recv().unwrap()), (1, 2));
        assert!(receiver.recv().is_err());
    });
}

#[test]
fn a_receive_with_a_timeout_returns_a_message_or_times_out_or_finds_no_senders() {
    check(|| {
        let (sender, receiver) = queue::unbounded();
        let receive = || receiver.recv_timeout(Duration::ZERO);
        assert!(matches!(receive(), Err(queue::RecvTimeoutError::Timeout)));
        sender.send(1).unwrap();
        assert!(matches!(receive(), Ok(1)));
        drop(sender);
        assert!(matches!(receive(), Err(queue::RecvTimeoutError::Disconnected)));
    });
}

#[test]
fn a_value_sent_once_arrives_unless_the_receiver_is_gone() {
    check(|| {
        let (sender, mut receiver) = oneshot::channel();
        assert!(poll(&mut receiver).is_pending());
        assert_eq!(sender.send(1), Ok(()));
        assert!(matches!(poll(&mut receiver), Poll::Ready(Ok(1))));
        let (sender, receiver) = oneshot::channel();
        drop(receiver);
        assert_eq!(sender.send(1), Err(1));
        let (sender, receiver) = oneshot::channel::<u8>();
        drop(sender);
        assert!(matches!(poll(receiver), Poll::Ready(Err(_))));
    });
}

#[test]
fn a_watched_value_is_seen_once_even_if_its_sender_is_gone() {
    check(|| {
        let (sender, mut receiver) = watch::channel(0);
        assert!(poll(receiver.changed()).is_pending());
        assert!(!sender.send_if_modified(|_| false));
        assert!(poll(receiver.changed()).is_pending(), "nothing was modified");
        sender.send_modify(|value| *value = 1);
        let mut later = receiver.clone();
        assert!(matches!(poll(receiver.changed()), Poll::Ready(Ok(()))));
        assert_eq!(*receiver.borrow(), 1);
        assert_eq!(*sender.borrow(), 1);
        drop(sender);
        assert!(matches!(poll(receiver.changed()), Poll::Ready(Err(_))));
        assert!(matches!(poll(later.changed()), Poll::Ready(Ok(()))), "a clone has not seen it yet");
        assert_eq!(*later.borrow_and_update(), 1);
        assert!(matches!(poll(later.wait_for(|value| *value == 1)), Poll::Ready(Ok(_))), "the current value matches");
        assert!(matches!(poll(later.wait_for(|value| *value == 2)), Poll::Ready(Err(_))));
    });
}

#[test]
fn a_watched_value_is_closed_when_its_last_receiver_is_gone() {
    check(|| {
        let (sender, receiver) = watch::channel(0);
        let another = receiver.clone();
        drop(receiver);
        assert!(poll(sender.closed()).is_pending());
        drop(another);
        assert!(poll(sender.closed()).is_ready());
    });
}
