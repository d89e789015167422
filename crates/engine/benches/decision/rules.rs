//! Policies of any size whose rules do not match the message of the benchmark.

use std::fmt::Write as _;

/// Returns the text of a policy with `count` rules of all kinds in rotation; 100 rules are a text of 14 kB.
pub(crate) fn mixed(count: usize) -> String {
    let mut text = String::from("schema_version: 1\nglobal_default: sonnet\nrules:\n");
    for number in 0..count {
        let (condition, model) = (condition(number), ["haiku", "sonnet", "opus"][number % 3]);
        writeln!(text, "  - name: \"rule number {number}\"\n    when: {{{condition}}}\n    use: {model}").unwrap();
    }
    text
}

/// Returns the condition of a rule, as YAML; one of eight kinds, by `number`.
fn condition(number: usize) -> String {
    match number % 8 {
        0 => format!(r#"message_matches: "^/task-{number}\\b""#),
        1 => format!(r#"message_contains_any: ["ledger-{number}", "invoice-{number}", "Rechnung {number}"]"#),
        2 => format!("estimated_input_tokens_gt: {}", 100_000 + number * 1_000),
        3 => format!(
            r#"any_of: [{{message_matches: "(?i)deploy.*stage-{number}"}}, {{file_extensions_in_context: [".x{number}", ".y{number}"]}}]"#
        ),
        4 => format!(
            r#"not: {{any_of: [{{message_contains_any: ["cart", "order-{number}"]}}, {{has_tool_calls_in_history: false}}]}}"#
        ),
        5 => format!(r#"all_of: [{{has_images: true}}, {{workspace_path_matches: "/project-{number}(/|$)"}}]"#),
        6 => format!("cost_today_exceeds_usd: {number}.50, skills_matching_message_includes: [skill-{number}]"),
        _ => format!(r#"message_matches: "(review|audit|check)-{number}", has_tool_calls_in_history: true"#),
    }
}
