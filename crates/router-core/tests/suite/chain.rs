//! The slots of the chain, alone and in combination.

mod auxiliary_calls;
mod availability;
mod budget;
mod budget_block;
mod candidates;
mod capability_gates;
mod completeness;
mod deferred;
mod delegation_tiers;
mod disagreement;
mod explicit_choice_rejected;
mod first_match;
mod hard_failure;
mod long_messages;
mod override_token;
mod pattern_thresholds;
mod pipeline_order;
mod predicates;
mod purged_text;
mod rule_fallback;
mod shadowed_rules;
mod skill_wishes;
mod time_windows;
mod warnings;
mod workspaces;
