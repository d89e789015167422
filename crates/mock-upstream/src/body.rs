//! The body of an answer: parts with waits between them, and an end that may come too early.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::Sleep;

use crate::{connection::ResetWish, record::Watch};

/// What happens next in an answer.
#[derive(Debug)]
pub(crate) enum Part {
    Data(Bytes),
    Wait(Duration),
    /// The connection ends here, by a reset or in order.
    Cut {
        reset: bool,
    },
    /// HTTP's end, before the answer's.
    End,
    /// Nothing more ever comes.
    Stall,
}

/// The answer was cut off because a test asked for it.
#[derive(Debug, thiserror::Error)]
#[error("the answer was cut off on demand")]
pub(crate) struct CutOff;

/// The body of an answer.
#[derive(Debug)]
pub(crate) struct Answering {
    parts: std::vec::IntoIter<Part>,
    wait: Option<Pin<Box<Sleep>>>,
    /// Bytes of the body when it is a whole.
    length: Option<u64>,
    watch: Watch,
    reset: ResetWish,
}

impl Answering {
    /// One body of known length.
    pub(crate) fn whole(bytes: Bytes, watch: Watch) -> Self {
        let length = Some(bytes.len() as u64);
        Self { parts: vec![Part::Data(bytes)].into_iter(), wait: None, length, watch, reset: ResetWish::default() }
    }

    /// Parts one after the other.
    pub(crate) fn parts(parts: Vec<Part>, length: Option<u64>, watch: Watch, reset: ResetWish) -> Self {
        Self { parts: parts.into_iter(), wait: None, length, watch, reset }
    }
}

impl Body for Answering {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        loop {
            if let Some(wait) = self.wait.as_mut() {
                if wait.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                self.wait = None;
            }
            match self.parts.next() {
                Some(Part::Data(bytes)) => {
                    if self.parts.as_slice().is_empty() {
                        // Nobody may ask again when that was all.
                        self.watch.complete();
                    }
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
                Some(Part::Wait(time)) => self.wait = Some(Box::pin(tokio::time::sleep(time))),
                Some(Part::Cut { reset }) => {
                    self.watch.cut();
                    if reset {
                        self.reset.make();
                    }
                    return Poll::Ready(Some(Err(CutOff)));
                }
                Some(Part::End) => {
                    self.watch.cut();
                    return Poll::Ready(None);
                }
                Some(Part::Stall) => {
                    self.parts = vec![Part::Stall].into_iter();
                    // The connection wakes the task when the client goes away; nothing else will.
                    return Poll::Pending;
                }
                None => {
                    self.watch.complete();
                    return Poll::Ready(None);
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.wait.is_none() && self.parts.as_slice().is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
