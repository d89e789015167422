//! Finds the tests that name statements of the specifications.

use super::statements::{EXAMPLE, PROPERTIES, PROPERTY, REQUIRED_TEST, StatementId};

/// A test whose name or doc comment has the number of a statement of a specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedTest {
    /// The path of its file, relative to the workspace.
    pub(super) path: String,
    /// The name of the function; `None` for all tests of the file.
    pub(super) name: Option<String>,
}

/// Returns the statements that a file names, each with the test: those of 004 also in the comment at the start of a file
/// with tests, all others in the doc comments and names of test functions.
pub(super) fn find_tests(path: &str, text: &str) -> Vec<(StatementId, NamedTest)> {
    let mut tests = Vec::new();
    if text.contains("#[test]") {
        let header: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).collect();
        let test = NamedTest { path: path.to_owned(), name: None };
        tests.extend(cited_in_004(&header.join(" ")).into_iter().map(|id| (id, test.clone())));
    }
    let mut comment = String::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim_start) {
        if let Some(doc) = line.strip_prefix("///") {
            comment.push_str(doc);
            comment.push(' ');
        } else if line.starts_with("#[") {
            is_test |= line == "#[test]" || line.starts_with("#[tokio::test");
        } else {
            let name = line.split_once("fn ").and_then(|(_, rest)| rest.split(['(', '<']).next());
            if let Some(name) = name.filter(|_| is_test) {
                let test = NamedTest { path: path.to_owned(), name: Some(name.to_owned()) };
                let ids = numbered(&comment).into_iter().chain(cited_in_004(&comment)).chain(example_in_name(name));
                tests.extend(ids.map(|id| (id, test.clone())));
            }
            comment.clear();
            is_test = false;
        }
    }
    tests
}

/// Returns the numbers such as `SK-17` and `SC-02` in a text, each once.
fn numbered(text: &str) -> Vec<StatementId> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    let mut ids: Vec<StatementId> = Vec::new();
    for word in words {
        let Some((prefix, number)) = word.split_once('-') else { continue };
        if let ("SK" | "SC", Ok(number)) = (prefix, number.parse()) {
            let id = StatementId::new(prefix, number);
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    ids
}

/// Returns the examples, required tests and properties of 004 in a text: `§8.9`, `§10.1 tests 7 and 19`,
/// `§10.2 determinism`.
fn cited_in_004(text: &str) -> Vec<StatementId> {
    let mut ids = Vec::new();
    for citation in text.split('§').skip(1) {
        let (section, rest) = citation.split_once(' ').unwrap_or((citation, ""));
        let section = section.trim_end_matches([',', '.', ';', ')', ':']);
        if let Some(number) = section.strip_prefix("8.").and_then(|number| number.parse().ok()) {
            ids.push(StatementId::new(EXAMPLE, number));
        } else if section == "10.1" {
            let words = rest.split([' ', ',', ')', ':', ';', '.']).filter(|word| !word.is_empty());
            let numbers = words.skip_while(|word| matches!(*word, "test" | "tests"));
            let numbers = numbers.filter(|word| *word != "and").map_while(|word| word.parse().ok());
            ids.extend(numbers.map(|number| StatementId::new(REQUIRED_TEST, number)));
        } else if section == "10.2" {
            let named_properties = (1..).zip(PROPERTIES).filter(|(_, name)| rest.starts_with(name));
            ids.extend(named_properties.map(|(number, _)| StatementId::new(PROPERTY, number)));
        }
    }
    ids
}

/// Returns the example of 004 in a name such as `example_8_3_override_beats_sticky`.
fn example_in_name(name: &str) -> Option<StatementId> {
    let number = name.strip_prefix("example_8_")?.split('_').next()?;
    Some(StatementId::new(EXAMPLE, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::find_tests;

    /// Returns each statement with the name of its test.
    fn found(text: &str) -> Vec<(String, Option<String>)> {
        find_tests("a.rs", text).into_iter().map(|(id, test)| (id.to_string(), test.name)).collect()
    }

    #[test]
    fn numbers_in_doc_comments_and_names_of_tests_are_found() {
        let text = "/// SK-03, SK-43, TV-04: clear.\n/// Also SC-2.\n#[test]\nfn clear() {}\n\n/// SK-04 is elsewhere.\nfn helper() {}\n\
                    #[test]\nfn example_8_3_override() {}\n    /// SK-05\n    #[test]\n    fn random(a in any::<u8>()) {}\n";
        let expected = [
            ("SK-03", "clear"),
            ("SK-43", "clear"),
            ("SC-02", "clear"),
            ("004 §8.3", "example_8_3_override"),
            ("SK-05", "random"),
        ];
        assert_eq!(found(text), expected.map(|(id, name)| (id.to_owned(), Some(name.to_owned()))));
    }

    #[test]
    fn sections_of_004_are_found_in_the_header_of_a_file_with_tests() {
        let text =
            "//! The lock (004 §3, §8.9, §8.10; the half of\n//! §10.1 tests 7, 12 and 19). Also §10.2 closure.\n";
        assert_eq!(found(text), []);
        let ids: Vec<_> = found(&format!("{text}#[test]\nfn a() {{}}\n")).into_iter().map(|(id, _)| id).collect();
        let expected = [
            "004 §8.9",
            "004 §8.10",
            "004 §10.1 test 7",
            "004 §10.1 test 12",
            "004 §10.1 test 19",
            "004 §10.2 closure",
        ];
        assert_eq!(ids, expected);
    }
}
