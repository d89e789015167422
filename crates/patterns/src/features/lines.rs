//! Counts of lines and of list items.

/// Counts over the lines of a text, without blank lines.
#[derive(Debug, Default)]
pub(super) struct LineCounts {
    /// All lines that are not blank.
    pub(super) lines: u64,
    /// The length of the first line in characters.
    pub(super) first_line_characters: u64,
    /// Lines that start with a list marker such as `- ` or `2.`.
    pub(super) items: u64,
    /// Characters after the marker in all those lines.
    pub(super) item_characters: u64,
}

impl LineCounts {
    /// Counts the lines of a text; all zero if it has none but blank ones.
    pub(super) fn count(text: &str) -> Self {
        let mut counts = Self::default();
        for line in text.lines().filter(|line| !line.chars().all(char::is_whitespace)) {
            if counts.lines == 0 {
                counts.first_line_characters = line.chars().count() as u64;
            }
            counts.lines += 1;
            if let Some(item) = list_item(line) {
                counts.items += 1;
                counts.item_characters += item.chars().count() as u64;
            }
        }
        counts
    }
}

/// Returns the text of a line after its list marker (`A)`, `2.`, `- ` or `* `); `None` if it has no marker.
fn list_item(line: &str) -> Option<&str> {
    let label = match line.as_bytes() {
        [b'-' | b'*', b' ', ..] => return line.get(2..),
        [b'A'..=b'H', ..] => 1,
        bytes => bytes.iter().take_while(|byte| byte.is_ascii_digit()).count(),
    };
    let rest = line.get(label..)?;
    if label == 0 { None } else { rest.strip_prefix(['.', ')']) }
}
