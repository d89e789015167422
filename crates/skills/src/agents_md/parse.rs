//! [`AgentsMd`], the parts of an AGENTS.md that skill routing depends on.

use serde::{Deserialize, Serialize};

use super::{
    phrase::{find_phrase, skill_name},
    table::{Line, TableRow, lines},
};

/// The highest number of rows, technologies and prohibitions that are read from one file.
const MAX_ENTRIES: usize = 1_000;

/// The parts of an AGENTS.md that skill routing depends on. Nothing else of the text has an effect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentsMd {
    /// The rows that map a task to a skill, in the order of the file.
    pub rows: Vec<SkillRow>,
    /// The cells and list items below a heading with the word `stack`.
    pub stack: Vec<String>,
    /// The skills that the file forbids.
    pub forbidden: Vec<ForbiddenSkill>,
}

/// A row that maps a task to a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillRow {
    /// The description of the task, such as `Writing tests / stories`.
    pub task: String,
    /// The name of the skill, without slash.
    pub skill: String,
    /// The line in the file, from 1.
    pub line: u32,
    /// Whether the row is for safety, so that it applies even if the user asks for no skills.
    pub safety: bool,
}

/// A skill that an AGENTS.md forbids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForbiddenSkill {
    /// The name of the skill, without slash.
    pub skill: String,
    /// The line in the file, from 1.
    pub line: u32,
}

impl AgentsMd {
    /// Parses the text of an AGENTS.md. A table with a column `Load Skill`, or with the columns `Task` and `Skill`, maps
    /// tasks to skills; so does a cell or list item with a phrase such as ``load skill `testing` ``. Every text is valid.
    pub fn parse(text: &str) -> Self {
        let mut parsed = Self::default();
        let mut in_stack = false;
        for (line, content) in lines(text) {
            match content {
                Line::Heading(heading) => in_stack = has_word(heading, "stack"),
                Line::Row(row) => {
                    if in_stack {
                        parsed.stack.extend(row.cells.iter().map(|cell| plain(cell)).filter(|cell| !cell.is_empty()));
                    }
                    parsed.add_row(&row, line);
                }
                Line::Item(item) => {
                    if in_stack {
                        parsed.stack.push(plain(item));
                    }
                    parsed.add_phrase(item, "", line);
                }
            }
            if parsed.rows.len().max(parsed.stack.len()).max(parsed.forbidden.len()) >= MAX_ENTRIES {
                break;
            }
        }
        parsed
    }

    /// Adds the skills that a row of a table names.
    fn add_row(&mut self, row: &TableRow<'_>, line: u32) {
        let columns = Columns::of(&row.header);
        let cell = |at: usize| row.cells.get(at).copied().unwrap_or_default();
        let Some(columns) = columns else {
            let with_phrase = row.cells.iter().position(|cell| find_phrase(cell).is_some());
            if let Some(at) = with_phrase {
                let task = if at == 0 { "" } else { cell(0) };
                self.add_phrase(cell(at), task, line);
            }
            return;
        };
        let task = plain(cell(columns.task));
        let safety = columns.safety.is_some_and(|at| is_yes(cell(at))) || is_marked_safety(&row.cells);
        let names = cell(columns.skill).split([',', '+', '&', ' ']).map(|name| name.trim_matches(['`', '*']));
        for skill in names.filter(|name| !["and", "or", "none"].contains(name)).filter_map(skill_name) {
            self.rows.push(SkillRow { task: task.clone(), skill, line, safety });
        }
    }

    /// Adds the skill that a phrase in a text names. `task` is its task; if empty, the task is the rest of the text.
    fn add_phrase(&mut self, text: &str, task: &str, line: u32) {
        let Some(phrase) = find_phrase(text) else { return };
        if phrase.forbids {
            self.forbidden.push(ForbiddenSkill { skill: phrase.skill, line });
            return;
        }
        let task = plain(if task.is_empty() { &phrase.rest } else { task });
        self.rows.push(SkillRow { task, skill: phrase.skill, line, safety: is_marked_safety(&[text]) });
    }
}

/// The columns of a table that maps tasks to skills.
struct Columns {
    /// The column of the task.
    task: usize,
    /// The column of the skill.
    skill: usize,
    /// The column that marks rows for safety.
    safety: Option<usize>,
}

