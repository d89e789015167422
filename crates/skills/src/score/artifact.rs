//! Artifact match: the share of the task's paths and commands that belong to a skill (003 Components).

use super::{components::MAX_ARTIFACT, profile::ProfiledSkill, terms::terms};
use crate::rate::divide_half_up;

/// The paths and commands of a task, prepared for the comparison with several skills.
#[derive(Debug)]
pub(super) struct Artifacts<'a> {
    /// Paths of target and changed files, with `/` as separator.
    paths: &'a [String],
    /// The terms of each command.
    commands: Vec<Vec<String>>,
}

impl<'a> Artifacts<'a> {
    /// Prepares the paths and commands of a task.
    pub(super) fn new(paths: &'a [String], commands: &[String]) -> Self {
        Self { paths, commands: commands.iter().map(|command| terms(command)).collect() }
    }

    /// Returns the points of a skill, 0 to 20: the share of paths that its globs match, and of commands that name it or
    /// one of its tags or keywords. `None` if the task has neither paths nor commands.
    pub(super) fn points(&self, skill: ProfiledSkill<'_>) -> Option<u8> {
        let paths = self.paths.iter().filter(|path| skill.owns_path(path)).count();
        let named = |command: &&Vec<String>| command.iter().any(|term| skill.has_command_term(term));
        let matched = paths + self.commands.iter().filter(named).count();
        let total = self.paths.len() + self.commands.len();
        let points = divide_half_up(u64::from(MAX_ARTIFACT) * matched as u64, total as u64)?;
        Some(u8::try_from(points).unwrap_or(MAX_ARTIFACT))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::profile::SkillProfile, *};
    use crate::skill::Skill;

    /// Returns the points of a skill for paths and commands.
    fn points(skill: &Skill, paths: &[&str], commands: &[&str]) -> Option<u8> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let skill = ProfiledSkill { skill, profile: &SkillProfile::default() };
        Artifacts::new(&owned(paths), &owned(commands)).points(skill)
    }

    /// SC-11: the points are the share of the paths that the globs of the skill match.
    #[test]
    fn artifact_points_are_the_share_of_matched_paths() {
        let skill = Skill { name: "database".into(), paths: vec!["supabase/**".into()], ..Skill::default() };
        assert_eq!(points(&skill, &["supabase/a.sql", "supabase/x/b.sql"], &[]), Some(20));
        assert_eq!(points(&skill, &["supabase/a.sql", "src/a.ts"], &[]), Some(10));
        assert_eq!(points(&skill, &["supabase/a.sql", "src/a.ts", "src/b.ts"], &[]), Some(7));
        assert_eq!((points(&skill, &["src/a.ts"], &[]), points(&skill, &[], &[])), (Some(0), None));
    }

    /// SC-11: a skill without globs owns the extensions that it names, and commands that name one of its tags.
    #[test]
    fn extensions_and_commands_are_artifacts() {
        let skill = Skill {
            name: "transcript".into(),
            description: "Reads .vtt and .srt files.".into(),
            tags: vec!["whisper".into()],
            ..Skill::default()
        };
        assert_eq!(points(&skill, &["meetings/monday.VTT"], &[]), Some(20));
        assert_eq!(points(&skill, &["notes.md"], &["whisper --model tiny a.wav"]), Some(10));
        assert_eq!(points(&skill, &["vtt"], &["ls"]), Some(0));
    }
}
