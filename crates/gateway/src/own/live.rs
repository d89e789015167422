//! Turns as they are decided: events for as long as somebody listens.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use hyper::{
    Response,
    body::Bytes,
    header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue},
};
use serde_json::Value;
use tokio::sync::mpsc;

use super::status;
use crate::{body::Answer, gateway::Gateway, view::Board};

/// How often an idle connection is told that it stands.
const PING: Duration = Duration::from_secs(15);
/// The least time between two looks at the log, so that a burst is one.
const REST: Duration = Duration::from_millis(100);
/// Pieces that wait for a slow reader; when there are more, it is cut off and comes again.
const WAITING: usize = 64;

/// Begins a stream of events.
pub(super) fn live(gateway: &Arc<Gateway>) -> Response<Answer> {
    let (pieces, coming) = mpsc::channel(WAITING);
    tokio::spawn(follow(Arc::clone(gateway), pieces));
    let mut response = Response::new(Answer::Live(coming));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn follow(gateway: Arc<Gateway>, pieces: mpsc::Sender<Bytes>) {
    let mut shown = None;
    let mut told = String::new();
    loop {
        let since = shown;
        let news = gateway.with_board(move |board: &Board, reached| {
            let rows = since.map(|since| board.changed_after(since)).unwrap_or_default();
            (rows.iter().map(|row| row.json()).collect::<Vec<Value>>(), reached)
        });
        let Ok((rows, reached)) = news.await else { return };
        shown = Some(reached);
        let mut piece = String::new();
        for row in rows {
            let _ = write!(piece, "event: turn\ndata: {row}\n\n");
        }
        // The place in the log moves with every event; it alone is no news.
        if let Ok(mut status) = status::status(&gateway).await {
            let position = status["position"].take();
            let text = status.to_string();
            if text != told {
                told = text;
                status["position"] = position;
                let _ = write!(piece, "event: status\ndata: {status}\n\n");
            }
        }
        if !piece.is_empty() && pieces.send(Bytes::from(piece)).await.is_err() {
            return;
        }
        tokio::time::sleep(REST).await;
        tokio::select! {
            grown = gateway.bus().head_after(reached) => if grown.is_err() { return },
            () = tokio::time::sleep(PING) => {
                if pieces.send(Bytes::from_static(b": ping\n\n")).await.is_err() {
                    return;
                }
            }
            () = pieces.closed() => return,
        }
    }
}
