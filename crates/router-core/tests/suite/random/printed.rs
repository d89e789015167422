//! Formats policies as users write them: aliases and ids, flow and block style, quoted or not, lists of one as plain
//! text.

use std::fmt::Write as _;

use contracts::{AuxiliaryCall, Period, views::CostScale};

use super::policies::{Block, Budget, BudgetScope, MODELS, OnReached, Pattern, Policy, Rule, Scope, When};

/// Quotes a text in a way that is valid in JSON and in YAML.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// Formats one text in quotes, several as a list.
fn texts(texts: &[&str]) -> String {
    match texts {
        [one] => quoted(one),
        several => format!("[{}]", several.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ")),
    }
}

/// Returns the name of a model by its index: of every other one the alias, otherwise the id.
fn model(index: usize) -> &'static str {
    let (alias, id) = MODELS[index];
    if index.is_multiple_of(2) { alias } else { id }
}

/// Formats one model as text, several as a list.
fn models(indices: &[usize]) -> String {
    match indices {
        [one] => model(*one).to_owned(),
        several => format!("[{}]", several.iter().map(|index| model(*index)).collect::<Vec<_>>().join(", ")),
    }
}

/// Formats a minute of the day as `HH:MM`, every other one quoted.
fn time(minute: u16) -> String {
    let time = format!("{:02}:{:02}", minute / 60, minute % 60);
    if minute.is_multiple_of(2) { time } else { quoted(&time) }
}

