//! One connection of a load test, which sends its requests one after the other.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{bodies::Request, measurements::Measurements, response::Response};

/// The period of the measurement and the request counter, which all connections share.
#[derive(Debug)]
pub(crate) struct LoadState {
    /// The end of the warm-up; earlier requests are not measured.
    pub(crate) measure_from: Instant,
    /// The end of the measurement.
    pub(crate) stop_at: Instant,
    /// The number of the next request.
    pub(crate) next_number: AtomicU64,
    /// The number at which no further request is sent.
    pub(crate) end_number: u64,
}

/// Sends requests one after the other until the end of the measurement, and returns their latencies and errors. After
/// an error it opens a new connection, after a failed connect it waits 20 ms.
pub(crate) async fn run_connection(host: &str, request: &Request, state: &LoadState) -> Measurements {
    let mut measurements = Measurements::default();
    let mut bytes = request.bytes.clone();
    while Instant::now() < state.stop_at {
        match TcpStream::connect(host).await {
            Ok(stream) => {
                // A request in two packets would wait for an acknowledgement; without the option it still arrives.
                let _ = stream.set_nodelay(true);
                match send_requests(stream, request, &mut bytes, state, &mut measurements).await {
                    Ok(()) => return measurements,
                    Err(error) => measurements.add_error(&error),
                }
            }
            Err(error) => {
                measurements.add_error(&format!("cannot connect: {error}"));
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        }
    }
    measurements
}

/// Sends requests on one connection until the measurement ends or no request is left, and adds their latencies to
/// `measurements`. `bytes` is a copy of the request, in which the numbers are replaced. A response that is incomplete
/// or has a status other than 200 is counted as an error.
///
/// # Errors
/// A message if the connection fails or a response cannot be parsed.
async fn send_requests(
    mut stream: TcpStream,
    request: &Request,
    bytes: &mut [u8],
    state: &LoadState,
    measurements: &mut Measurements,
) -> Result<(), String> {
    let mut response = Response::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut request_index = 0;
    loop {
        let number = state.next_number.fetch_add(1, Ordering::Relaxed);
        if number >= state.end_number || Instant::now() >= state.stop_at {
            return Ok(());
        }
        request.write_numbers(bytes, request_index, number);
        request_index += 1;
        response.reset();
        let sent_at = Instant::now();
        stream.write_all(bytes).await.map_err(|error| format!("cannot send: {error}"))?;
        let mut first_byte_at = None;
        while !response.is_done() {
            let received_bytes = stream.read(&mut buffer).await.map_err(|error| format!("cannot receive: {error}"))?;
            if received_bytes == 0 {
                return Err("the connection ended before the answer".to_owned());
            }
            response.feed(buffer.get(..received_bytes).unwrap_or_default()).map_err(|error| error.to_string())?;
            if first_byte_at.is_none() && response.length > 0 {
                first_byte_at = Some(Instant::now());
            }
        }
        let ended_at = Instant::now();
        if sent_at < state.measure_from || ended_at > state.stop_at {
            continue;
        }
        let is_complete = request.stream_end.is_none_or(|end| memchr::memmem::find(&response.tail, end).is_some());
        if response.status == 200 && is_complete {
            measurements.add_response(sent_at, first_byte_at.unwrap_or(ended_at), ended_at);
        } else {
            let tail = String::from_utf8_lossy(&response.tail);
            measurements.add_error(&format!("status {}, which ends with: {tail}", response.status));
        }
    }
}
