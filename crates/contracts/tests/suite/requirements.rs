//! Requirements are stored in the log by number, and in policies and responses by name.

use contracts::{Requirement, WireApi};

/// All requirements in the order of their numbers. A new one is added at the end, since logs contain the numbers.
const NAMES: [&str; 40] = [
    "cache_control",
    "context_management",
    "custom_tools",
    "documents",
    "audio_video",
    "remote_images",
    "tool_images",
    "mid_conversation_system",
    "native",
    "sampling",
    "server_tools",
    "earlier_thinking",
    "stored_answers",
    "many_answers",
    "thinking_control",
    "effort",
    "thinking_budget",
    "running_thinking",
    "stop_sequences",
    "json_object",
    "one_tool_at_a_time",
    "prefill",
    "five_stop_sequences",
    "six_stop_sequences",
    "high_temperature",
    "blank_stop_sequences",
    "temperature_and_top_p",
    "no_thinking",
    "minimal_effort",
    "extra_high_effort",
    "max_effort",
    "long_tool_names",
    "dotted_tool_names",
    "result_without_call",
    "broken_arguments",
    "stored_images",
    "gif_images",
    "other_images",
    "exact_bytes",
    "system_alone",
];

#[test]
fn requirements_keep_their_numbers_and_their_names() {
    for (number, (requirement, name)) in Requirement::ALL.into_iter().zip(NAMES).enumerate() {
        assert_eq!((requirement as usize, requirement.name()), (number, name));
        assert_eq!(serde_json::to_value(requirement).unwrap(), name);
        assert_eq!(Requirement::named(name), Some(requirement));
    }
}

#[test]
fn everything_is_carried_to_its_own_api_and_only_what_a_policy_can_name_is_ever_dropped() {
    for requirement in Requirement::ALL {
        assert!(WireApi::ALL.into_iter().all(|api| requirement.carried(api, api)), "{requirement}");
        let named = requirement.dropped_as();
        assert!(named == requirement || Requirement::ADAPTABLE.contains(&named), "{requirement} as {named}");
        assert_eq!(named.dropped_as(), named, "{requirement}");
    }
}
