//! Over-Routing: a specialist does a small task (AP-05, APD-05).

use event_core::EventId;
use serde::{Deserialize, Serialize};

use super::{
    detection::{AntiPattern, Detection, Signal},
    thresholds::DetectorThresholds,
};

/// An invocation of an agent that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvocationRecord {
    /// The id of the event of its end.
    pub event: EventId,
    /// The agent.
    pub agent: String,
    /// The number of its tool calls.
    pub tool_calls: u64,
    /// The length of its output in tokens.
    pub output_tokens: u64,
}

/// Detects invocations with few tool calls (AP-05 as a hint, APD-05) or a short output (APD-05).
pub fn detect_over_routing(invocations: &[InvocationRecord], thresholds: &DetectorThresholds) -> Vec<Detection> {
    let mut hints = Vec::new();
    let mut findings = Vec::new();
    for invocation in invocations {
        let (agent, tool_calls) = (&invocation.agent, invocation.tool_calls);
        let few_calls = || Signal::FewToolCalls { agent: agent.clone(), tool_calls };
        let events = || vec![invocation.event];
        if tool_calls < thresholds.hint_tool_calls {
            hints.push(Detection::new(AntiPattern::Ap05OverRouting, few_calls(), events()));
        }
        if tool_calls < thresholds.min_tool_calls {
            findings.push(Detection::new(AntiPattern::Apd05OverRouting, few_calls(), events()));
        } else if invocation.output_tokens < thresholds.min_output_tokens {
            let signal = Signal::ShortOutput { agent: agent.clone(), tokens: invocation.output_tokens };
            findings.push(Detection::new(AntiPattern::Apd05OverRouting, signal, events()));
        }
    }
    hints.append(&mut findings);
    hints
}
