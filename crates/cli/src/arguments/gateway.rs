//! What can be typed about the gateway.

use std::net::SocketAddr;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Where to listen, instead of what gateway.yaml says or 127.0.0.1:4141; port 0 takes any free one.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// Threads that take requests, beside the one that decides; one passes on some ten thousand a second.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) threads: usize,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token for a client and print it once; from then on every client must bring one.
    Add {
        /// Whose it is, in a word of your own.
        name: String,
    },
}
