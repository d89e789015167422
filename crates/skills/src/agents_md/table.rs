//! Tables of a markdown text.

/// A row of a table, with the cells of the table's header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableRow<'a> {
    /// The cells of the header, as many as the table has columns.
    pub(super) header: Vec<&'a str>,
    /// The cells of the row, without spaces around them.
    pub(super) cells: Vec<&'a str>,
}

/// A line of a markdown text as far as AGENTS.md rows depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A heading, without its marks.
    Heading(&'a str),
    /// A row of a table; headers and separators are not included.
    Row(TableRow<'a>),
    /// An item of a list, without its mark.
    Item(&'a str),
}

/// Iterates over the headings, table rows and list items of a text with their line numbers from 1. Fenced code is skipped.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (u32, Line<'_>)> {
    let mut fence: Option<&str> = None;
    let mut previous_cells: Option<Vec<&str>> = None;
    let mut header: Option<Vec<&str>> = None;
    (1..).zip(text.lines()).filter_map(move |(number, line)| {
        let line = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        if let Some(open) = fence {
            if mark == Some(open) {
                fence = None;
            }
            return None;
        }
        if mark.is_some() {
            (fence, header, previous_cells) = (mark, None, None);
            return None;
        }
        if !line.starts_with('|') {
            (header, previous_cells) = (None, None);
            return heading_or_item(line).map(|line| (number, line));
        }
        let cells = split_cells(line);
        if let Some(header) = &header {
            return Some((number, Line::Row(TableRow { header: header.clone(), cells })));
        }
        if is_separator(&cells) {
            header = previous_cells.take();
        } else {
            previous_cells = Some(cells);
        }
        None
    })
}

/// Returns the heading or list item that a line is; `None` for other lines.
fn heading_or_item(line: &str) -> Option<Line<'_>> {
    if line.starts_with('#') {
        return Some(Line::Heading(line.trim_matches(['#', ' '])));
    }
    ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)).map(|item| Line::Item(item.trim()))
}

/// Splits a row at its bars, except escaped ones, and those in code.
fn split_cells(line: &str) -> Vec<&str> {
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    let (mut escaped, mut in_code) = (false, false);
    line.split(|letter| {
        let splits = letter == '|' && !escaped && !in_code;
        in_code ^= letter == '`';
        escaped = letter == '\\' && !escaped;
        splits
    })
    .map(str::trim)
    .collect()
}

/// Returns whether the cells are those of the separator below a header.
fn is_separator(cells: &[&str]) -> bool {
    cells.iter().all(|cell| cell.contains('-') && cell.chars().all(|letter| matches!(letter, '-' | ':' | ' ')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_items_and_headings_are_found_outside_code() {
        let text = "## Tasks ##\n| Task | Load Skill |\n|:---|---|\n| A \\| B | `a|b` |\nprose\n```\n| x | y |\n- no\n```\n- item\n";
        let found: Vec<_> = lines(text).collect();
        let row = TableRow { header: vec!["Task", "Load Skill"], cells: vec!["A \\| B", "`a|b`"] };
        assert_eq!(found, [(1, Line::Heading("Tasks")), (4, Line::Row(row)), (10, Line::Item("item"))]);
    }

    #[test]
    fn a_table_without_separator_has_no_rows() {
        assert_eq!(lines("| a | b |\n| c | d |\n").count(), 0);
        assert_eq!(lines("|---|\n| c |\n").count(), 0);
    }
}
