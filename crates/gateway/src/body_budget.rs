//! [`BodyBudget`], the joint limit of the request bodies in memory, for all connections together.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes};
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

/// The time that a body waits for room before the slowest sender is refused.
const PATIENCE: Duration = Duration::from_secs(1);

/// The longest time that a body waits for room.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The interval between two attempts of a body that waits for room.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// The maximum size in bytes of the first buffer of a body. The length that a client announces is not trusted beyond
/// it.
const MAX_INITIAL_CAPACITY: usize = 1024 * 1024;

/// The joint limit of all request bodies in memory. A body is counted while it arrives, until its request has a
/// response. Bodies that do not fit wait; if they wait too long, the slowest sender is refused, and at last the waiting
/// body itself.
#[derive(Debug)]
pub(crate) struct BodyBudget {
    /// The limit in bytes.
    capacity: usize,
    /// The size of all request bodies in memory, and the bodies that are still arriving.
    state: Mutex<State>,
    /// Notified when a body leaves memory.
    freed: Notify,
}

/// The bodies in memory.
#[derive(Debug, Default)]
struct State {
    /// The number of bytes of all bodies.
    used: usize,
    /// The bodies that are still arriving, by the number of their reservation.
    senders: BTreeMap<u64, Sender>,
    /// The number of the next reservation.
    next: u64,
}

/// The sender of a request body that is arriving.
#[derive(Debug)]
struct Sender {
    /// The number of bytes that have arrived.
    received: usize,
    /// The time of the first byte.
    since: Instant,
    /// Notified when the sender is refused.
    refused: Arc<Notify>,
}

impl Sender {
    /// Returns the average number of bytes per second since the first byte.
    fn rate(&self) -> u128 {
        self.received as u128 * 1_000 / self.since.elapsed().as_millis().max(1)
    }
}

/// The error of reading a request body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyError {
    /// The body exceeds the limit of one body.
    #[error("the body is too large")]
    TooLarge,
    /// The limit of all bodies leaves no room for this one, or its sender is the slowest while others wait.
    #[error("the request bodies of all clients together exceed their limit")]
    NoRoom,
    /// The connection was closed before the end of the body.
    #[error("the connection closed before the end of the request")]
    Closed,
}

impl BodyBudget {
    /// Creates a limit of `capacity` bytes, without bodies.
    pub(crate) fn new(capacity: usize) -> Arc<Self> {
        Arc::new(Self { capacity, state: Mutex::default(), freed: Notify::new() })
    }

    /// Reads a request body of at most `max_bytes` into one buffer, without its trailers. Returns it with the
    /// reservation, which counts the body until it is dropped.
    ///
    /// # Errors
    /// [`BodyError`]; see its variants.
    pub(crate) async fn read_body<B: Body<Data = Bytes> + Unpin>(
        self: &Arc<Self>,
        mut body: B,
        max_bytes: usize,
    ) -> Result<(Bytes, Reservation), BodyError> {
        let mut reservation = self.reserve();
        let refused = Arc::clone(&reservation.refused);
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX).min(MAX_INITIAL_CAPACITY);
        let (mut first, mut buffer) = (Bytes::new(), Vec::new());
        loop {
            let frame = tokio::select! {
                frame = body.frame() => frame,
                () = refused.notified() => return Err(BodyError::NoRoom),
            };
            let Some(frame) = frame else { break };
            // Trailers are ignored.
            let Ok(chunk) = frame.map_err(|_| BodyError::Closed)?.into_data() else { continue };
            if max_bytes < first.len() + buffer.len() + chunk.len() {
                return Err(BodyError::TooLarge);
            }
            reservation.grow(chunk.len()).await?;
            if first.is_empty() && buffer.is_empty() {
                // Most bodies are a single chunk.
                first = chunk;
                continue;
            }
            // Copied as it arrives, so that the connection reuses its read buffer.
            if buffer.is_empty() {
                buffer.reserve(announced.max(first.len() + chunk.len()));
                buffer.extend_from_slice(&std::mem::take(&mut first));
            }
            buffer.extend_from_slice(&chunk);
        }
        reservation.complete();
        Ok((if buffer.is_empty() { first } else { buffer.into() }, reservation))
    }

    /// Adds a request body that begins to arrive, with no bytes yet.
    fn reserve(self: &Arc<Self>) -> Reservation {
        let refused = Arc::new(Notify::new());
        let sender = Sender { received: 0, since: Instant::now(), refused: Arc::clone(&refused) };
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.senders.insert(number, sender);
        Reservation { budget: Arc::clone(self), number, bytes: 0, refused }
    }

    /// Locks the state. It is consistent even after a panic, because every change is one statement.
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts `bytes` more bytes of the body with this number if there is room. Returns whether there was room.
    fn try_add(&self, number: u64, bytes: usize) -> bool {
        let mut state = self.lock();
        let has_room = state.used.checked_add(bytes).is_some_and(|used| used <= self.capacity);
        if has_room {
            state.used += bytes;
            if let Some(sender) = state.senders.get_mut(&number) {
                sender.received += bytes;
            }
        }
        has_room
    }

    /// Refuses the slowest sender, except the sender of the reservation `number`. Only senders that have sent for
    /// longer than [`PATIENCE`] and whose bytes are in memory are refused.
    fn refuse_slowest(&self, number: u64) {
        let mut state = self.lock();
        let others = state
            .senders
            .iter()
            .filter(|(other, sender)| **other != number && 0 < sender.received && PATIENCE <= sender.since.elapsed());
        let slowest = others.min_by_key(|(_, sender)| sender.rate()).map(|(other, _)| *other);
        if let Some(sender) = slowest.and_then(|slowest| state.senders.remove(&slowest)) {
            // Stored if the sender does not wait at this moment.
            sender.refused.notify_one();
        }
    }
}

