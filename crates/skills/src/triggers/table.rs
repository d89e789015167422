//! Reads trigger tables from markdown.

use std::collections::BTreeMap;

use super::{
    compound::Compound,
    row::{NegativeKeyword, TriggerRow, TriggerTable},
};
use crate::{
    finding::{Finding, FindingCode},
    text::normalized_phrase,
};

/// The largest accepted number of rows.
const MAX_ROWS: usize = 5_000;
/// Notations of an empty cell (000 §2.2).
const EMPTY: &[&str] = &["", "-", "--", "—", "–", "n/a", "none"];
/// Qualifiers of a negative keyword that has an effect only beside a single keyword (C-11 in docs/spec).
const STANDALONE: &[&str] = &["(standalone)", "(when alone)"];

/// The columns of a trigger table, by index. Only the keywords and the skill are required.
#[derive(Debug, Clone, Copy)]
struct Columns {
    /// "Detected Keywords".
    keywords: usize,
    /// "Skill".
    skill: usize,
    /// "Negative Keywords".
    negatives: Option<usize>,
    /// "Priority".
    priority: Option<usize>,
    /// "Compound Triggers".
    compound: Option<usize>,
}

impl Columns {
    /// Returns the columns of a header; `None` if it is not that of a trigger table.
    fn of_header(cells: &[String]) -> Option<Self> {
        let position = |name: &str| cells.iter().position(|cell| cell.eq_ignore_ascii_case(name));
        Some(Self {
            keywords: position("Detected Keywords")?,
            skill: position("Skill")?,
            negatives: position("Negative Keywords"),
            priority: position("Priority"),
            compound: position("Compound Triggers"),
        })
    }
}

/// Reads all trigger tables of a markdown file. A trigger table is a table with the columns "Detected Keywords" and
/// "Skill" in any order; "Negative Keywords", "Priority" and "Compound Triggers" are optional. `path` is the path of the
/// file for the findings. A row with an error is left out, or its faulty cell is.
pub fn parse_trigger_table(path: &str, markdown: &str) -> (TriggerTable, Vec<Finding>) {
    let mut reader = TableReader { path, rows: Vec::new(), by_skill: BTreeMap::new(), findings: Vec::new() };
    let mut columns = None;
    let mut has_table = false;
    let mut is_code = false;
    for (number, line) in (1_u32..).zip(markdown.lines()) {
        let line = line.trim();
        is_code ^= line.starts_with("```") || line.starts_with("~~~");
        if is_code || !line.contains('|') {
            columns = None;
            continue;
        }
        let cells = split_cells(line);
        if let Some(header) = Columns::of_header(&cells) {
            columns = Some(header);
            has_table = true;
        } else if let Some(columns) = columns
            && !is_delimiter(&cells)
        {
            if reader.rows.len() == MAX_ROWS {
                let message = format!("the table has more than {MAX_ROWS} rows; the others are not used");
                reader.report(number, FindingCode::TooManyValues, message);
                break;
            }
            reader.push_row(number, columns, &cells);
        }
    }
    if !has_table {
        let message = "no table has the columns \"Detected Keywords\" and \"Skill\"; add them to its header";
        reader.findings.push(Finding::of_file(path, FindingCode::NoTriggerTable, message));
    }
    (TriggerTable { path: path.to_owned(), rows: reader.rows }, reader.findings)
}

/// Collects the rows of the tables of a file.
struct TableReader<'a> {
    /// The path of the file.
    path: &'a str,
    /// The rows so far.
    rows: Vec<TriggerRow>,
    /// The index of the row of each skill.
    by_skill: BTreeMap<String, usize>,
    /// The findings so far.
    findings: Vec<Finding>,
}

