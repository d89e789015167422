//! The tracing span of a request: from its head to the end of its response.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use contracts::{ModelId, SessionId, TurnId};
use hyper::{
    Method,
    body::{Body, Bytes, Frame, SizeHint},
};
use tracing::{
    Span,
    field::{Empty, display},
};

use crate::body::{ResponseBody, TruncatedResponse};

/// Creates the tracing span of an HTTP request. `number` counts the requests of this process; `path` has no query,
/// which may contain a key. If the span is disabled, its fields are not evaluated.
pub(crate) fn request_span(number: impl FnOnce() -> u64, method: &Method, path: &str) -> Span {
    tracing::info_span!(
        "request",
        number = number(),
        %method,
        path = path.escape_default().take(100).collect::<String>(),
        session = Empty,
        turn = Empty,
        model = Empty,
        policy = Empty,
        fallbacks = Empty,
        status = Empty,
    )
}

/// Adds the session to the span of the running request.
pub(crate) fn record_session(session: &SessionId) {
    Span::current().record("session", display(session));
}

/// Adds the turn to the span of the running request.
pub(crate) fn record_turn(turn: TurnId) {
    Span::current().record("turn", display(turn));
}

/// Adds to the span of the current request: the model that responds, the slot that chose it, and the number of models
/// that failed before.
pub(crate) fn record_model(model: &ModelId, slot: &'static str, fallbacks: usize) {
    Span::current().record("model", display(model)).record("policy", slot).record("fallbacks", fallbacks);
}

/// The body of an HTTP response, which is sent within the tracing span of its request.
#[derive(Debug)]
pub(crate) struct SpannedBody {
    /// The body of the response.
    pub(crate) body: ResponseBody,
    /// The span of the request, entered whenever the body is polled.
    pub(crate) span: Span,
}

impl Body for SpannedBody {
    type Data = Bytes;
    type Error = TruncatedResponse;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TruncatedResponse>>> {
        let Self { body, span } = self.get_mut();
        let _entered = span.enter();
        Pin::new(body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
