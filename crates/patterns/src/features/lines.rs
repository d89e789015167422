//! The lines of a text: how many say something, how long the first is, and which look like options.

/// What the lines of a text are, those of white space alone dropped.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) all: u64,
    /// Characters of the first.
    pub(super) head: u64,
    /// Lines that begin like one of several options.
    pub(super) options: u64,
    /// Characters of all options, without what makes them such.
    pub(super) option_characters: u64,
}

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let mut found = Self::default();
        for line in text.lines().filter(|line| !line.chars().all(char::is_whitespace)) {
            if found.all == 0 {
                found.head = line.chars().count() as u64;
            }
            found.all += 1;
            if let Some(option) = option(line) {
                found.options += 1;
                found.option_characters += option.chars().count() as u64;
            }
        }
        found
    }
}

/// What follows `A)`, `2.`, `- ` or `* ` at the beginning of a line.
fn option(line: &str) -> Option<&str> {
    let name = match line.as_bytes() {
        [b'-' | b'*', b' ', ..] => return line.get(2..),
        [b'A'..=b'H', ..] => 1,
        bytes => bytes.iter().take_while(|byte| byte.is_ascii_digit()).count(),
    };
    let rest = line.get(name..)?;
    if name == 0 { None } else { rest.strip_prefix(['.', ')']) }
}
