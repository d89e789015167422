//! AGENTS.md files of a workspace.

use std::fs;

use skill_files::read_agents_files;
use skills::FindingCode;

use crate::support::Folders;

/// The rows of a file that maps migrations to a skill.
fn table(skill: &str) -> String {
    format!("| Task | Load Skill |\n| --- | --- |\n| Database migrations | `{skill}` |\n")
}

/// SC-06: the file nearest to the edited file decides, and files elsewhere are not read.
#[test]
fn the_file_nearest_to_an_edited_file_decides() {
    let folders = Folders::new();
    folders.write("AGENTS.md", table("database"));
    folders.write("packages/api/AGENTS.md", table("api-db"));
    let skill = |file: &str| {
        let files = [file.to_owned()];
        let (agents, findings) = read_agents_files(&folders.workspace, &files);
        assert_eq!(findings, []);
        agents.find("add a database migration", &files).rows[0].skill.clone()
    };
    assert_eq!((skill("packages/api/x.ts"), skill("packages/web/x.ts")), ("api-db".to_owned(), "database".to_owned()));
}

#[test]
fn a_file_that_disappears_has_no_rows_and_a_damaged_one_is_reported() {
    let folders = Folders::new();
    let path = folders.write("AGENTS.md", table("database"));
    folders.write("api/AGENTS.md", b"\xFF");
    let files = ["api/x.rs".to_owned(), "../outside.rs".to_owned()];
    let (agents, findings) = read_agents_files(&folders.workspace, &files);
    assert_eq!(agents.find("a database migration", &[]).rows.len(), 1);
    assert_eq!((findings[0].path.as_str(), findings[0].code), ("api/AGENTS.md", FindingCode::NotUtf8));
    fs::remove_file(path).unwrap();
    assert_eq!(read_agents_files(&folders.workspace, &[]).0, skills::AgentsFiles::default());
}
