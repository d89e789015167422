//! What neither the compiler nor clippy checks: openings, lengths, forbidden words, links.

mod links;
mod rust;

use std::path::Path;

use crate::{
    failure::{Failure, Outcome},
    workspace,
};

/// Texts in which trailing white space is a mistake. Snapshots hold what was printed, whatever it is.
const TEXTS: &[&str] = &["md", "rs", "toml", "yaml", "yml"];

pub(crate) fn run() -> Outcome {
    let mut findings = Vec::new();
    let mut checked = 0;
    for path in workspace::files(&workspace::root())? {
        let Some(kind) = path.extension().and_then(|extension| extension.to_str()) else { continue };
        if !TEXTS.contains(&kind) {
            continue;
        }
        checked += 1;
        let shown = workspace::shown(&path);
        let text = workspace::read(&path)?;
        let mut found = trailing_white_space(&text);
        match kind {
            "rs" => found.extend(rust::findings(&shown, &text)),
            "md" => found.extend(links::broken(path.parent().unwrap_or(Path::new(".")), &text)),
            _ => {}
        }
        findings.extend(found.into_iter().map(|(line, what)| format!("{shown}:{line}: {what}")));
    }
    Failure::unless_empty("untidy places", &findings)?;
    println!("tidy: {checked} files");
    Ok(())
}

/// A line of a file, counted from 1, and what is wrong with it.
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
    fn white_space_at_the_end_of_a_line_is_found_with_its_line() {
        let found = trailing_white_space("a\nb \n\nc\t\n");
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4]);
    }
}
