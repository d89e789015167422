//! Policies of any length whose rules do not match the message of the benchmark.

use std::fmt::Write as _;

/// Rules of every kind in turn; a hundred of them are a file of 14 kB.
pub(crate) fn mixed(count: usize) -> String {
    let conditions = |number: usize| match number % 8 {
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
    };
    policy(count, conditions)
}

/// Rules that look at the message only, in the ways people write patterns.
pub(crate) fn regexes(count: usize) -> String {
    policy(count, |number| match number % 4 {
        0 => format!(r#"message_matches: "^/run-{number}\\b""#),
        1 => format!(r#"message_matches: "(?i)migrate\\s+table{number}""#),
        2 => format!(r#"message_matches: "(draft|edit|send) (letter|offer) {number}""#),
        _ => format!(r#"message_matches: "release [0-9]+\\.[0-9]+ of app{number}""#),
    })
}

/// Patterns in which no literal stands that every match must contain, so that each of them must be run.
pub(crate) fn regexes_without_literals(count: usize) -> String {
    policy(count, |number| {
        format!(r#"message_matches: "[A-Z]{{{},}}-[0-9]{{{}}}""#, number % 5 + 2, number / 5 % 200 + 1)
    })
}

fn policy(count: usize, condition: impl Fn(usize) -> String) -> String {
    let mut text = String::from("schema_version: 1\nglobal_default: sonnet\nrules:\n");
    for number in 0..count {
        let (condition, model) = (condition(number), ["haiku", "sonnet", "opus"][number % 3]);
        writeln!(text, "  - name: \"rule number {number}\"\n    when: {{{condition}}}\n    use: {model}").unwrap();
    }
    text
}
