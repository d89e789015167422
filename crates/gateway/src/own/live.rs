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
use crate::{body::ResponseBody, gateway::Gateway, view::Board};

/// The interval of keep-alive comments on an idle stream.
const PING_INTERVAL: Duration = Duration::from_secs(15);
/// The pause between two updates, so that a burst of events becomes one update.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);
/// The queue length for a slow client. While the queue is full, the stream waits.
const MAX_QUEUED_CHUNKS: usize = 64;

/// Starts a stream of server-sent events for the page: `turn` for each changed turn, `status` when the status changes, and
/// `skills` when skill decisions were added or changed, once a page has shown them. It ends when the gateway shuts down.
pub(super) fn live(gateway: &Arc<Gateway>) -> Response<ResponseBody> {
    let (chunks, receiver) = mpsc::channel(MAX_QUEUED_CHUNKS);
    let gateway = Arc::clone(gateway);
    tokio::spawn(async move {
        tokio::select! {
            () = send_updates(Arc::clone(&gateway), chunks) => {}
            () = gateway.shutdown_begun() => {}
        }
    });
    let mut response = Response::new(ResponseBody::Generated(receiver));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Sends changed turns and the status to the page until the client disconnects or the bus ends. The first update has
/// the status and no turns.
async fn send_updates(gateway: Arc<Gateway>, chunks: mpsc::Sender<Bytes>) {
    let mut last_head = None;
    let mut last_status = String::new();
    let mut last_skills = None;
    loop {
        let since = last_head;
        let changes = gateway.with_board(move |board: &Board, head| {
            let rows = since.map(|since| board.changed_after(since)).unwrap_or_default();
            (rows.iter().map(|row| row.json()).collect::<Vec<Value>>(), head)
        });
        let Ok((rows, head)) = changes.await else { return };
        last_head = Some(head);
        let mut chunk = String::new();
        for row in rows {
            let _ = write!(chunk, "event: turn\ndata: {row}\n\n");
        }
        // The log position changes with every event, so it is ignored when the status is compared.
        if let Ok(mut status) = status::status(&gateway).await {
            let position = status["position"].take();
            let text = status.to_string();
            if text != last_status {
                last_status = text;
                status["position"] = position;
                let _ = write!(chunk, "event: status\ndata: {status}\n\n");
            }
        }
        let Ok(skills) = gateway.skill_reports().changes(gateway.bus()).await else { return };
        if let Some(changes) = skills.filter(|_| skills != last_skills) {
            let _ = write!(chunk, "event: skills\ndata: {{\"changes\":{changes}}}\n\n");
        }
        last_skills = skills;
        if !chunk.is_empty() && chunks.send(Bytes::from(chunk)).await.is_err() {
            return;
        }
        tokio::time::sleep(UPDATE_INTERVAL).await;
        tokio::select! {
            appended = gateway.bus().head_after(head) => if appended.is_err() { return },
            () = tokio::time::sleep(PING_INTERVAL) => {
                if chunks.send(Bytes::from_static(b": ping\n\n")).await.is_err() {
                    return;
                }
            }
            () = chunks.closed() => return,
        }
    }
}
