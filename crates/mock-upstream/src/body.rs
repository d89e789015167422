//! The body of a response: chunks with delays between them, and possibly an early end.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::Sleep;

use crate::{connection::ResetSwitch, record::EndRecorder};

/// One step of sending a response body.
#[derive(Debug)]
pub(crate) enum Part {
    Data(Bytes),
    Wait(Duration),
    /// The connection ends, with a reset or in order.
    Cut {
        reset: bool,
    },
    /// The end of the HTTP body, before the end of the API's stream.
    End,
    /// The connection stays open without further bytes.
    Stall,
}

/// The error of a response that a requested failure cut off.
#[derive(Debug, thiserror::Error)]
#[error("the answer was cut off on demand")]
pub(crate) struct CutOff;

/// The body of a response.
#[derive(Debug)]
pub(crate) struct ResponseBody {
    parts: std::vec::IntoIter<Part>,
    wait: Option<Pin<Box<Sleep>>>,
    /// The length of a body that is not streamed.
    length: Option<u64>,
    watch: EndRecorder,
    reset: ResetSwitch,
}

impl ResponseBody {
    /// Creates a body of known length.
    pub(crate) fn whole(bytes: Bytes, watch: EndRecorder) -> Self {
        let length = Some(bytes.len() as u64);
        Self { parts: vec![Part::Data(bytes)].into_iter(), wait: None, length, watch, reset: ResetSwitch::default() }
    }

    /// Creates a body of steps in order.
    pub(crate) fn parts(parts: Vec<Part>, length: Option<u64>, watch: EndRecorder, reset: ResetSwitch) -> Self {
        Self { parts: parts.into_iter(), wait: None, length, watch, reset }
    }
}

impl Body for ResponseBody {
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
                        // The body may not be polled again after the last chunk.
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
                    // Only the disconnect of the client wakes the task.
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
