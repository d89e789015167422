//! [`Detection`], an anti-pattern with its evidence.

use event_core::EventId;
use serde::{Deserialize, Serialize};

use super::iterations::IterationStop;
use crate::rate::Rate;

/// An anti-pattern of routing. The hints of 000 precede the findings of 002.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AntiPattern {
    /// Routing depends on keywords that users do not write.
    Ap01KeywordTunnel,
    /// Keywords of several skills overlap.
    Ap02BagOfTriggers,
    /// Handoffs lose information.
    Ap03TelephoneGame,
    /// Agents exchange control without progress.
    Ap04RoutingLoop,
    /// A specialist does a small task.
    Ap05OverRouting,
    /// A complex task has no specialist.
    Ap06UnderRouting,
    /// An agent has too many tools.
    Ap07ToolOverload,
    /// Routing ignores the context.
    Ap08ContextBlind,
    /// Too many requests of a session match nothing.
    Apd01KeywordTunnel,
    /// Too many keywords of the table collide.
    Apd02BagOfTriggers,
    /// An agent ends after a few tool calls or with a short output.
    Apd05OverRouting,
    /// The user names a skill soon after a decision for another one.
    Apd06UnderRouting,
    /// An agent declares too many tools.
    Apd07ToolOverload,
    /// A keyword routes to different skills in one context.
    Apd08ContextBlind,
    /// An agent has too many tools together with those of MCP servers.
    Apd10ToolAudit,
}

impl AntiPattern {
    /// Returns the number of the anti-pattern in its specification, such as `APD-01`.
    pub const fn number(self) -> &'static str {
        match self {
            Self::Ap01KeywordTunnel => "AP-01",
            Self::Ap02BagOfTriggers => "AP-02",
            Self::Ap03TelephoneGame => "AP-03",
            Self::Ap04RoutingLoop => "AP-04",
            Self::Ap05OverRouting => "AP-05",
            Self::Ap06UnderRouting => "AP-06",
            Self::Ap07ToolOverload => "AP-07",
            Self::Ap08ContextBlind => "AP-08",
            Self::Apd01KeywordTunnel => "APD-01",
            Self::Apd02BagOfTriggers => "APD-02",
            Self::Apd05OverRouting => "APD-05",
            Self::Apd06UnderRouting => "APD-06",
            Self::Apd07ToolOverload => "APD-07",
            Self::Apd08ContextBlind => "APD-08",
            Self::Apd10ToolAudit => "APD-10",
        }
    }

    /// Returns the name of the anti-pattern, such as `Keyword Tunnel`.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Ap01KeywordTunnel | Self::Apd01KeywordTunnel => "Keyword Tunnel",
            Self::Ap02BagOfTriggers | Self::Apd02BagOfTriggers => "Bag of Triggers",
            Self::Ap03TelephoneGame => "Telephone Game",
            Self::Ap04RoutingLoop => "Routing Loop",
            Self::Ap05OverRouting | Self::Apd05OverRouting => "Over-Routing",
            Self::Ap06UnderRouting | Self::Apd06UnderRouting => "Under-Routing",
            Self::Ap07ToolOverload | Self::Apd07ToolOverload | Self::Apd10ToolAudit => "Tool Overload",
            Self::Ap08ContextBlind | Self::Apd08ContextBlind => "Context-Blind Routing",
        }
    }
}

/// An anti-pattern with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detection {
    /// The anti-pattern.
    pub pattern: AntiPattern,
    /// The measured evidence.
    pub signal: Signal,
    /// The events that prove it, in the order of the log.
    pub events: Vec<EventId>,
}

impl Detection {
    /// Creates a detection.
    pub(super) const fn new(pattern: AntiPattern, signal: Signal, events: Vec<EventId>) -> Self {
        Self { pattern, signal, events }
    }
}

/// The severity of the number of an agent's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolLevel {
    /// The number is reported.
    Alert,
    /// The agent must not be registered.
    Block,
}

/// The measured evidence of an anti-pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// A request without a match was written again in other words and then matched.
    Rephrased,
    /// Requests with equal words loaded different skills.
    Inconsistent,
    /// The trigger table was not changed for this number of days.
    OldTable {
        /// The days since the last change.
        days: u32,
    },
    /// The user named a skill none of whose keywords is in the request.
    NamedWithoutKeyword {
        /// The skill.
        skill: String,
    },
    /// The rate of requests of a session that match nothing.
    NoMatch(Rate),
    /// The rate of decisions that several skills match.
    Ambiguous(Rate),
    /// The rate of keywords of the table that collide.
    Collisions(Rate),
    /// The lengths of summaries in characters decrease along a chain of handoffs.
    ShrinkingSummaries(Vec<u64>),
    /// A run used more tokens for coordination than for work.
    Coordination {
        /// The tokens of handoffs and plans.
        coordination_tokens: u64,
        /// The tokens of the work.
        work_tokens: u64,
    },
    /// Two agents exchanged control this often.
    RepeatedPair {
        /// The first agent by name.
        first: String,
        /// The second agent by name.
        second: String,
        /// The number of transfers between them.
        transfers: u64,
    },
    /// A run used more than twice its budget of tokens.
    TokenBudget {
        /// The tokens that were used.
        used: u64,
        /// The budget.
        budget: u64,
    },
    /// The scores of revisions no longer improve, or their number reached its limit.
    Iterations(IterationStop),
    /// An agent ended with this number of tool calls.
    FewToolCalls {
        /// The agent.
        agent: String,
        /// The number of tool calls.
        tool_calls: u64,
    },
    /// An agent ended with an output of this length.
    ShortOutput {
        /// The agent.
        agent: String,
        /// The length in tokens.
        tokens: u64,
    },
    /// A request with several files loaded no skill.
    Complexity {
        /// The number of files.
        files: u32,
    },
    /// The user named a skill after a decision for another one.
    Overridden {
        /// The skills that were loaded before.
        loaded: Vec<String>,
        /// The skill that the user named.
        named: String,
    },
    /// An agent has this number of tools.
    Tools {
        /// The agent.
        agent: String,
        /// The number of tools.
        tools: u64,
        /// The severity.
        level: ToolLevel,
    },
    /// The descriptions of an agent's tools use too much of its context window.
    ToolDescriptions {
        /// The agent.
        agent: String,
        /// The share of the context window.
        share: Rate,
    },
    /// A tool server of an agent was not reviewed.
    UnreviewedServer {
        /// The agent.
        agent: String,
        /// The server.
        server: String,
    },
    /// A request with files was decided without the decision tree.
    IgnoredFiles {
        /// The number of files.
        files: u32,
    },
    /// A keyword routed to different skills in one context.
    InconsistentKeyword {
        /// The keyword.
        keyword: String,
        /// The skills of the first decision.
        first: Vec<String>,
        /// The skills of the later one.
        later: Vec<String>,
    },
}
