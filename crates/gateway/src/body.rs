//! The bodies of answers: whole, relayed from a provider as they come, or live for as long as somebody looks.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::mpsc;

use crate::relay::Relay;

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum Answer {
    /// All there is.
    Whole(Option<Bytes>),
    /// From a provider, as it comes.
    Relayed(Box<Relay>),
    /// From the gateway itself, piece by piece.
    Live(mpsc::Receiver<Bytes>),
}

impl Answer {
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self::Whole(Some(bytes).filter(|bytes| !bytes.is_empty()))
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        match self.get_mut() {
            Self::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Relayed(relay) => relay.poll_piece(context).map(|piece| piece.map(|piece| piece.map(Frame::data))),
            Self::Live(pieces) => pieces.poll_recv(context).map(|piece| piece.map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Self::Relayed(_) | Self::Live(_) => SizeHint::default(),
        }
    }
}

/// The provider's answer broke off, and the client is to notice: the connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the provider's answer broke off")]
pub(crate) struct Broken;

impl From<Infallible> for Broken {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
