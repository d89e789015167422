//! Checks of Rust source files.

use super::Finding;

/// The maximum number of lines of a file, without its unit tests.
const MAX_LINES: usize = 400;

/// The maximum number of lines of a test file, or of a file with its unit tests.
const MAX_LINES_WITH_TESTS: usize = 600;

/// Code that marks unfinished work, written in two parts so that this file does not match.
const UNFINISHED: &[&str] =
    &[concat!("todo", "!("), concat!("dbg", "!("), concat!("unimplemented", "!("), concat!("#[", "ignore")];

/// Types and attributes that event layouts must not use: bincode cannot decode them, or their encoding differs between
/// runs.
const FORBIDDEN_IN_LAYOUTS: &[&str] =
    &["HashMap", "HashSet", "f32", "f64", "flatten", "skip_serializing", "tag =", "untagged"];

/// Returns a finding for every problem of a Rust file: no description, unfinished code, forbidden layouts, too many
/// lines.
pub(super) fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !text.starts_with("//!") {
        findings.push((1, "the first line must be a `//!` sentence that describes the file".to_owned()));
    }
    findings.extend(find_words(text, UNFINISHED, "must not be in finished code"));
    if path.starts_with("crates/contracts/src/") {
        findings.extend(find_words(text, FORBIDDEN_IN_LAYOUTS, "must not be part of the layout of an event"));
    }
    findings.extend(check_length(path, text));
    findings
}

/// Returns a finding for every line and each of `words` in it; `reason` completes the message.
fn find_words(text: &str, words: &[&str], reason: &str) -> Vec<Finding> {
    let findings_of = |(number, line): (usize, &str)| {
        let words: Vec<_> = words.iter().filter(|word| has_word(line, word)).collect();
        words.into_iter().map(move |word| (number, format!("`{word}` {reason}"))).collect::<Vec<_>>()
    };
    (1..).zip(text.lines()).flat_map(findings_of).collect()
}

/// Returns whether a line contains `word` at the start of a name: `LinkedHashMap` does not contain the word `HashMap`.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(start, _)| !line[..start].ends_with(char::is_alphanumeric))
}

/// Returns a finding if a file is too long; files in `tests` and `benches` have only the limit with tests.
fn check_length(path: &str, text: &str) -> Option<Finding> {
    let all_lines = text.lines().count();
    let is_test = path.split('/').any(|part| ["tests", "tests.rs", "benches"].contains(&part));
    let code_lines = if is_test { 0 } else { text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count() };
    if MAX_LINES < code_lines {
        return Some((MAX_LINES + 1, format!("{code_lines} lines without tests, the maximum is {MAX_LINES}")));
    }
    let excess = MAX_LINES_WITH_TESTS < all_lines;
    excess.then(|| {
        (MAX_LINES_WITH_TESTS + 1, format!("{all_lines} lines with tests, the maximum is {MAX_LINES_WITH_TESTS}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the findings in a file.
    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let found: Vec<_> = check_file(path, text).iter().map(|(line, finding)| format!("{line}: {finding}")).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn first_line_must_describe_the_file() {
        check("crates/costs/src/lib.rs", "//! Costs.\n", &[]);
        let opening = "1: the first line must be a `//!` sentence that describes the file";
        check("crates/costs/src/lib.rs", "use std::fmt;\n", &[opening]);
    }

    #[test]
    fn unfinished_code_is_reported_with_its_line() {
        let text = format!("//! A file.\nfn later() {{ {}) }}\n", concat!("todo", "!("));
        let finding = format!("2: `{}` must not be in finished code", concat!("todo", "!("));
        check("crates/costs/src/lib.rs", &text, &[&finding]);
    }

    #[test]
    fn layout_rules_apply_to_contracts_only() {
        let text = "//! An event.\n#[serde(untagged)]\n";
        check("crates/contracts/src/events.rs", text, &["2: `untagged` must not be part of the layout of an event"]);
        check("crates/cli/src/main.rs", text, &[]);
        check("crates/contracts/src/map.rs", "//! A map.\nuse hashlink::LinkedHashMap;\n", &[]);
        let finding = "2: `HashMap` must not be part of the layout of an event";
        check("crates/contracts/src/map.rs", "//! A map.\nuse std::collections::HashMap;\n", &[finding]);
    }

    #[test]
    fn length_is_limited_to_400_lines_and_600_with_tests() {
        let file = |lines: usize, tests: usize| {
            format!("//! Long.\n{}#[cfg(test)]\n{}", "\n".repeat(lines), "\n".repeat(tests))
        };
        check("crates/costs/src/lib.rs", &file(399, 0), &[]);
        check("crates/costs/src/lib.rs", &file(400, 0), &["401: 401 lines without tests, the maximum is 400"]);
        check("crates/costs/src/lib.rs", &file(300, 299), &["601: 601 lines with tests, the maximum is 600"]);
        check("crates/costs/tests/story.rs", &file(500, 0), &[]);
    }
}
