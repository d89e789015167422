//! Tool Overload: an agent has too many tools (AP-07, APD-07, APD-10).

use serde::{Deserialize, Serialize};

use super::{
    detection::{AntiPattern, Detection, Signal, ToolLevel},
    thresholds::DetectorThresholds,
};
use crate::rate::Rate;

/// The tools of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentTools {
    /// The name of the agent.
    pub agent: String,
    /// The number of declared tools.
    pub declared: u64,
    /// The number of tools of its MCP servers.
    pub mcp: u64,
    /// The length of all tool descriptions in tokens.
    pub description_tokens: u64,
    /// The context window of its model in tokens; 0 if it is unknown.
    pub context_window: u64,
    /// MCP servers without a reviewed list of allowed tools.
    pub unreviewed_servers: Vec<String>,
}

/// Detects an agent with too many tools. All detections follow from the definition, so that none has events.
pub fn detect_tool_overload(agent: &AgentTools, thresholds: &DetectorThresholds) -> Vec<Detection> {
    let name = || agent.agent.clone();
    let all = agent.declared.saturating_add(agent.mcp);
    let mut found = Vec::new();
    let mut add = |pattern, signal| found.push(Detection::new(pattern, signal, Vec::new()));
    let tools = |tools, level| Signal::Tools { agent: name(), tools, level };
    if thresholds.tools < all {
        add(AntiPattern::Ap07ToolOverload, tools(all, ToolLevel::Alert));
    }
    let share = Rate::new(agent.description_tokens, agent.context_window);
    if share.exceeds_percent(u64::from(thresholds.description_percent)) {
        add(AntiPattern::Ap07ToolOverload, Signal::ToolDescriptions { agent: name(), share });
    }
    for server in &agent.unreviewed_servers {
        add(AntiPattern::Ap07ToolOverload, Signal::UnreviewedServer { agent: name(), server: server.clone() });
    }
    if thresholds.tools < agent.declared {
        add(AntiPattern::Apd07ToolOverload, tools(agent.declared, ToolLevel::Alert));
    }
    if thresholds.block_tools <= all {
        add(AntiPattern::Apd10ToolAudit, tools(all, ToolLevel::Block));
    } else if thresholds.alert_tools <= all {
        add(AntiPattern::Apd10ToolAudit, tools(all, ToolLevel::Alert));
    }
    found
}