/// The memory that a request body occupies, which is free again when this value is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    /// The budget that counts the body.
    budget: Arc<BodyBudget>,
    /// The number of the reservation.
    number: u64,
    /// The number of bytes that are counted for the body.
    bytes: usize,
    /// Notified when the sender is refused.
    refused: Arc<Notify>,
}

impl Reservation {
    /// Counts `bytes` more bytes of the body, and waits for room if necessary.
    ///
    /// # Errors
    /// [`BodyError::NoRoom`] if there is no room in time, or if the sender is refused in favour of others.
    pub(crate) async fn grow(&mut self, bytes: usize) -> Result<(), BodyError> {
        let began = Instant::now();
        loop {
            let freed = self.budget.freed.notified();
            if self.budget.try_add(self.number, bytes) {
                self.bytes += bytes;
                return Ok(());
            }
            if MAX_WAIT <= began.elapsed() {
                return Err(BodyError::NoRoom);
            }
            if PATIENCE <= began.elapsed() {
                self.budget.refuse_slowest(self.number);
            }
            let waiting = async {
                tokio::select! {
                    () = freed => false,
                    () = self.refused.notified() => true,
                }
            };
            if timeout(CHECK_INTERVAL, waiting).await == Ok(true) {
                return Err(BodyError::NoRoom);
            }
        }
    }

    /// Marks the body as complete, so that its sender is not refused any more.
    fn complete(&self) {
        self.budget.lock().senders.remove(&self.number);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.budget.lock();
        state.used = state.used.saturating_sub(self.bytes);
        state.senders.remove(&self.number);
        drop(state);
        self.budget.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::VecDeque, convert::Infallible, pin::Pin, task::Context, task::Poll};

    use hyper::{HeaderMap, body::Frame};

    use super::*;

    /// A body of prepared frames, which stalls at its end if `stalls` is set.
    struct Frames {
        frames: VecDeque<Frame<Bytes>>,
        stalls: bool,
    }

    impl Body for Frames {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            match self.frames.pop_front() {
                None if self.stalls => Poll::Pending,
                frame => Poll::Ready(frame.map(Ok)),
            }
        }
    }

    /// A body of chunks of these lengths.
    fn body(lengths: &[usize], stalls: bool) -> Frames {
        Frames { frames: lengths.iter().map(|length| Frame::data(Bytes::from(vec![b'a'; *length]))).collect(), stalls }
    }

    /// The collected body is the same for any division into chunks; empty chunks and trailers change nothing.
    #[tokio::test]
    async fn a_body_is_collected_however_it_is_divided() {
        let text = "a body in pieces";
        let budget = BodyBudget::new(100);
        for size in 1..=text.len() {
            let pieces = text.as_bytes().chunks(size).map(Bytes::copy_from_slice).map(Frame::data);
            let trailers = std::iter::once(Frame::trailers(HeaderMap::new()));
            let empty = std::iter::once(Frame::data(Bytes::new()));
            let frames = empty.chain(pieces).chain(trailers).collect();
            let (read, _) = budget.read_body(Frames { frames, stalls: false }, 100).await.unwrap();
            assert_eq!(read, text, "in pieces of {size}");
        }
        assert_eq!(budget.lock().used, 0, "dropped reservations are free");
    }

    #[tokio::test]
    async fn a_body_beyond_its_own_limit_is_refused_without_waiting() {
        let budget = BodyBudget::new(100);
        let refused = budget.read_body(body(&[30, 30], false), 59).await.unwrap_err();
        assert_eq!((refused, budget.lock().used), (BodyError::TooLarge, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_waits_for_room_and_is_refused_if_none_becomes_free() {
        let budget = BodyBudget::new(100);
        let (_, held) = budget.read_body(body(&[80], false), 100).await.unwrap();
        let began = Instant::now();
        assert_eq!(budget.read_body(body(&[30], false), 100).await.unwrap_err(), BodyError::NoRoom);
        assert!(MAX_WAIT <= began.elapsed(), "{:?}", began.elapsed());
        let waiting = tokio::spawn({
            let budget = Arc::clone(&budget);
            async move { budget.read_body(body(&[30], false), 100).await.map(|(body, _)| body.len()) }
        });
        tokio::time::sleep(Duration::from_millis(500)).await;
        drop(held);
        assert_eq!(waiting.await.unwrap(), Ok(30));
    }

    #[tokio::test(start_paused = true)]
    async fn the_slowest_sender_gives_way_to_a_new_body() {
        let budget = BodyBudget::new(100);
        let stalled = |bytes| {
            let budget = Arc::clone(&budget);
            tokio::spawn(async move { budget.read_body(body(&[bytes], true), 100).await.map(|(body, _)| body.len()) })
        };
        let (fast, slow) = (stalled(60), stalled(30));
        tokio::time::sleep(Duration::from_secs(2)).await;
        let (read, reservation) = budget.read_body(body(&[20, 20], false), 100).await.unwrap();
        assert_eq!(read.len(), 40);
        assert_eq!(slow.await.unwrap(), Err(BodyError::NoRoom));
        assert!(!fast.is_finished());
        assert_eq!(budget.lock().used, 100);
        drop(reservation);
        assert_eq!(budget.lock().used, 60);
        fast.abort();
    }
}
