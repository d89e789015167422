//! Splits a `SKILL.md` into front matter and instructions.

use super::limits::MAX_FRONT_MATTER_BYTES;
use crate::finding::{Finding, FindingCode};

/// The line before and after front matter.
const FENCE: &str = "---";

/// The parts of a `SKILL.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SplitText<'a> {
    /// The YAML between the fences, which starts at line 2; `None` if the first line is no fence.
    pub(crate) front_matter: Option<&'a str>,
    /// The instructions.
    pub(crate) body: &'a str,
    /// The line at which the instructions start, from 1.
    pub(crate) body_line: u32,
}

/// Splits the text of a `SKILL.md`.
///
/// # Errors
/// [`FindingCode::UnclosedFrontMatter`] and [`FindingCode::FrontMatterTooLarge`].
pub(crate) fn split_front_matter<'a>(text: &'a str, path: &str) -> Result<SplitText<'a>, Finding> {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == FENCE) else {
        return Ok(SplitText { front_matter: None, body: text, body_line: 1 });
    };
    let start = first.len();
    let mut end = start;
    let mut line_number = 2;
    for line in lines {
        if line.trim_end() == FENCE {
            let front_matter = text.get(start..end);
            let body = text.get(end + line.len()..).unwrap_or_default();
            return Ok(SplitText { front_matter, body, body_line: line_number + 1 });
        }
        end += line.len();
        line_number += 1;
        if MAX_FRONT_MATTER_BYTES < end - start {
            let message =
                format!("the front matter is longer than {MAX_FRONT_MATTER_BYTES} bytes: close it with `---`");
            return Err(Finding::at_line(path, line_number - 1, FindingCode::FrontMatterTooLarge, message));
        }
    }
    let message = "the front matter has no end: close it with a line `---`";
    Err(Finding::at_line(path, 1, FindingCode::UnclosedFrontMatter, message))
}

#[cfg(test)]
mod tests {
    use super::{MAX_FRONT_MATTER_BYTES, split_front_matter};
    use crate::finding::FindingCode;

    #[test]
    fn front_matter_ends_at_the_second_fence() {
        let split = split_front_matter("---\r\nname: a\r\n---\r\nBody\n---\nx", "p").unwrap();
        assert_eq!((split.front_matter, split.body, split.body_line), (Some("name: a\r\n"), "Body\n---\nx", 4));
        let split = split_front_matter("---\n---", "p").unwrap();
        assert_eq!((split.front_matter, split.body), (Some(""), ""));
    }

    #[test]
    fn a_text_without_a_fence_is_all_instructions() {
        let split = split_front_matter("# Title\n---\n", "p").unwrap();
        assert_eq!((split.front_matter, split.body, split.body_line), (None, "# Title\n---\n", 1));
    }

    #[test]
    fn front_matter_without_an_end_or_above_the_limit_is_rejected() {
        let unclosed = split_front_matter("---\nname: a\n", "p").unwrap_err();
        assert_eq!((unclosed.code, unclosed.line), (FindingCode::UnclosedFrontMatter, Some(1)));
        let long = format!("---\n{}---\n", "key: value\n".repeat(MAX_FRONT_MATTER_BYTES / 10));
        assert_eq!(split_front_matter(&long, "p").unwrap_err().code, FindingCode::FrontMatterTooLarge);
    }
}
