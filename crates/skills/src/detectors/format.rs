//! Formats a detection as a sentence.

use std::fmt;

use super::{
    detection::{Detection, Signal, ToolLevel},
    iterations::IterationStop,
};

/// The number of events that the text of a detection names.
const SHOWN_EVENTS: usize = 3;

/// Formats the number and name of the anti-pattern, the evidence, and the first events that prove it.
impl fmt::Display for Detection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.pattern.number(), self.pattern.title(), self.signal)?;
        let shown: Vec<String> = self.events.iter().take(SHOWN_EVENTS).map(ToString::to_string).collect();
        match self.events.len() {
            0 => Ok(()),
            count if count > shown.len() => {
                write!(f, " (events {} and {} more)", shown.join(", "), count - shown.len())
            }
            1 => write!(f, " (event {})", shown.concat()),
            _ => write!(f, " (events {})", shown.join(", ")),
        }
    }
}

/// Formats the evidence as a clause.
impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rephrased => f.write_str("a request without a match was repeated in other words"),
            Self::Inconsistent => f.write_str("requests with equal words loaded different skills"),
            Self::OldTable { days } => write!(f, "the trigger table was not changed for {days} days"),
            Self::NamedWithoutKeyword { skill } => {
                write!(f, "the user named `{skill}`, none of whose keywords is in the request")
            }
            Self::NoMatch(rate) => write!(f, "{rate} of the requests of a session match nothing"),
            Self::Ambiguous(rate) => write!(f, "{rate} of the requests match several skills"),
            Self::Collisions(rate) => write!(f, "{rate} of the keywords collide"),
            Self::ShrinkingSummaries(lengths) => {
                let lengths: Vec<String> = lengths.iter().map(ToString::to_string).collect();
                write!(f, "summaries get shorter: {} characters", lengths.join(", "))
            }
            Self::Coordination { coordination_tokens, work_tokens } => {
                write!(f, "{coordination_tokens} tokens for coordination, {work_tokens} for work")
            }
            Self::RepeatedPair { first, second, transfers } => {
                write!(f, "`{first}` and `{second}` exchanged control {transfers} times")
            }
            Self::TokenBudget { used, budget } => write!(f, "{used} tokens with a budget of {budget}"),
            Self::Iterations(IterationStop::Plateau { iteration }) => {
                write!(f, "scores do not improve at iteration {iteration}")
            }
            Self::Iterations(IterationStop::Ceiling { iteration }) => {
                write!(f, "iteration {iteration} is the last one allowed")
            }
            Self::FewToolCalls { agent, tool_calls } => {
                let plural = if *tool_calls == 1 { "" } else { "s" };
                write!(f, "`{agent}` ended after {tool_calls} tool call{plural}")
            }
            Self::ShortOutput { agent, tokens } => write!(f, "the output of `{agent}` has {tokens} tokens"),
            Self::Complexity { files } => write!(f, "a request with {files} files loaded no skill"),
            Self::Overridden { loaded, named } => {
                write!(f, "the user named `{named}` soon after `{}` was loaded", loaded.join("`, `"))
            }
            Self::Tools { agent, tools, level } => {
                let level = if *level == ToolLevel::Block { ", which is not accepted" } else { "" };
                write!(f, "`{agent}` has {tools} tools{level}")
            }
            Self::ToolDescriptions { agent, share } => {
                write!(f, "the tool descriptions of `{agent}` use {share} of its context window in tokens")
            }
            Self::UnreviewedServer { agent, server } => {
                write!(f, "the tools of the server `{server}` of `{agent}` were not reviewed")
            }
            Self::IgnoredFiles { files } => {
                let plural = if *files == 1 { "" } else { "s" };
                write!(f, "a request with {files} file{plural} was decided without the decision tree")
            }
            Self::InconsistentKeyword { keyword, first, later } => {
                write!(f, "`{keyword}` loaded `{}`, then `{}`", first.join("`, `"), later.join("`, `"))
            }
        }
    }
}
