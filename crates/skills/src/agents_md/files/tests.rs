//! Tests of the rows that match a request.

use super::*;

/// The task table of a web project (003 Hard Rule 2).
const WEB: &str = "\
## Stack

| Tech | Version |
|---|---|
| Framework | Next.js 15 (App Router) |

## Context Loading

| Task | Load Skill |
|---|---|
| Building pages / layouts | `nextjs-app-router` |
| Database / auth / storage | `database` |
| Writing tests / stories | `testing` |
| UI components / theming | `ui-components` |
";

/// Creates files from paths and texts.
fn files(texts: &[(&str, &str)]) -> AgentsFiles {
    let file = |(path, text): &(&str, &str)| AgentsFile { path: (*path).to_owned(), content: AgentsMd::parse(text) };
    AgentsFiles::new(texts.iter().map(file).collect())
}

/// Returns the skills of the rows that match a request.
fn skills(files: &AgentsFiles, text: &str, paths: &[&str]) -> Vec<String> {
    let paths: Vec<_> = paths.iter().map(|path| (*path).to_owned()).collect();
    files.find(text, &paths).rows.into_iter().map(|row| row.skill).collect()
}

/// Returns a table with one row.
fn table(task: &str, skill: &str) -> String {
    format!("| Task | Load Skill |\n|---|---|\n| {task} | `{skill}` |\n")
}

/// SC-04, TV-84: the requests of the original project are mapped by its task table.
#[test]
fn requests_are_mapped_by_the_task_table() {
    let web = files(&[("AGENTS.md", WEB)]);
    for (request, skill) in [
        ("Add a new page", "nextjs-app-router"),
        ("Fix a DB query", "database"),
        ("Write tests", "testing"),
        ("Build UI", "ui-components"),
        ("write tests for the board", "testing"),
    ] {
        assert_eq!(skills(&web, request, &[]), [skill], "{request}");
    }
    assert_eq!(skills(&web, "rename the variable", &[]), Vec::<String>::new());
}

/// SC-04: a matching row is recorded with file, line and words.
#[test]
fn a_match_names_file_line_and_words() {
    let found = files(&[("AGENTS.md", WEB)]).find("Please write tests for the database", &[]);
    insta::assert_json_snapshot!(found);
}

/// SC-06: the file nearest to the edited path decides, and the root file for all tasks that it does not map.
#[test]
fn the_nearest_file_decides() {
    let (root, api) = (format!("{WEB}\n"), table("Database", "api-db"));
    let files = files(&[("AGENTS.md", &root), ("packages/api/AGENTS.md", &api)]);
    assert_eq!(skills(&files, "fix the DB query", &["packages/api/x.ts"]), ["api-db"]);
    assert_eq!(skills(&files, "fix the DB query", &["packages/web/x.ts"]), ["database"]);
    assert_eq!(skills(&files, "fix the DB query", &[]), ["database"]);
    assert_eq!(skills(&files, "write tests", &["./packages/api/x.ts"]), ["testing"]);
    assert_eq!(skills(&files, "fix the DB query", &["packages/api-old/x.ts"]), ["database"]);
}

/// SC-06: paths whose nearest files disagree have the rows of both, most paths first.
#[test]
fn disagreeing_files_are_both_reported() {
    let (root, api) = (table("Database", "database"), table("Database", "api-db"));
    let files = files(&[("AGENTS.md", &root), ("api/AGENTS.md", &api)]);
    let paths = ["web/a.ts", "api/a.ts", "api/b.ts"].map(str::to_owned);
    let found = files.find("database", &paths);
    let rows: Vec<_> = found.rows.iter().map(|row| (row.skill.as_str(), row.paths)).collect();
    assert_eq!((rows, found.disagreement), (vec![("api-db", 2), ("database", 1)], true));
    assert!(!files.find("database", &paths[1..]).disagreement);
}

/// SC-06, SC-27: a prohibition applies below its file, unless a nearer file maps a task to the skill.
#[test]
fn prohibitions_follow_the_nearest_file() {
    let api = table("Legacy", "legacy");
    let files = files(&[("AGENTS.md", "- Do not load skill `legacy`\n"), ("api/AGENTS.md", &api)]);
    let prohibition = |path: &str| files.prohibition("legacy", &[path.to_owned()]);
    assert_eq!((prohibition("web/a.ts"), prohibition("api/a.ts")), (Some(("AGENTS.md", 1)), None));
    assert_eq!(files.prohibition("other", &[]), None);
}

/// SC-12: the stack of the applicable files is one list.
#[test]
fn the_stack_of_applicable_files_is_one_list() {
    let files = files(&[("AGENTS.md", WEB), ("api/AGENTS.md", "# Stack\n- Fastify\n")]);
    assert_eq!(files.stack(&["api/a.ts".into()]), ["Fastify", "Framework", "Next.js 15 (App Router)"]);
    assert_eq!(files.stack(&[]).len(), 2);
}
