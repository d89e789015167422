//! Counts of lines and of list items.

/// The number of lines and list items of a text, with their lengths. Blank lines are ignored.
#[derive(Debug, Default)]
pub(super) struct LineCounts {
    /// The number of lines that are not blank.
    pub(super) lines: u64,
    /// The length, in characters, of the first line that is not blank.
    pub(super) first_line_characters: u64,
    /// The number of lines that start with a list marker such as `- ` or `2.`.
    pub(super) items: u64,
    /// The number of characters after the list marker, summed over all list items.
    pub(super) item_characters: u64,
}

impl LineCounts {
    /// Counts the lines and list items of `text`; all counts are 0 if every line is blank.
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

/// Returns the text of a list item, without its marker (`A)`, `2.`, `- ` or `* `); `None` if the line does not start
/// with a list marker.
fn list_item(line: &str) -> Option<&str> {
    let label = match line.as_bytes() {
        [b'-' | b'*', b' ', ..] => return line.get(2..),
        [b'A'..=b'H', ..] => 1,
        bytes => bytes.iter().take_while(|byte| byte.is_ascii_digit()).count(),
    };
    let rest = line.get(label..)?;
    if label == 0 { None } else { rest.strip_prefix(['.', ')']) }
}
