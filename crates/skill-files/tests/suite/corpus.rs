//! A large number of skills.

use skill_files::SkillReader;

use crate::support::{Folders, later, manifest, names};

/// The reader opens each of 2,000 files once and none of them again; `cargo xtask bench` measures the time.
#[test]
fn two_thousand_skills_are_opened_once() {
    let folders = Folders::new();
    for number in 0..2_000 {
        let name = format!("skill-{number:04}");
        folders.write(&format!(".claude/skills/{name}/SKILL.md"), manifest(&name, &format!("Handles topic {number}.")));
    }
    let mut reader = SkillReader::new();
    let set = reader.read(&folders.roots(), later());
    assert_eq!((names(&set).len(), reader.opened(), set.findings.len()), (2_000, 2_000, 0));
    reader.read(&folders.roots(), later());
    assert_eq!(reader.opened(), 0);
}
