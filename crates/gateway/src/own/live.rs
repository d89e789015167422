//! The live stream of the page: server-sent events for changed turns and for the status.

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

/// The interval of keep-alive comments on an idle stream.
const PING: Duration = Duration::from_secs(15);
/// The pause between two updates, so that a burst of events becomes one update.
const REST: Duration = Duration::from_millis(100);
/// The queue length for a slow client. While the queue is full, the stream waits.
const WAITING: usize = 64;

/// Starts a stream of server-sent events: `turn` for each changed turn, `status` when the status changes. It ends when the
/// gateway shuts down.
pub(super) fn live(gateway: &Arc<Gateway>) -> Response<Answer> {
    let (pieces, coming) = mpsc::channel(WAITING);
    let gateway = Arc::clone(gateway);
    tokio::spawn(async move {
        tokio::select! {
            () = follow(Arc::clone(&gateway), pieces) => {}
            () = gateway.shutdown_begun() => {}
        }
    });
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
        // The log position changes with every event, so it is ignored when the status is compared.
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
