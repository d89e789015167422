//! Finds the section of a `SKILL.md` that describes when the skill is used.

use super::limits::MAX_USE_CASE_BYTES;

/// Titles of the section, in lower case.
const TITLES: &[&str] =
    &["when to use", "when to use it", "when to use this", "when to use this skill", "when to invoke", "use when"];

/// Returns the text below the first heading "When to use", up to the next heading of any level, at most
/// [`MAX_USE_CASE_BYTES`]. Empty if the instructions have no such section.
pub(super) fn find_section(body: &str) -> String {
    let mut lines = body.lines();
    if !lines.any(|line| heading(line).is_some_and(|title| TITLES.contains(&title.to_lowercase().as_str()))) {
        return String::new();
    }
    let mut section = String::new();
    let is_text = |line: &&str| !line.trim_matches(['-', '*', '_', ' ']).is_empty();
    for line in lines.take_while(|line| heading(line).is_none()).map(str::trim).filter(is_text) {
        if MAX_USE_CASE_BYTES < section.len() + 1 + line.len() {
            break;
        }
        if !section.is_empty() {
            section.push('\n');
        }
        section.push_str(line);
    }
    section
}

/// Returns the title of a Markdown heading; `None` for another line.
fn heading(line: &str) -> Option<&str> {
    let title = line.strip_prefix('#')?.trim_start_matches('#');
    title.starts_with(' ').then(|| title.trim().trim_end_matches(':'))
}

#[cfg(test)]
mod tests {
    use super::find_section;

    #[test]
    fn the_section_ends_at_the_next_heading() {
        let body = "# T\n\n## When to Use This Skill\n\nUse it to:\n\n- deploy\n\n---\n### Not\n- other\n";
        assert_eq!(find_section(body), "Use it to:\n- deploy");
    }

    #[test]
    fn headings_about_other_subjects_and_long_lines_are_skipped() {
        assert_eq!(find_section("## When to Use Records vs Classes\ntext\n"), "");
        assert_eq!(find_section("#when to use\ntext\n"), "");
        assert_eq!(find_section(&format!("## When to use\nfirst\n{}\n", "x".repeat(3_000))), "first");
    }
}
