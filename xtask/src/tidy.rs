//! Checks that neither the compiler nor clippy makes: first lines, lengths, forbidden words, links, citations, wording.
//!
//! `rust` checks source files, `links` and `citations` check references between files, and `words` counts vague words
//! in doc comments.

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

/// The extensions of the files that are checked. Snapshots are not, because they hold the exact output of programs.
const CHECKED_EXTENSIONS: &[&str] = &["md", "rs", "toml", "yaml", "yml"];

/// The file whose tests cite headings that do not exist.
const CITATION_TESTS: &str = "xtask/src/tidy/citations.rs";

/// The file with the list of stand-in words, which is not counted.
const WORD_LIST: &str = "xtask/src/tidy/words.rs";

/// Checks every source file and documentation page of the workspace. Fails with a list of all problems.
pub(crate) fn run() -> Outcome {
    let headings = Headings::load()?;
    let mut findings = Vec::new();
    let mut words = WordCount::default();
    let mut file_count = 0;
    for path in workspace::list_files(&workspace::root())? {
        let Some(extension) = path.extension().and_then(|extension| extension.to_str()) else { continue };
        if !CHECKED_EXTENSIONS.contains(&extension) {
            continue;
        }
        file_count += 1;
        let display_path = workspace::display_path(&path);
        let text = workspace::read_file(&path)?;
        let mut file_findings = trailing_white_space(&text);
        if display_path != CITATION_TESTS {
            file_findings.extend(headings.unresolved(&text));
        }
        match extension {
            "rs" => {
                file_findings.extend(rust::check_file(&display_path, &text));
                if display_path != WORD_LIST {
                    words.add(&display_path, &text);
                }
            }
            "md" => file_findings.extend(links::find_broken(path.parent().unwrap_or(Path::new(".")), &text)),
            _ => {}
        }
        findings.extend(file_findings.into_iter().map(|(line, finding)| format!("{display_path}:{line}: {finding}")));
    }
    Failure::unless_empty("untidy places", &findings)?;
    if let Some(excess) = words.excess() {
        return Err(Failure::new(excess));
    }
    println!("tidy: {file_count} files; {}", words.summary());
    Ok(())
}

/// A line number, from 1, and the problem found in that line.
type Finding = (usize, String);

/// Returns a finding for every line that ends with white space.
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
