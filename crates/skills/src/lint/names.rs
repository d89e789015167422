//! Skills with one name.

use crate::{
    finding::{Finding, FindingCode},
    index::SkillIndex,
    skill::Skill,
};

/// Returns a finding for every skill that another of the same name replaces in the index, at the file of the former.
/// `shadowed` are these skills, as [`SkillIndex::split`] returns them.
pub fn lint_names(index: &SkillIndex, shadowed: &[Skill]) -> Vec<Finding> {
    let findings = shadowed.iter().filter_map(|skill| {
        let used = index.get(&skill.name)?;
        let (code, reason) = if used.scope == skill.scope {
            (FindingCode::DuplicateName, "rename one of them")
        } else {
            (FindingCode::ShadowedName, "a skill of the project precedes one of the user")
        };
        let message = format!("the skill `{}` is also in {}, which is used: {reason}", skill.name, used.path);
        Some(Finding::of_file(&skill.path, code, message))
    });
    findings.collect()
}
