//! A test fixture: a gateway process in a home folder.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use crate::desk::Desk;

/// A gateway process; killed when it is dropped.
pub(crate) struct RunningGateway {
    /// The process of the gateway.
    child: Child,
    /// Host and port of the gateway.
    pub(crate) address: String,
}

impl RunningGateway {
    /// Starts a gateway on a free port and waits until it listens.
    pub(crate) fn start(desk: &Desk) -> Self {
        Self::spawn(desk.command(&["--json", "serve", "--listen", "127.0.0.1:0"]).stderr(Stdio::null()))
    }

    /// Spawns a command of `serve` with `--json` and waits until the gateway listens.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let greeting: serde_json::Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?} {:?}", child.wait()));
        let address = greeting["listening"].as_str().unwrap().trim_start_matches("http://").to_owned();
        Self { child, address }
    }

    /// Sends a GET request and returns the status of the response.
    pub(crate) fn get(&self, path: &str) -> u16 {
        let response = self.response(path);
        response.split(' ').nth(1).unwrap_or_else(|| panic!("{response:?}")).parse().unwrap()
    }

    /// Sends a GET request and returns the JSON body of the response.
    pub(crate) fn json(&self, path: &str) -> serde_json::Value {
        let response = self.response(path);
        let (_, body) = response.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{response:?}"));
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {response:?}"))
    }

    /// Sends a GET request and returns the whole response, with its head.
    fn response(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.address).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    /// Sends a signal such as `-HUP`.
    pub(crate) fn send(&mut self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Sends a signal such as `-TERM` and waits for the end of the process. Returns the exit code; `None` if the signal
    /// ended the process.
    pub(crate) fn signal(&mut self, signal: &str) -> Option<i32> {
        self.send(signal);
        self.child.wait().unwrap().code()
    }

    /// Returns the standard error, which the command must have piped.
    pub(crate) fn take_stderr(&mut self) -> std::process::ChildStderr {
        self.child.stderr.take().unwrap()
    }
}

impl Drop for RunningGateway {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
