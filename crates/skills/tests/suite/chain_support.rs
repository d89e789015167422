//! Helpers for tests of the skill choice.

use contracts::{Decision, SkillChoice, SkillOutcome};
use skills::{
    SkillIndex, SkillRequest, SkillRouter, SkillSettings, SkillSources, TriggerTable, decide, parse_trigger_table,
};

/// The trigger table of 000 §2.2 with its seven rows.
pub(crate) const FIVE_COLUMNS: &str = include_str!("../fixtures/five-columns.md");
/// The trigger table without compound triggers, of the fixture with four columns.
pub(crate) const FOUR_COLUMNS: &str = include_str!("../fixtures/four-columns.md");
/// The keywords of the first table without the other columns.
pub(crate) const TWO_COLUMNS: &str = include_str!("../fixtures/two-columns.md");

/// Parses a trigger table that has no findings.
pub(crate) fn table(markdown: &str) -> TriggerTable {
    let (table, findings) = parse_trigger_table("docs/skills.md", markdown);
    assert_eq!(findings, []);
    table
}

/// Returns a trigger table of rows `keywords | negatives | priority | compound | skill`.
pub(crate) fn rows(rows: &[&str]) -> TriggerTable {
    let mut markdown =
        "| Detected Keywords | Negative Keywords | Priority | Compound Triggers | Skill |\n|---|---|---|---|---|\n"
            .to_owned();
    for row in rows {
        markdown.extend(["| ", row, " |\n"]);
    }
    table(&markdown)
}

/// The roles of the skills in the example of 000 §4.
const SEED_ROLES: &[(&str, &str)] = &[
    ("adversary", "quality"),
    ("nasa-se", "design"),
    ("orchestration", "coordinator"),
    ("problem-solving", "research"),
    ("saucer-boy", "presentation"),
    ("saucer-boy-framework-voice", "presentation"),
];

/// Returns the settings with which only keywords decide: tree, scores and model are switched off. The skills of 000 have
/// the roles of its example.
pub(crate) fn keywords_only() -> SkillSettings {
    let roles = SEED_ROLES.iter().map(|(skill, role)| ((*skill).to_owned(), (*role).to_owned()));
    let mut settings = SkillSettings { roles: roles.collect(), ..SkillSettings::default() };
    settings.layers.score = false;
    settings
}

/// Returns a router with a trigger table and no other file.
pub(crate) fn router_of(triggers: TriggerTable, settings: SkillSettings) -> SkillRouter {
    let sources = SkillSources { index: SkillIndex::default(), triggers, ..SkillSources::default() };
    SkillRouter::new(sources, settings).unwrap()
}

/// Returns a router with the table of 000 §2.2, in which only keywords decide.
pub(crate) fn seed_router() -> SkillRouter {
    router_of(table(FIVE_COLUMNS), keywords_only())
}

/// Decides a text whose author can be asked.
pub(crate) fn route(router: &SkillRouter, text: &str) -> Decision<SkillChoice> {
    decide(&SkillRequest { text, interactive: true, ..SkillRequest::default() }, router)
}

/// Returns the outcome for a text as text.
pub(crate) fn outcome(router: &SkillRouter, text: &str) -> String {
    route(router, text).chosen.as_ref().map(SkillOutcome::to_string).unwrap_or_default()
}
