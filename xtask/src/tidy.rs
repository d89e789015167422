//! Checks that neither the compiler nor clippy makes: first lines, lengths, forbidden words, links, citations, wording.

mod citations;
mod links;
mod rust;
mod words;

use std::path::Path;

use crate::{
    failure::{Failure, Outcome},
    workspace,
};
use citations::Headings;
use words::WordCount;

/// Endings of the files that are checked. Snapshots are not among them: they hold printed output as it was printed.
const CHECKED: &[&str] = &["md", "rs", "toml", "yaml", "yml"];

/// Whether too many stand-in words fail the check; otherwise the count is only printed.
const LIMITS_WORDS: bool = false;

/// The file whose examples cite headings that do not exist.
const CITATION_TESTS: &str = "xtask/src/tidy/citations.rs";

/// The file with the list of stand-in words.
const WORD_LIST: &str = "xtask/src/tidy/words.rs";

/// Checks every source file and page of the workspace. Fails with one line per finding.
pub(crate) fn run() -> Outcome {
    let headings = Headings::load()?;
    let mut findings = Vec::new();
    let mut words = WordCount::default();
    let mut checked = 0;
    for path in workspace::files(&workspace::root())? {
        let Some(ending) = path.extension().and_then(|ending| ending.to_str()) else { continue };
        if !CHECKED.contains(&ending) {
            continue;
        }
        checked += 1;
        let shown = workspace::shown(&path);
        let text = workspace::read(&path)?;
        let mut found = trailing_white_space(&text);
        if shown != CITATION_TESTS {
            found.extend(headings.unresolved(&text));
        }
        match ending {
            "rs" => {
                found.extend(rust::findings(&shown, &text));
                if shown != WORD_LIST {
                    words.add(&shown, &text);
                }
            }
            "md" => found.extend(links::broken(path.parent().unwrap_or(Path::new(".")), &text)),
            _ => {}
        }
        findings.extend(found.into_iter().map(|(line, finding)| format!("{shown}:{line}: {finding}")));
    }
    Failure::unless_empty("untidy places", &findings)?;
    if LIMITS_WORDS && let Some(excess) = words.excess() {
        return Err(Failure::new(excess));
    }
    println!("tidy: {checked} files; {}", words.summary());
    Ok(())
}

/// A line number, counted from 1, and the problem found there.
type Finding = (usize, String);

fn trailing_white_space(text: &str) -> Vec<Finding> {
    let ends_blank = |(_, line): &(usize, &str)| line.ends_with([' ', '\t', '\r']);
    let lines = (1..).zip(text.split('\n')).filter(ends_blank);
    lines.map(|(number, _)| (number, "trailing white space".to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_white_space_is_reported_with_its_line() {
        let found = trailing_white_space("a\nb \n\nc\t\n");
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4]);
    }
}
