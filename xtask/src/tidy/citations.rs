//! Resolves citations of specifications and decisions (`004 §4.5`, `decision D5`) against the headings of docs/spec.

use std::collections::BTreeSet;

use super::Finding;
use crate::{failure::Outcome, workspace};

/// The specification of sections that are cited without a number of the document.
const DEFAULT_SPECIFICATION: &str = "004";

/// The citations that resolve to a heading, such as `004 §4.5` and `D5`.
pub(super) struct Headings(BTreeSet<String>);

impl Headings {
    /// Reads the headings of every page in docs/spec.
    pub(super) fn load() -> Outcome<Self> {
        let mut headings = BTreeSet::new();
        for page in workspace::list_files(&workspace::root().join("docs/spec"))? {
            let specification = page.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            headings.extend(parse_headings(&specification, &workspace::read_file(&page)?));
        }
        Ok(Self(headings))
    }

    /// Returns a finding for every citation in a file that has no heading.
    pub(super) fn unresolved(&self, text: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !defines_section(line)) {
            let unresolved = find_citations(line).into_iter().filter(|citation| !self.0.contains(citation));
            findings.extend(unresolved.map(|citation| (number, format!("`{citation}` has no heading in docs/spec"))));
        }
        findings
    }
}

/// Returns the citations that the headings of a page define, such as `004 §4.5` and `D5`. `specification` is the page's
/// name without extension.
fn parse_headings(specification: &str, page: &str) -> BTreeSet<String> {
    let titles = page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches(['#', ' ']));
    let numbers = titles.filter_map(|title| title.split(' ').next());
    let citations = numbers.filter_map(|number| {
        if is_decision(number) {
            return Some(number.to_owned());
        }
        number.starts_with('§').then(|| format!("{specification} {number}"))
    });
    citations.collect()
}

/// Returns the citations in a line: sections of specifications, which have three digits (`004 §4.5`; without a number the one
/// of [`DEFAULT_SPECIFICATION`]), and decisions (`D5`). Sections of other documents, such as `RFC 9110 §5`, are not included.
fn find_citations(line: &str) -> Vec<String> {
    let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '.' && letter != '§');
    let words = words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty());
    let mut citations = Vec::new();
    let mut document = DEFAULT_SPECIFICATION;
    for word in words {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            document = word;
        } else if is_decision(word) {
            citations.push(word.to_owned());
        } else if word.starts_with('§') && word != "§" && document.len() == DEFAULT_SPECIFICATION.len() {
            citations.push(format!("{document} {word}"));
        }
    }
    citations
}

/// Returns whether a line is the heading of a section in docs/spec, such as `### §4.5 Availability`.
fn defines_section(line: &str) -> bool {
    line.starts_with('#') && line.trim_start_matches(['#', ' ']).starts_with('§')
}

/// Returns whether a word is the number of a decision, such as `D5`.
fn is_decision(word: &str) -> bool {
    let Some(number) = word.strip_prefix('D') else { return false };
    (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_of_sections_and_decisions_are_found_and_those_of_other_documents_are_not() {
        assert_eq!(find_citations("//! The tests of 004 §4.5.3, §10.1 tests 7 and 19."), ["004 §4.5.3", "004 §10.1"]);
        assert_eq!(find_citations("/// Exact (decisions D20 and D25); see 003 §2"), ["D20", "D25", "003 §2"]);
        assert_eq!(find_citations("//! §6.9, line by line"), ["004 §6.9"]);
        assert_eq!(find_citations("a date (RFC 9110 §5.6.7), `DE4`, D123, in 004"), Vec::<String>::new());
    }

    #[test]
    fn a_citation_without_a_heading_is_reported_with_its_line() {
        let mut headings = parse_headings("004", "# 004\n\n## §4 Chain\n\n### §4.5 Availability\n");
        headings.extend(parse_headings("decisions", "## D5 Failures that count\n"));
        let text = "//! 004 §4.5, decision D5.\nfn a() {} // decision D6, §4.6\n";
        let headings = Headings(headings);
        assert_eq!(headings.unresolved("### §9.9 Own heading\n"), []);
        let found = headings.unresolved(text);
        let expected = ["`D6` has no heading in docs/spec", "`004 §4.6` has no heading in docs/spec"];
        assert_eq!(found, expected.map(|finding| (2, finding.to_owned())));
    }
}
