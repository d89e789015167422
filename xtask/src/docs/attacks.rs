//! The table of attacks in docs/reliability.md, generated from the tests that repeat them.
//!
//! Such a test has two doc lines, `Attack:` with the attack and `Holds:` with the property that it checks.

use std::{fmt::Write as _, fs, path::Path};

use crate::{
    bench::page::GeneratedSection,
    failure::{Failure, Outcome},
    workspace,
};

/// The generated section of docs/reliability.md.
const TABLE: GeneratedSection =
    GeneratedSection { begin: "<!-- attacks: written by `cargo xtask docs` -->\n", end: "<!-- end of attacks -->\n" };

/// An attack on the gateway or the log, with the test that performs it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Attack {
    /// Path of the file of the test, relative to the workspace.
    file: String,
    /// What is attacked.
    action: String,
    /// What must hold.
    holds: String,
    /// Name of the test function.
    test: String,
}

/// Returns docs/reliability.md with the present table.
pub(super) fn attacks_page() -> Outcome<String> {
    let root = workspace::root();
    let mut attacks = Vec::new();
    add_from_folder(&root.join("crates"), &root, &mut attacks)?;
    attacks.sort();
    let mut table = "\n| attack | must hold | test |\n| --- | --- | --- |\n".to_owned();
    for Attack { file, action, holds, test } in attacks {
        // Writing to a `String` always succeeds.
        let _ = writeln!(table, "| {action} | {holds} | `{test}` in `{file}` |");
    }
    table.push('\n');
    TABLE.replace_in(&workspace::read_file(&root.join("docs/reliability.md"))?, &table)
}

/// Adds the attacks in the Rust files of a folder and its folders.
fn add_from_folder(folder: &Path, root: &Path, attacks: &mut Vec<Attack>) -> Outcome {
    let list_error = |error: std::io::Error| Failure::new(format!("cannot list {}: {error}", folder.display()));
    for entry in fs::read_dir(folder).map_err(list_error)? {
        let path = entry.map_err(list_error)?.path();
        if path.is_dir() {
            add_from_folder(&path, root, attacks)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let file = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            attacks.extend(attacks_in(&workspace::read_file(&path)?, &file));
        }
    }
    Ok(())
}

/// Returns the attacks in the text of a file.
fn attacks_in(text: &str, file: &str) -> Vec<Attack> {
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    let starts = lines.iter().enumerate().filter_map(|(index, line)| Some((index, line.strip_prefix("/// Attack: ")?)));
    starts
        .filter_map(|(index, attack)| {
            let following_lines = lines.get(index + 1..)?;
            let holds = following_lines.first()?.strip_prefix("/// Holds: ")?;
            let declaration =
                following_lines.iter().find_map(|line| line.strip_prefix("fn ").or(line.strip_prefix("async fn ")))?;
            let test = declaration.split('(').next()?;
            Some(Attack {
                file: file.to_owned(),
                action: attack.trim_end_matches('.').to_owned(),
                holds: holds.trim_end_matches('.').to_owned(),
                test: test.to_owned(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_with_both_lines_is_a_row() {
        let text = "/// Attack: a flood.\n    /// Holds: it ends.\n    #[test]\n    fn a_flood_ends() {}\n/// Attack: alone\nfn other() {}\n";
        let attacks = attacks_in(text, "a.rs");
        assert_eq!(attacks.len(), 1);
        assert_eq!((attacks[0].action.as_str(), attacks[0].holds.as_str()), ("a flood", "it ends"));
        assert_eq!(attacks[0].test, "a_flood_ends");
    }
}