impl TableReader<'_> {
    /// Adds a finding about a line.
    fn report(&mut self, line: u32, code: FindingCode, message: impl Into<String>) {
        self.findings.push(Finding::at_line(self.path, line, code, message));
    }

    /// Adds a row of a table.
    fn push_row(&mut self, line: u32, columns: Columns, cells: &[String]) {
        let cell = |column: usize| cells.get(column).map_or("", String::as_str);
        let Some(skill) = skill_name(cell(columns.skill)) else {
            return self.report(line, FindingCode::InvalidRow, "the row names no skill; it is not used");
        };
        let keywords = self.remove_empty_keywords(line, split_list(cell(columns.keywords)));
        if keywords.is_empty() {
            let message = format!("the row of \"{skill}\" has no keyword; the skill is only loaded by its name");
            self.report(line, FindingCode::InvalidRow, message);
        }
        let negatives = columns.negatives.map(|column| split_list(cell(column))).unwrap_or_default();
        let negatives = negatives.iter().map(|text| negative(text)).collect();
        let row_number = u32::try_from(self.rows.len()).unwrap_or(u32::MAX).saturating_add(1);
        let priority = columns.priority.map_or(Some(row_number), |column| cell(column).parse().ok().filter(|&n| 0 < n));
        if priority.is_none() {
            let message = format!("the priority of \"{skill}\" is not a number from 1; {row_number} is used");
            self.report(line, FindingCode::InvalidRow, message);
        }
        let compound = columns.compound.map_or("", cell);
        let compound = if is_empty(compound) { None } else { self.compound(line, compound) };
        let priority = priority.unwrap_or(row_number);
        let row = TriggerRow { skill: skill.clone(), keywords, negatives, priority, compound, line };
        match self.by_skill.get(&skill).and_then(|index| self.rows.get_mut(*index)) {
            None => {
                self.by_skill.insert(skill, self.rows.len());
                self.rows.push(row);
            }
            Some(first) => {
                let first_line = first.line;
                first.keywords.extend(row.keywords);
                first.negatives.extend(row.negatives);
                first.priority = first.priority.min(row.priority);
                first.compound = first.compound.take().or(row.compound);
                let message = format!("\"{skill}\" has a row in line {first_line} as well; the rows are united");
                self.report(line, FindingCode::DuplicateName, message);
            }
        }
    }

    /// Removes the keywords without a word, such as `***`, which can match nothing. Adds a finding for each of them, with the
    /// `line` of their row.
    fn remove_empty_keywords(&mut self, line: u32, keywords: Vec<String>) -> Vec<String> {
        let (searchable, others): (Vec<_>, Vec<_>) =
            keywords.into_iter().partition(|keyword| !normalized_phrase(keyword).is_empty());
        for keyword in others {
            let message = format!("the keyword \"{keyword}\" has no word that is searched; it is not used");
            self.report(line, FindingCode::InvalidRow, message);
        }
        searchable
    }

    /// Parses the compound trigger of a row; `None` with a finding if it is faulty.
    fn compound(&mut self, line: u32, text: &str) -> Option<Compound> {
        match Compound::parse(text) {
            Ok(compound) => Some(compound),
            Err(error) => {
                self.report(line, FindingCode::InvalidCompound, format!("{error}; the compound trigger is not used"));
                None
            }
        }
    }
}

/// Splits a line of a table into its cells without surrounding white space. `\|` is a character of a cell.
fn split_cells(line: &str) -> Vec<String> {
    let inner = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, cells.last_mut()) {
            ('\\', Some(cell)) if chars.peek() == Some(&'|') => {
                chars.next();
                cell.push('|');
            }
            ('|', _) => cells.push(String::new()),
            (c, Some(cell)) => cell.push(c),
            (_, None) => {}
        }
    }
    if cells.last().is_some_and(|last| last.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Returns whether the cells are the line between the header and the rows of a table.
fn is_delimiter(cells: &[String]) -> bool {
    !cells.is_empty()
        && cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':' | ' ')))
        && cells.iter().any(|cell| 2 < cell.len())
}

/// Returns whether a cell or an entry of a list is empty.
fn is_empty(text: &str) -> bool {
    EMPTY.iter().any(|empty| text.eq_ignore_ascii_case(empty))
}

/// Splits a cell at its commas, and removes quotation marks and backquotes.
fn split_list(cell: &str) -> Vec<String> {
    let unquoted = cell.split(',').map(|entry| entry.trim().trim_matches(['"', '`', '“', '”', '*']).trim());
    unquoted.filter(|entry| !is_empty(entry)).map(str::to_owned).collect()
}

/// Parses a negative keyword with its qualifier.
fn negative(text: &str) -> NegativeKeyword {
    let lower = text.to_lowercase();
    let qualifier = STANDALONE.iter().find(|qualifier| lower.ends_with(*qualifier));
    match qualifier.and_then(|qualifier| text.get(..text.len() - qualifier.len())) {
        Some(keyword) => NegativeKeyword { keyword: keyword.trim().to_owned(), standalone: true },
        None => NegativeKeyword { keyword: text.to_owned(), standalone: false },
    }
}

/// Returns the name of the skill in a cell: the first word, without backquotes and a slash; `None` if there is none.
fn skill_name(cell: &str) -> Option<String> {
    let quoted = cell.split('`').nth(1).filter(|_| cell.matches('`').count() > 1);
    let name = quoted.unwrap_or(cell).split_whitespace().next()?;
    let name = name.trim_matches(['`', '"', '*', ',']).trim_start_matches('/');
    (!is_empty(name) && name.contains(char::is_alphanumeric)).then(|| name.to_owned())
}
