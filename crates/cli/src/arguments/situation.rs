//! Arguments of `route` that state what a rule can read.

use clap::Args;

/// Assumptions about the request and the state of the gateway. All other values are the present ones.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Situation")]
pub(crate) struct SituationArguments {
    /// The client, such as claude-code or codex: with its API and the features that its requests always use.
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Option<String>,
    /// The name of the model that the client requests.
    #[arg(long, value_name = "MODEL")]
    pub(crate) client_model: Option<String>,
    /// A sub-agent of the client asks.
    #[arg(long)]
    pub(crate) subagent: bool,
    /// An auxiliary call of the client: title, classifier, summary or other.
    #[arg(long, value_name = "KIND")]
    pub(crate) auxiliary: Option<String>,
    /// The request defines a tool that searches the web.
    #[arg(long)]
    pub(crate) web_search: bool,
    /// A feature that the request uses, such as `thinking_budget`; can be repeated.
    #[arg(long, value_name = "FEATURE")]
    pub(crate) requires: Vec<String>,
    /// The model that signed thinking of earlier turns.
    #[arg(long, value_name = "MODEL")]
    pub(crate) thinking: Option<String>,
    /// The dollars spent since midnight UTC.
    #[arg(long, value_name = "USD")]
    pub(crate) spent: Option<String>,
    /// The dollars spent since Monday.
    #[arg(long, value_name = "USD")]
    pub(crate) spent_week: Option<String>,
    /// The dollars spent since the first of the month.
    #[arg(long, value_name = "USD")]
    pub(crate) spent_month: Option<String>,
    /// The dollars spent in the project: on the day, in the week and in the month.
    #[arg(long, value_name = "USD")]
    pub(crate) spent_project: Option<String>,
    /// The dollars spent by the client: on the day, in the week and in the month.
    #[arg(long, value_name = "USD")]
    pub(crate) spent_client: Option<String>,
    /// The dollars spent in the session.
    #[arg(long, value_name = "USD")]
    pub(crate) spent_session: Option<String>,
    /// The local time of the turn.
    #[arg(long, value_name = "HH:MM")]
    pub(crate) at: Option<String>,
    /// A provider or model that is unavailable; can be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) out: Vec<String>,
    /// The model of the session, as `turnwise model` sets it.
    #[arg(long, value_name = "MODEL")]
    pub(crate) session_model: Option<String>,
    /// The tier that a planner requests for a worker: fast, balanced or deep.
    #[arg(long, value_name = "TIER")]
    pub(crate) tier: Option<String>,
}
