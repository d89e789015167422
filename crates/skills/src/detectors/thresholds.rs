//! [`DetectorThresholds`], the limits of the detectors.

use serde::{Deserialize, Serialize};

/// The limits of the detectors, `skills.detectors` in the policy. The defaults are those of 000 and 002.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DetectorThresholds {
    /// The age of the trigger table to exceed, in days (AP-01).
    pub table_days: u32,
    /// The number of requests after one without a match in which the same request in other words counts (AP-01).
    pub rephrased_within: usize,
    /// The share of common words at which two requests are the same in other words, in percent (AP-01).
    pub rephrased_percent: u8,
    /// The rate of ambiguous decisions to exceed, in percent (AP-02).
    pub ambiguous_percent: u8,
    /// The number of transfers between two agents to exceed (AP-04).
    pub pair_transfers: u64,
    /// The multiple of its token budget that a run may use (AP-04).
    pub budget_factor: u64,
    /// The number of tool calls below which an agent's task is small (AP-05).
    pub hint_tool_calls: u64,
    /// The number of files to exceed for a complex request (AP-06).
    pub complex_files: u32,
    /// The number of tools to exceed (AP-07, APD-07).
    pub tools: u64,
    /// The share of tool descriptions in the context window to exceed, in percent (AP-07).
    pub description_percent: u8,
    /// The rate of requests of a session without a match to exceed, in percent (APD-01).
    pub no_match_percent: u8,
    /// The rate of colliding keywords to exceed, in percent (APD-02).
    pub collision_percent: u8,
    /// The number of tool calls below which an agent was not needed (APD-05).
    pub min_tool_calls: u64,
    /// The length of an output in tokens below which an agent was not needed (APD-05).
    pub min_output_tokens: u64,
    /// The number of requests after a decision in which a named skill contradicts it (APD-06).
    pub overridden_within: usize,
    /// The number of tools, including those of MCP servers, that is reported (APD-10).
    pub alert_tools: u64,
    /// The number of tools, including those of MCP servers, that is not accepted (APD-10).
    pub block_tools: u64,
}

impl Default for DetectorThresholds {
    fn default() -> Self {
        Self {
            // Three months.
            table_days: 91,
            rephrased_within: 2,
            rephrased_percent: 50,
            ambiguous_percent: 30,
            pair_transfers: 2,
            budget_factor: 2,
            hint_tool_calls: 5,
            complex_files: 3,
            tools: 15,
            description_percent: 10,
            no_match_percent: 30,
            collision_percent: 10,
            min_tool_calls: 3,
            min_output_tokens: 500,
            overridden_within: 2,
            alert_tools: 15,
            block_tools: 20,
        }
    }
}