impl Columns {
    /// Finds the columns by the header; `None` if the table does not map tasks to skills.
    fn of(header: &[&str]) -> Option<Self> {
        let named =
            |names: &[&str]| header.iter().position(|cell| names.contains(&plain(cell).to_lowercase().as_str()));
        let task = named(&["task", "tasks", "task type", "when", "working on", "area"]);
        let load = named(&["load skill", "load skills", "skill to load"]);
        let skill = load.or_else(|| task.and_then(|_| named(&["skill", "skills"])))?;
        let task = task.or_else(|| (0..header.len()).find(|column| *column != skill))?;
        Some(Self { task, skill, safety: named(&["safety"]) })
    }
}

/// Returns a text without marks of emphasis and code.
fn plain(text: &str) -> String {
    text.replace(['`', '*'], "").trim().to_owned()
}

/// Returns whether a text has a word, compared without regard to case.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric()).any(|other| other.eq_ignore_ascii_case(word))
}

/// Returns whether a cell means yes.
fn is_yes(cell: &str) -> bool {
    ["yes", "true", "x", "✓", "✅"].contains(&plain(cell).to_lowercase().as_str())
}

/// Returns whether one of the texts has the mark `safety: true` or `(safety)`.
fn is_marked_safety(texts: &[&str]) -> bool {
    texts.iter().any(|text| {
        let text = plain(text).to_lowercase();
        text.contains("safety: true") || text.contains("(safety)")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rows of a text as `task → skill`.
    fn rows(text: &str) -> Vec<String> {
        AgentsMd::parse(text).rows.iter().map(|row| format!("{} → {}", row.task, row.skill)).collect()
    }

    /// SC-04: a table with a column `Load Skill` maps tasks to skills, and a table of documents to read does not.
    #[test]
    fn tables_with_a_column_for_skills_are_read() {
        let text = "# A\n\n| Task | Read |\n|---|---|\n| Schema | @docs/data.md |\n\n| Task | Load Skill |\n|---|---|\n\
            | Writing tests / stories | `testing` |\n| Release | `/release` and `changelog` |\n| Chat | -- |\n";
        assert_eq!(rows(text), ["Writing tests / stories → testing", "Release → release", "Release → changelog"]);
        assert_eq!(AgentsMd::parse(text).rows[0].line, 9);
        assert_eq!(rows("| Skill | Agents |\n|---|---|\n| problem-solving | 9 |\n"), Vec::<String>::new());
        assert_eq!(rows("| When | Skill |\n|---|---|\n| Editing SQL | database |\n"), ["Editing SQL → database"]);
    }

    /// SC-04: a phrase in a cell or a list item maps a task to a skill.
    #[test]
    fn phrases_map_tasks_to_skills() {
        let text =
            "- Writing tests: load skill `testing`\n\n| Area | Note |\n|---|---|\n| Auth flows | load skill `auth` |\n";
        assert_eq!(rows(text), ["Writing tests → testing", "Auth flows → auth"]);
    }

    /// SC-05: a row can be marked for safety.
    #[test]
    fn rows_for_safety_are_marked() {
        let text = "| Task | Load Skill | Safety |\n|---|---|---|\n| Migrations | `database` | yes |\n| Pages | `ui` | |\n\
            - Payments (safety): load skill `payments`\n";
        let safety: Vec<_> = AgentsMd::parse(text).rows.iter().map(|row| row.safety).collect();
        assert_eq!(safety, [true, false, true]);
    }

    /// SC-27: a prohibition is read with its line.
    #[test]
    fn prohibitions_are_read() {
        let parsed = AgentsMd::parse("# Rules\n- Never load skill `legacy-api`.\n");
        assert_eq!(parsed.forbidden, [ForbiddenSkill { skill: "legacy-api".into(), line: 2 }]);
        assert_eq!(parsed.rows, []);
    }

    /// SC-12: the cells and items below a heading on the stack are its technologies.
    #[test]
    fn the_stack_is_read() {
        let text =
            "## Tech Stack\n| Tech | Version |\n|---|---|\n| Framework | Next.js 15 |\n## Commands\n- `npm test`\n";
        assert_eq!(AgentsMd::parse(text).stack, ["Framework", "Next.js 15"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_parsed(text in "([|`# a-z\n-]|skill|load){0,80}") {
            let parsed = AgentsMd::parse(&text);
            proptest::prop_assert!(parsed.rows.iter().all(|row| row.line > 0 && !row.skill.is_empty()));
        }
    }
}
