//! Arguments of `serve` and `token`.

use std::net::SocketAddr;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The address to listen on; port 0 takes any free port [default: `listen` in gateway.yaml, or 127.0.0.1:4141].
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// The number of threads that serve requests, besides the thread that decides; one serves about 10,000 requests a
    /// second.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) threads: usize,
    /// Refuse to start unless there is a token, so that every client needs one, also on this machine.
    #[arg(long)]
    pub(crate) require_token: bool,
    /// Print no line for each turn. Without it, a terminal shows one with model, reason, cost and duration.
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// The format of log lines on the standard error; `RUST_LOG` sets which are written.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// A line of text for each event.
    Text,
    /// A JSON object on a line for each event.
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProvidersCommand {
    /// List the providers with their keys and outages.
    List,
    /// End the outages of a provider and of its models, so that the next turn can call them.
    Retry {
        /// The name of the provider, as in `name:model`.
        name: String,
    },
}

/// The requests that an access token of the gateway permits.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum TokenScope {
    /// Requests to models.
    Use,
    /// Turns, costs, status and policy, without changing them: the page.
    Read,
    /// Everything: also changes of the policy, ratings and outages.
    Admin,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token for a client and print it. Once there is a token, every client needs one.
    Add {
        /// A name for the client: one word.
        name: String,
        /// What the token gives access to; `admin` includes the others.
        #[arg(long, value_name = "SCOPE", value_delimiter = ',', default_value = "use")]
        scope: Vec<TokenScope>,
        /// Revoke the token of this name, if there is one.
        #[arg(long)]
        replace: bool,
    },
    /// List the tokens with their scopes.
    List,
    /// Revoke a token. A running gateway accepts it until it is restarted.
    Remove {
        /// The name of the token.
        name: String,
    },
}
