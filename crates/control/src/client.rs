//! [`Connection`], the client side of the control socket.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use serde_json::Value;

use crate::{
    error::ControlError,
    frame::{MAX_FRAME_BYTES, decode_response, encode_request},
    operation::ControlRequest,
    socket::path_in,
};

/// Time limit for sending a request, and for each read of its response. Operations take milliseconds, or seconds on a
/// busy disk.
const RESPONSE_TIMEOUT: Duration = Duration::from_mins(1);

/// A connection of a command to a running gateway, over which it sends its operations.
#[derive(Debug)]
pub struct Connection {
    /// The socket, with a buffer for reading responses.
    stream: BufReader<UnixStream>,
}

impl Connection {
    /// Connects to the gateway that has opened the log of a home folder. `None` if no gateway listens, also if one was
    /// killed and left its socket file, and if the path of the folder is too long for a socket.
    ///
    /// # Errors
    /// [`io::Error`] if a gateway listens and the connection fails, for example because the socket belongs to another
    /// user.
    pub fn open(home: &Path) -> io::Result<Option<Self>> {
        let stream = match UnixStream::connect(path_in(home)) {
            Ok(stream) => stream,
            Err(error) => {
                return match error.kind() {
                    // A path that is too long for a socket is an invalid input.
                    io::ErrorKind::NotFound
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::ConnectionRefused
                    | io::ErrorKind::InvalidInput => Ok(None),
                    _ => Err(error),
                };
            }
        };
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT))?;
        stream.set_write_timeout(Some(RESPONSE_TIMEOUT))?;
        Ok(Some(Self { stream: BufReader::new(stream) }))
    }

    /// Sends a request to the gateway and returns its response.
    ///
    /// # Errors
    /// The error of the operation, or of the connection. After the latter the request may have been executed.
    pub fn send(&mut self, request: &ControlRequest) -> Result<Value, ControlError> {
        let line = encode_request(request)?;
        let response = self.exchange(&line).map_err(|error| disconnected(&error))?;
        decode_response(&response)
    }

    /// Sends a request to the gateway as one line and reads the line of the response.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the gateway closes the connection first or the response exceeds
    /// [`MAX_FRAME_BYTES`]; [`io::Error`] if the socket fails or the time limit is exceeded.
    fn exchange(&mut self, request: &[u8]) -> io::Result<Vec<u8>> {
        self.stream.get_mut().write_all(request)?;
        let mut line = Vec::new();
        let mut limited_stream = (&mut self.stream).take(MAX_FRAME_BYTES as u64);
        limited_stream.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line)
    }
}

/// Converts a connection error to a message for the user: the gateway does not respond, or has stopped.
fn disconnected(error: &io::Error) -> ControlError {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => ControlError::failed(format!(
            "the running gateway has not responded for {} seconds; its output says what it does",
            RESPONSE_TIMEOUT.as_secs()
        )),
        _ => ControlError::failed(
            "the gateway closed the connection before it responded: it has stopped, or is stopping. Run the command again",
        ),
    }
}
