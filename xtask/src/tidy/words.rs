//! Counts doc comments with a stand-in word: a vague word in the place of an established term. CONTRIBUTING.md has the
//! rule.

/// Words and phrases that usually replace a term: "says" for returns, contains or reports, "nobody" for `None` or
/// unknown.
const STAND_INS: &[&str] = &[
    "anybody",
    "as it is",
    "as they are",
    "everybody",
    "goes on",
    "looked at",
    "looks at",
    "nobody",
    "said",
    "says",
    "so long",
    "so many",
    "so much",
    "somebody",
    "stands for",
    "stands in",
    "tells",
    "the one before",
    "the one that",
    "those that",
    "told",
    "untold",
    "what was",
    "who asks",
];

/// The highest accepted number of lines with a stand-in word, per 10,000 doc lines.
const MAX_PER_10_000: usize = 40;

/// The number of findings that a failure lists.
const MAX_LISTED: usize = 30;

/// The number of doc lines in the workspace, and the lines with a stand-in word.
#[derive(Default)]
pub(super) struct WordCount {
    /// The number of all doc lines.
    doc_lines: usize,
    /// A message for every line with a stand-in word.
    findings: Vec<String>,
}

impl WordCount {
    /// Counts the doc comments of a Rust file; `path` is relative to the workspace.
    pub(super) fn add(&mut self, path: &str, text: &str) {
        for (number, line) in (1..).zip(text.lines()) {
            let Some(comment) = doc_comment(line) else { continue };
            self.doc_lines += 1;
            if let Some(word) = find_stand_in(comment) {
                self.findings.push(format!("{path}:{number}: `{word}` in: {}", comment.trim()));
            }
        }
    }

    /// Returns the number of lines with a stand-in word per 10,000 doc lines, rounded down; 0 without doc lines.
    fn per_10_000(&self) -> usize {
        self.findings.len() * 10_000 / self.doc_lines.max(1)
    }

    /// Formats the count and the limit as a sentence.
    pub(super) fn summary(&self) -> String {
        let (count, lines) = (self.findings.len(), self.doc_lines);
        format!(
            "{count} of {lines} doc lines have a stand-in word, {} per 10,000 (limit {MAX_PER_10_000})",
            self.per_10_000()
        )
    }

    /// Returns the summary and the findings of the files with most of them; `None` if the count is within the limit.
    pub(super) fn excess(&self) -> Option<String> {
        if self.per_10_000() <= MAX_PER_10_000 {
            return None;
        }
        let worst_findings: Vec<_> = self.worst_first().into_iter().take(MAX_LISTED).collect();
        Some(format!("{}:\n  {}", self.summary(), worst_findings.join("\n  ")))
    }

    /// Returns all findings, those of the files with most findings first.
    fn worst_first(&self) -> Vec<&str> {
        let file = |finding: &str| finding.split(':').next().unwrap_or_default().to_owned();
        let count = |finding: &str| self.findings.iter().filter(|other| file(other) == file(finding)).count();
        let mut findings: Vec<&str> = self.findings.iter().map(String::as_str).collect();
        findings.sort_by_cached_key(|finding| std::cmp::Reverse(count(finding)));
        findings
    }
}

/// Returns the text of a doc comment; `None` for any other line.
fn doc_comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))
}

/// Returns the first stand-in word in a comment; `None` if it has none. Compares whole words without regard to case.
fn find_stand_in(comment: &str) -> Option<&'static str> {
    let letters = |letter: char| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' };
    let words: String = comment.chars().map(letters).collect();
    let words = format!(" {} ", words.split_whitespace().collect::<Vec<_>>().join(" "));
    STAND_INS.iter().find(|stand_in| words.contains(&format!(" {stand_in} "))).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the doc comments of a file `a.rs`.
    fn count(text: &str) -> WordCount {
        let mut count = WordCount::default();
        count.add("a.rs", text);
        count
    }

    #[test]
    fn whole_words_of_doc_comments_are_counted() {
        let text = "//! What nobody knows.\n/// Retold.\n// He says.\nfn f() {} // told\n    /// As it\n    /// Goes on: here.\n";
        let counted = count(text);
        assert_eq!(counted.doc_lines, 4);
        assert_eq!(
            counted.findings,
            ["a.rs:1: `nobody` in: What nobody knows.", "a.rs:6: `goes on` in: Goes on: here."]
        );
        assert_eq!(counted.per_10_000(), 5_000);
    }

    #[test]
    fn a_count_above_the_limit_lists_the_worst_file_first() {
        let mut counted = count("/// It says.\n");
        counted.add("b.rs", "/// Told.\n/// It tells.\n");
        let excess = counted.excess().unwrap();
        let lines: Vec<_> = excess.lines().collect();
        assert_eq!(lines[0], "3 of 3 doc lines have a stand-in word, 10000 per 10,000 (limit 40):");
        assert_eq!(lines[1], "  b.rs:1: `told` in: Told.");
        assert_eq!(count("/// Returns the name.\n").excess(), None);
    }
}
