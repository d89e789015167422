//! Lints: rules for authors (003 Authoring), keywords of tables, names and the catalogue.

use skills::{
    Finding, FindingCode, ManifestPlace, Skill, SkillIndex, SkillScope, TableKeywords, lint_catalogue,
    lint_instructions, lint_keywords, parse_manifest,
};

/// A file that follows every rule.
const GOOD: &str = "---\nname: deploy\ndescription: Deploys services to Kubernetes with Helm. Use when releasing.\n---\n\
                    ## When not to use\nFor local runs.\n## Checklist\n1. Tag it.\n## See also\n[rollback](../rollback)\n";

/// Returns the codes of the findings about a file.
fn codes(text: &str) -> Vec<FindingCode> {
    let place = ManifestPlace { path: "p", folder: "deploy", scope: SkillScope::Project, plugin: None };
    let skill = parse_manifest(text.as_bytes(), &place).skill.unwrap();
    lint_instructions(text.as_bytes(), &skill).iter().map(|finding: &Finding| finding.code).collect()
}

/// SC-40, SC-41, SC-42, SC-43, SC-44: a file that follows every rule has no findings.
#[test]
fn a_file_that_follows_every_rule_has_no_findings() {
    assert_eq!(codes(GOOD), []);
}

/// SC-40: a description without a clause about its use is a warning; the key `when_to_use` is such a clause.
#[test]
fn a_description_states_when_the_skill_is_used() {
    let without = GOOD.replace(" Use when releasing.", "");
    assert_eq!(codes(&without), [FindingCode::NoUseCase]);
    assert_eq!(codes(&without.replace("name: deploy", "name: deploy\nwhen_to_use: for releases")), []);
}

/// SC-41: a description with fewer than three terms of its domain is a warning.
#[test]
fn a_description_has_terms_of_its_domain() {
    let text = GOOD.replace("Deploys services to Kubernetes with Helm.", "Helps with Helm tasks.");
    assert_eq!(codes(&text), [FindingCode::FewDomainTerms]);
    assert_eq!(codes(&text.replace("Helm tasks", "Helm charts")), []);
}

/// SC-42: a file without a section about when not to use the skill is a warning.
#[test]
fn a_file_states_when_not_to_use_the_skill() {
    assert_eq!(codes(&GOOD.replace("When not to use", "Notes")), [FindingCode::NoExclusions]);
    assert_eq!(codes(&GOOD.replace("When not to use", "Out of scope")), []);
}

/// SC-43: a file without a list below a heading "checklist" is a recommendation.
#[test]
fn a_file_has_a_checklist() {
    assert_eq!(codes(&GOOD.replace("1. Tag it.", "Tag it.")), [FindingCode::NoChecklist]);
    assert_eq!(codes(&GOOD.replace("## Checklist", "## Steps")), [FindingCode::NoChecklist]);
    assert_eq!(FindingCode::NoChecklist.severity().name(), "info");
}

/// SC-44: a file without a reference to a document or a neighbouring skill is a recommendation.
#[test]
fn a_file_refers_to_documents_or_skills() {
    assert_eq!(codes(&GOOD.replace("[rollback](../rollback)", "rollback")), [FindingCode::NoReferences]);
    assert_eq!(codes(&GOOD.replace("[rollback](../rollback)", "[skill:rollback]")), []);
}

/// Creates an index with one skill that has these keywords.
fn index(keywords: &[&str]) -> SkillIndex {
    let keywords = keywords.iter().map(ToString::to_string).collect();
    let skill = Skill { name: "deploy".into(), keywords, path: "deploy/SKILL.md".into(), ..Skill::default() };
    SkillIndex::new(vec![skill])
}

/// Returns line and code of each finding about a row with these keywords for a skill.
fn row_codes(index: &SkillIndex, skill: &str, keywords: &[&str]) -> Vec<(Option<u32>, FindingCode)> {
    let keywords: Vec<String> = keywords.iter().map(ToString::to_string).collect();
    let row = TableKeywords { skill, keywords: &keywords, line: 9 };
    let findings = lint_keywords(index, Some("table.md"), &[row]);
    findings.iter().map(|finding| (finding.line, finding.code)).collect()
}

/// SK-93: a row with two keywords is a warning at its line, unless the `SKILL.md` has a third.
#[test]
fn a_skill_has_at_least_three_keywords() {
    assert_eq!(row_codes(&index(&[]), "deploy", &["a", "b"]), [(Some(9), FindingCode::FewKeywords)]);
    assert_eq!(row_codes(&index(&[]), "deploy", &["a", "b", "c"]), []);
    let findings = lint_keywords(&index(&["a", "b"]), None, &[]);
    assert_eq!(
        findings[0].to_string(),
        "deploy/SKILL.md: the skill `deploy` has 2 keywords, at least 3 are recommended: \
                                         add synonyms (few-keywords)"
    );
}

#[test]
fn keywords_that_only_the_table_or_only_the_file_has_are_reported() {
    let index = index(&["roll out", "Canary", "helm"]);
    assert_eq!(row_codes(&index, "deploy", &["\"canary\"", "helm", "roll out"]), []);
    let keywords: Vec<String> = ["canary", "ship"].map(str::to_owned).to_vec();
    let row = TableKeywords { skill: "deploy", keywords: &keywords, line: 9 };
    let findings = lint_keywords(&index, Some("table.md"), &[row]);
    assert_eq!(
        findings[0].to_string(),
        "table.md:9: the keywords of `deploy` differ; only in deploy/SKILL.md: `roll out`, \
                                         `helm`; only in this row: `ship` (keyword-drift)"
    );
}

#[test]
fn rows_without_a_skill_and_skills_without_a_row_are_reported() {
    let found = row_codes(&index(&[]), "release", &["a", "b", "c"]);
    assert_eq!(found, [(Some(9), FindingCode::UnknownSkill), (None, FindingCode::UnroutedSkill)]);
}

#[test]
fn a_catalogue_longer_than_clients_list_is_reported() {
    let skill = |number: usize, explicit_only| Skill {
        name: format!("skill-{number:03}"),
        description: "x".repeat(91),
        explicit_only,
        ..Skill::default()
    };
    let fits = SkillIndex::new((0..150).map(|number| skill(number, false)).collect());
    assert_eq!(lint_catalogue(&fits, "skills"), None);
    let long = SkillIndex::new((0..151).map(|number| skill(number, false)).collect());
    assert_eq!(lint_catalogue(&long, "skills").unwrap().code, FindingCode::CatalogueTooLarge);
    let explicit = SkillIndex::new((0..151).map(|number| skill(number, number == 0)).collect());
    assert_eq!(lint_catalogue(&explicit, "skills"), None);
}
