//! Requests that name work but no subject load nothing, and requests that name the job of a skill load it.

use contracts::SkillOutcome;
use skills::{RoutingCase, Skill, SkillIndex, SkillRouter, SkillSettings, SkillSources};

use crate::chain_support::outcome;

/// Skills whose descriptions contain words of everyday requests, as those of real authors do.
const SKILLS: &[(&str, &str)] = &[
    ("github-docs", "Creates GitHub-native docs. README badges, CONTRIBUTING, issue templates, repo metadata."),
    ("disabled-tests", "Runs a linter that detects disabled tests, suppressed warnings and code that hides failures."),
    ("test-strategy", "Plans unit, integration and end-to-end tests. Use when writing tests for a new project."),
    ("release-notes", "Writes release notes and a changelog from commits. Use when a version is tagged."),
    ("database-migrations", "Writes schema migrations and backfills for PostgreSQL. Use when a table changes."),
    ("grpc-services", "Defines gRPC services with streaming, interceptors and deadline propagation."),
    ("accessibility", "Checks keyboard navigation, contrast and screen reader labels of web pages."),
    ("api-versioning", "Versions HTTP APIs by URL or header and deprecates old versions."),
    ("containers", "Builds small container images with multi-stage Dockerfiles and health checks."),
    ("observability", "Adds OpenTelemetry tracing, metrics and structured logging to services."),
    ("localization", "Translates user interfaces with resource files, plural rules and right-to-left layouts."),
    ("code-review", "Reviews a change for naming, error handling and missing tests."),
];

/// Requests that any project has.
const EVERYDAY: &[&str] = &[
    "commit this",
    "run the tests",
    "run the tests and tell me which fail",
    "fix the typo in README",
    "explain this function",
    "why does it fail",
    "rename getUser to fetchUser",
    "thanks",
    "continue",
    "update the README",
    "remove the unused warning",
    "bump the version",
    "show me the last commits",
    "fix the failing tests",
];

/// Requests with the skill whose job they name.
const JOBS: &[(&str, &str)] = &[
    ("add badges and issue templates to the repo", "github-docs"),
    ("detect disabled tests and suppressed warnings", "disabled-tests"),
    ("plan unit and integration tests for the parser", "test-strategy"),
    ("write the release notes for 2.1", "release-notes"),
    ("write a migration that adds a column to the orders table", "database-migrations"),
    ("define a gRPC service with streaming", "grpc-services"),
    ("check the contrast and the keyboard navigation of the dialog", "accessibility"),
    ("deprecate the old HTTP API with a header", "api-versioning"),
    ("make the container image smaller with a multi-stage Dockerfile", "containers"),
    ("add OpenTelemetry tracing and metrics", "observability"),
    ("translate the interface and handle plural rules", "localization"),
    ("review the error handling of this change", "code-review"),
];

/// Returns a router over [`SKILLS`] with labelled requests.
fn router(cases: Vec<RoutingCase>) -> SkillRouter {
    let skill = |(name, description): &(&str, &str)| Skill {
        name: (*name).to_owned(),
        description: (*description).to_owned(),
        ..Skill::default()
    };
    let index = SkillIndex::new(SKILLS.iter().map(skill).collect());
    SkillRouter::new(SkillSources { index, cases, ..SkillSources::default() }, SkillSettings::default()).unwrap()
}

/// SC-24, SC-28: one or two everyday words in common with a description are no evidence, so nothing is loaded and nobody
/// is asked.
#[test]
fn everyday_requests_load_nothing() {
    let router = router(Vec::new());
    let none = SkillOutcome::None.to_string();
    let wrong: Vec<_> =
        EVERYDAY.iter().map(|text| (text, outcome(&router, text))).filter(|(_, outcome)| *outcome != none).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let mut settings = SkillSettings::default();
    settings.scoring.min_matched_words = 1;
    let without_limit = SkillRouter::new(router.sources().clone(), settings).unwrap();
    assert_eq!(outcome(&without_limit, "fix the typo in README"), "github-docs", "one word is the whole request");
}

/// SC-10: several words of a skill's subject load it.
#[test]
fn requests_that_name_a_job_load_its_skill() {
    let router = router(Vec::new());
    let found = JOBS.iter().map(|(text, skill)| (text, skill, outcome(&router, text)));
    let wrong: Vec<_> = found.filter(|(_, skill, outcome)| outcome != *skill).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// C-42: with labelled requests the scores follow them: a request whose words no description has loads the skill that
/// similar requests needed.
#[test]
fn labelled_requests_decide_about_other_words() {
    let asks = ["who bought what in spring", "who bought the most", "what was bought in autumn"];
    assert_eq!(outcome(&router(Vec::new()), "who bought nothing"), SkillOutcome::None.to_string());
    let case = |prompt: &str, skill: Option<&str>| RoutingCase {
        line: 1,
        prompt: prompt.to_owned(),
        expected: skill.map(str::to_owned).into_iter().collect(),
        acceptable: Vec::new(),
    };
    let mut cases: Vec<_> = JOBS.iter().map(|(text, skill)| case(text, Some(skill))).collect();
    cases.extend(EVERYDAY.iter().map(|text| case(text, None)));
    for _ in 0..3 {
        cases.extend(asks.iter().map(|text| case(text, Some("database-migrations"))));
    }
    let router = router(cases);
    assert_eq!(outcome(&router, "who bought nothing in autumn"), "database-migrations");
    assert_eq!(outcome(&router, "run the tests again"), SkillOutcome::None.to_string());
}
