//! File paths in the output of tools.

use std::collections::BTreeSet;

/// The length of the start of an output that is searched, in bytes.
pub const MAX_OUTPUT_BYTES: usize = 64 * 1024;
/// The maximum length of an extension without the dot, in bytes.
const MAX_EXTENSION_BYTES: usize = 12;

/// Returns the extensions of the file paths in the output of a tool, in lower case with the dot. Searches the first
/// [`MAX_OUTPUT_BYTES`].
///
/// A word is a path if it contains a slash (`src/cart.rs`), if a line number follows (`cart.rs:12`), or if it is a line
/// by itself (a list of files). Other words with a dot are text, such as `self.total` or `example.com`. URLs are not
/// paths.
pub fn extensions_in_output(output: &str) -> BTreeSet<String> {
    let output = output.get(..output.floor_char_boundary(MAX_OUTPUT_BYTES)).unwrap_or_default();
    let mut extensions = BTreeSet::new();
    for line in output.lines().map(str::trim) {
        // The search for a dot is fast, and most lines of most outputs have none.
        if line.contains('.') {
            add_extensions(&mut extensions, line);
        }
    }
    extensions
}

/// Adds the extensions of the paths in a line.
fn add_extensions(extensions: &mut BTreeSet<String>, line: &str) {
    let mut rest = line;
    while let Some(start) = rest.find(is_path_character) {
        let word_and_rest = &rest[start..];
        let end = word_and_rest.find(|c| !is_path_character(c)).unwrap_or(word_and_rest.len());
        let (word, after) = word_and_rest.split_at(end);
        rest = after;
        let has_line_number =
            after.strip_prefix(':').is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()));
        let is_path = !word.starts_with("//") && (word.contains('/') || has_line_number || word.len() == line.len());
        if is_path && let Some(extension) = extension(word.trim_end_matches('.')) {
            extensions.insert(extension);
        }
    }
}

/// Returns whether a character may occur in a path. Spaces are excluded, since they separate words.
fn is_path_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '/' | '.' | '-' | '_' | '@' | '+' | '~')
}

/// Returns the extension of a path, in lower case with the dot; `None` if the file name has none, is only an extension
/// (`.env`), or if the extension is a number (`v1.2`), longer than [`MAX_EXTENSION_BYTES`] or not alphanumeric.
fn extension(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let is_extension = !stem.trim_matches('.').is_empty()
        && extension.len() <= MAX_EXTENSION_BYTES
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && extension.bytes().any(|byte| byte.is_ascii_alphabetic());
    is_extension.then(|| format!(".{}", extension.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(output: &str) -> String {
        extensions_in_output(output).into_iter().collect()
    }

    #[test]
    fn paths_in_lists_matches_and_messages_are_found() {
        for (output, expected) in [
            ("src/cart.rs\nCargo.toml\n", ".rs.toml"),
            ("db/schema.SQL:12:create table", ".sql"),
            ("cart.py:3: total = 1", ".py"),
            ("error[E0308]: mismatched types\n --> src/a.rs:4:5\n", ".rs"),
            ("The file /home/dev/shop/web/app.d.ts has been updated.", ".ts"),
            ("M  web/index.html", ".html"),
            ("see `docs/notes.md`.", ".md"),
            ("import { a } from './cart.mjs'", ".mjs"),
            ("  notes.txt  ", ".txt"),
        ] {
            assert_eq!(found(output), expected, "{output}");
        }
    }

    #[test]
    fn words_with_a_dot_that_are_no_paths_are_not_found() {
        for output in [
            "self.total += item.price",
            "see example.com or https://example.com/index.html",
            "version 1.2.3, 4.5 s",
            "v1/2.0",
            "Done. Next.",
            "and/or etc.",
            "/home/dev/.env",
            "src/..",
            "",
        ] {
            assert_eq!(found(output), "", "{output}");
        }
    }

    #[test]
    fn only_the_start_of_a_long_output_is_searched() {
        let long = format!("{}\nsrc/late.rs\n", "é".repeat(MAX_OUTPUT_BYTES / 2));
        assert_eq!(found(&long), "");
        assert_eq!(found(&format!("src/early.go\n{long}")), ".go");
    }
}
