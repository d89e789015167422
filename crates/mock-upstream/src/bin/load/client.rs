//! One connection, which sends one request after the other.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{bodies::Request, figures::Figures, response::Response};

/// The state that all connections share: when to measure, when to stop, and the number of the next request.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) begin: Instant,
    pub(crate) end: Instant,
    pub(crate) next: AtomicU64,
    /// The number of the request at which to stop.
    pub(crate) most: u64,
}

/// Sends requests one after the other until the end of the run; errors are counted in the result.
pub(crate) async fn work(host: &str, request: &Request, shared: &Shared) -> Figures {
    let mut figures = Figures::default();
    let mut bytes = request.bytes.clone();
    while Instant::now() < shared.end {
        match TcpStream::connect(host).await {
            Ok(stream) => {
                // A request in two packets would wait for an acknowledgement; without the option it still arrives.
                let _ = stream.set_nodelay(true);
                match connected(stream, request, &mut bytes, shared, &mut figures).await {
                    Ok(()) => return figures,
                    Err(error) => figures.failed(&error),
                }
            }
            Err(error) => {
                figures.failed(&format!("cannot connect: {error}"));
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        }
    }
    figures
}

async fn connected(
    mut stream: TcpStream,
    request: &Request,
    bytes: &mut [u8],
    shared: &Shared,
    figures: &mut Figures,
) -> Result<(), String> {
    let mut response = Response::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut count = 0;
    loop {
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        if number >= shared.most || Instant::now() >= shared.end {
            return Ok(());
        }
        request.write_numbers(bytes, count, number);
        count += 1;
        response.again();
        let begun = Instant::now();
        stream.write_all(bytes).await.map_err(|error| format!("cannot send: {error}"))?;
        let mut first = None;
        while !response.is_done() {
            let count = stream.read(&mut buffer).await.map_err(|error| format!("cannot receive: {error}"))?;
            if count == 0 {
                return Err("the connection ended before the answer".to_owned());
            }
            response.take(buffer.get(..count).unwrap_or_default()).map_err(|error| error.to_string())?;
            if first.is_none() && response.length > 0 {
                first = Some(Instant::now());
            }
        }
        let ended = Instant::now();
        if begun < shared.begin || ended > shared.end {
            continue;
        }
        let whole = request.end.is_none_or(|end| memchr::memmem::find(&response.tail, end).is_some());
        if response.status == 200 && whole {
            figures.answered(begun, first.unwrap_or(ended), ended);
        } else {
            let tail = String::from_utf8_lossy(&response.tail);
            figures.failed(&format!("status {}, which ends with: {tail}", response.status));
        }
    }
}
