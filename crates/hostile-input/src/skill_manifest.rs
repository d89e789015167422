//! Fuzz target for the parser of `SKILL.md` files.

use skills::{MAX_MANIFEST_BYTES, ManifestPlace, Severity, SkillScope, lint_instructions, parse_manifest};

/// Parses the input as a `SKILL.md`. Panics if it is rejected without an error, if a skill has no name or keywords longer
/// than the limits, if a finding has a line outside the text, or if parsing it twice differs.
pub fn check_skill_manifest(data: &[u8]) {
    let place = ManifestPlace { path: "SKILL.md", folder: "folder", scope: SkillScope::Project, plugin: None };
    let manifest = parse_manifest(data, &place);
    assert_eq!(manifest, parse_manifest(data, &place));
    // A carriage return is a line break in YAML.
    let lines = data.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 2;
    for finding in &manifest.findings {
        let line = finding.line.unwrap_or(1) as usize;
        assert!((1..=lines).contains(&line), "line {line} of {lines}: {finding}");
        assert!(!finding.message.is_empty());
        assert!(finding.message.len() < 1024, "{finding}");
    }
    let has_error = manifest.findings.iter().any(|finding| finding.severity() == Severity::Error);
    assert_eq!(manifest.skill.is_none(), has_error, "a skill is rejected exactly for errors");
    let Some(skill) = manifest.skill else { return };
    assert!(data.len() <= MAX_MANIFEST_BYTES);
    assert!(!skill.name.is_empty() && !skill.name.contains(char::is_whitespace));
    let lists = [&skill.keywords, &skill.negative_keywords, &skill.paths, &skill.tags];
    for text in lists.into_iter().flatten() {
        assert!(!text.is_empty() && text.len() <= 256);
    }
    drop(lint_instructions(data, &skill));
}