/// Formats an amount in dollars.
fn dollars(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// Formats conditions as a list.
fn blocks(blocks: &[Block]) -> String {
    format!("[{}]", blocks.iter().map(condition).collect::<Vec<_>>().join(", "))
}

/// Formats one key of a condition with its value.
fn one(when: &When) -> String {
    match when {
        When::Matches(pattern) => format!("message_matches: {}", quoted(pattern)),
        When::ContainsAny(list) => format!("message_contains_any: {}", texts(list)),
        When::TokensAbove(tokens) => format!("estimated_input_tokens_gt: {tokens}"),
        When::TokensBelow(tokens) => format!("estimated_input_tokens_lt: {tokens}"),
        When::HasImages(yes) => format!("has_images: {yes}"),
        When::HasToolCalls(yes) => format!("has_tool_calls_in_history: {yes}"),
        When::SelectedSkill(list) => format!("skill_selected_in: {}", texts(list)),
        When::Skills(list) => format!("skills_matching_message_includes: {}", texts(list)),
        When::Extensions(list) => format!("file_extensions_in_context: {}", texts(list)),
        When::WorkspaceMatches(pattern) => format!("workspace_path_matches: {}", quoted(pattern)),
        When::TimeBetween(from, until) => format!("time_of_day_between: [{}, {}]", time(*from), time(*until)),
        When::SpentMoreThanCents(period, cents) => {
            let key = match period {
                Period::Day => "cost_today_exceeds_usd",
                Period::Week => "cost_this_week_exceeds_usd",
                Period::Month => "cost_this_month_exceeds_usd",
                Period::Session => "cost_of_session_exceeds_usd",
            };
            format!("{key}: {}", dollars(*cents))
        }
        When::Client(list) => format!("client_is: {}", texts(list)),
        When::ClientModel(list) => format!("client_model_is: {}", texts(list)),
        When::Subagent(yes) => format!("thread_is_subagent: {yes}"),
        When::AuxiliaryCall(kinds) => {
            let names: Vec<_> = kinds.iter().map(|kind: &AuxiliaryCall| kind.name()).collect();
            format!("auxiliary_call_is: {}", texts(&names))
        }
        When::WebSearch(yes) => format!("requests_web_search: {yes}"),
        When::Thinking(yes) => format!("requests_thinking: {yes}"),
        When::AnyOf(parts) => format!("any_of: {}", blocks(parts)),
        When::AllOf(parts) => format!("all_of: {}", blocks(parts)),
        When::Not(part) => format!("not: {}", condition(part)),
    }
}

/// Formats a condition in flow style.
pub(super) fn condition(block: &Block) -> String {
    format!("{{{}}}", block.0.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// Formats a block `pattern` in flow style.
fn pattern(pattern: &Pattern) -> String {
    let fraction = |name: &str, hundredths: Option<u64>| {
        hundredths.map(|value| format!("{name}: {}.{:02}", value / 100, value % 100))
    };
    let scale = pattern.cost_scale.map(|scale| match scale {
        CostScale::Cluster => "cost_scale: cluster".to_owned(),
        CostScale::Relative => "cost_scale: relative".to_owned(),
    });
    let parts = [
        fraction("cost_weight", pattern.cost_weight),
        fraction("min_confidence", pattern.min_confidence),
        fraction("min_similarity", pattern.min_similarity),
        pattern.min_sample_size.map(|size| format!("min_sample_size: {size}")),
        scale,
    ];
    format!("{{{}}}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// Returns the explicit name of a rule; `None` if it has none.
fn name(index: usize, rule: &Rule) -> Option<String> {
    rule.named.then(|| format!("the {index}th"))
}

/// Returns the name of a rule in decisions.
pub(super) fn name_of(index: usize, rule: &Rule) -> String {
    name(index, rule).unwrap_or_else(|| format!("rule_{index}"))
}

/// Returns the name of a budget in decisions.
pub(super) fn budget_name(index: usize, budget: &Budget) -> String {
    if budget.named { format!("limit {index}") } else { format!("budget_{index}") }
}

/// Formats a budget in flow style.
fn budget(index: usize, budget: &Budget) -> String {
    let mut parts = vec![format!("limit_usd: {}", dollars(budget.cents))];
    if budget.named {
        parts.push(format!("name: {}", quoted(&budget_name(index, budget))));
    }
    if budget.period != Period::Session {
        parts.push(format!("period: {}", budget.period.name()));
    }
    parts.extend(match &budget.scope {
        // A scope that the other keys determine may be left out.
        BudgetScope::All => (budget.named).then(|| "scope: all".to_owned()),
        BudgetScope::Project(None) => Some("scope: project".to_owned()),
        BudgetScope::Project(Some((written, _))) => Some(format!("project: {}", quoted(written))),
        BudgetScope::Client(None) => Some("scope: client".to_owned()),
        BudgetScope::Client(Some(client)) => Some(format!("scope: client, client: {client}")),
        BudgetScope::Session => Some("scope: session".to_owned()),
    });
    parts.extend(match &budget.on_reached {
        OnReached::Refuse(stated) => stated.then(|| "on_reached: refuse".to_owned()),
        OnReached::Warn => Some("on_reached: warn".to_owned()),
        OnReached::Use(indices) => Some(format!("use: {}", models(indices))),
    });
    format!("{{{}}}", parts.join(", "))
}

/// Appends settings in block style, indented; `default` is the key of the default models.
fn scope(scope: &Scope, default: &str, indent: &str, text: &mut String) {
    let mut line = |line: String| writeln!(text, "{indent}{line}").unwrap();
    if let Some(indices) = &scope.default {
        line(format!("{default}: {}", models(indices)));
    }
    if let Some([fast, balanced, deep]) = scope.tiers.as_ref().map(|tiers| tiers.each_ref().map(|tier| models(tier))) {
        line(format!("tiers: {{deep: {deep}, fast: {fast}, balanced: {balanced}}}"));
    }
    if let Some(settings) = &scope.pattern {
        line(format!("pattern: {}", pattern(settings)));
    }
    line(format!("rules:{}", if scope.rules.is_empty() { " []" } else { "" }));
    for (index, rule) in scope.rules.iter().enumerate() {
        line(format!("  - use: {}", models(&rule.models)));
        if let Some(name) = name(index, rule) {
            line(format!("    name: {name}"));
        }
        line(format!("    when: {}", condition(&rule.when)));
    }
}

/// Formats the policy as a file.
pub(super) fn printed(policy: &Policy) -> String {
    let mut text = "schema_version: 1\n".to_owned();
    scope(&policy.global, "global_default", "", &mut text);
    if policy.refuse {
        text.push_str("routing: {on_explicit_reject: refuse}\n");
    }
    for (index, limit) in policy.budgets.iter().enumerate() {
        text.push_str(if index == 0 { "budgets:\n" } else { "" });
        writeln!(text, "  - {}", budget(index, limit)).unwrap();
    }
    if !policy.workspaces.is_empty() {
        text.push_str("workspaces:\n");
    }
    for (path, _, own) in &policy.workspaces {
        writeln!(text, "  {}:", quoted(path)).unwrap();
        scope(own, "default", "    ", &mut text);
    }
    text
}
