//! Rules for source files.

use super::Finding;

/// The most lines of a file, not counting the tests inside it.
const MOST_LINES: usize = 400;

/// The most lines of a file of tests, or of a file with its tests.
const MOST_LINES_WITH_TESTS: usize = 600;

/// Written in two parts so that this file does not find itself.
const UNFINISHED: &[&str] =
    &[concat!("todo", "!("), concat!("dbg", "!("), concat!("unimplemented", "!("), concat!("#[", "ignore")];

/// What the layouts of events must not use: bincode cannot read it back, or it differs from run to run. See
/// `Event::upcast` for how a layout changes.
const NOT_IN_FACTS: &[&str] = &["HashMap", "HashSet", "f32", "f64", "flatten", "skip_serializing", "tag =", "untagged"];

/// Everything wrong with a file, in the order of its lines.
pub(super) fn findings(path: &str, text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    if !text.starts_with("//!") {
        found.push((1, "the first line must be a `//!` sentence that says what the file is".to_owned()));
    }
    found.extend(unwanted(text, UNFINISHED, "does not belong into a finished file"));
    if path.starts_with("crates/contracts/src/") {
        found.extend(unwanted(text, NOT_IN_FACTS, "must not be part of the layout of an event"));
    }
    found.extend(too_long(path, text));
    found
}

fn unwanted(text: &str, words: &[&str], why: &str) -> Vec<Finding> {
    let of_line = |(number, line): (usize, &str)| {
        let words: Vec<_> = words.iter().filter(|word| line.contains(**word)).collect();
        words.into_iter().map(move |word| (number, format!("`{word}` {why}"))).collect::<Vec<_>>()
    };
    (1..).zip(text.lines()).flat_map(of_line).collect()
}

fn too_long(path: &str, text: &str) -> Option<Finding> {
    let all = text.lines().count();
    let is_test = path.split('/').any(|part| ["tests", "tests.rs", "benches"].contains(&part));
    let own = if is_test { 0 } else { text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count() };
    if MOST_LINES < own {
        return Some((MOST_LINES + 1, format!("{own} lines without tests, the most is {MOST_LINES}")));
    }
    let excess = MOST_LINES_WITH_TESTS < all;
    excess.then(|| (MOST_LINES_WITH_TESTS + 1, format!("{all} lines with tests, the most is {MOST_LINES_WITH_TESTS}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let found: Vec<_> = findings(path, text).iter().map(|(line, what)| format!("{line}: {what}")).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_file_opens_with_what_it_is() {
        check("crates/costs/src/lib.rs", "//! Costs.\n", &[]);
        let opening = "1: the first line must be a `//!` sentence that says what the file is";
        check("crates/costs/src/lib.rs", "use std::fmt;\n", &[opening]);
    }

    #[test]
    fn unfinished_code_is_found_with_its_line() {
        let text = format!("//! A file.\nfn later() {{ {}) }}\n", concat!("todo", "!("));
        let finding = format!("2: `{}` does not belong into a finished file", concat!("todo", "!("));
        check("crates/costs/src/lib.rs", &text, &[&finding]);
    }

    #[test]
    fn what_bincode_cannot_read_back_is_refused_in_events_only() {
        let text = "//! An event.\n#[serde(untagged)]\n";
        check("crates/contracts/src/events.rs", text, &["2: `untagged` must not be part of the layout of an event"]);
        check("crates/cli/src/main.rs", text, &[]);
    }

    #[test]
    fn a_file_has_at_most_400_lines_and_its_tests_200_more() {
        let file = |lines: usize, tests: usize| {
            format!("//! Long.\n{}#[cfg(test)]\n{}", "\n".repeat(lines), "\n".repeat(tests))
        };
        check("crates/costs/src/lib.rs", &file(399, 0), &[]);
        check("crates/costs/src/lib.rs", &file(400, 0), &["401: 401 lines without tests, the most is 400"]);
        check("crates/costs/src/lib.rs", &file(300, 299), &["601: 601 lines with tests, the most is 600"]);
        check("crates/costs/tests/story.rs", &file(500, 0), &[]);
    }
}
