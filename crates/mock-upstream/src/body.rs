//! HTTP bodies of responses: chunks with delays between them, which a requested failure may end early.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::Sleep;

use crate::{connection::ResetSwitch, record::EndRecorder};

/// A step of sending a response body. A body is a list of steps, which are taken in order.
#[derive(Debug)]
pub(crate) enum BodyStep {
    /// Send bytes.
    Data(Bytes),
    /// Wait before the next step.
    Wait(Duration),
    /// Close the connection before the end of the HTTP body.
    Cut {
        /// Whether to close it with a TCP reset.
        reset: bool,
    },
    /// End the HTTP body, before the API's stream is complete.
    End,
    /// Send no further bytes, and leave the connection open.
    Stall,
}

/// The error of a body that a requested failure cut off. It makes the server close the connection.
#[derive(Debug, thiserror::Error)]
#[error("the answer was cut off on demand")]
pub(crate) struct CutOff;

/// The body of a response of the mock, which records its end with an [`EndRecorder`].
#[derive(Debug)]
pub(crate) struct ResponseBody {
    /// The steps that remain.
    steps: std::vec::IntoIter<BodyStep>,
    /// The running delay of a [`BodyStep::Wait`]; `None` between delays.
    delay: Option<Pin<Box<Sleep>>>,
    /// The announced length in bytes of a body that is not streamed; `None` for a stream.
    length: Option<u64>,
    /// Records how the body ends.
    recorder: EndRecorder,
    /// Makes the connection end with a TCP reset, which a [`BodyStep::Cut`] may request.
    reset: ResetSwitch,
}

impl ResponseBody {
    /// Creates a response body of known length that is sent in one chunk.
    pub(crate) fn from_bytes(bytes: Bytes, recorder: EndRecorder) -> Self {
        let length = Some(bytes.len() as u64);
        Self {
            steps: vec![BodyStep::Data(bytes)].into_iter(),
            delay: None,
            length,
            recorder,
            reset: ResetSwitch::default(),
        }
    }

    /// Creates a body that takes these steps in order. `length` is the length in bytes that the response promises;
    /// `None` for a stream.
    pub(crate) fn from_steps(
        steps: Vec<BodyStep>,
        length: Option<u64>,
        recorder: EndRecorder,
        reset: ResetSwitch,
    ) -> Self {
        Self { steps: steps.into_iter(), delay: None, length, recorder, reset }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        loop {
            if let Some(delay) = self.delay.as_mut() {
                if delay.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                self.delay = None;
            }
            match self.steps.next() {
                Some(BodyStep::Data(bytes)) => {
                    if self.steps.as_slice().is_empty() {
                        // The body may not be polled again after the last chunk.
                        self.recorder.complete();
                    }
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
                Some(BodyStep::Wait(time)) => self.delay = Some(Box::pin(tokio::time::sleep(time))),
                Some(BodyStep::Cut { reset }) => {
                    self.recorder.cut();
                    if reset {
                        self.reset.request_reset();
                    }
                    return Poll::Ready(Some(Err(CutOff)));
                }
                Some(BodyStep::End) => {
                    self.recorder.cut();
                    return Poll::Ready(None);
                }
                Some(BodyStep::Stall) => {
                    self.steps = vec![BodyStep::Stall].into_iter();
                    // Only the disconnect of the client wakes the task.
                    return Poll::Pending;
                }
                None => {
                    self.recorder.complete();
                    return Poll::Ready(None);
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.delay.is_none() && self.steps.as_slice().is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
