//! Tests of the decision tree with the eight rows of 000 Layer 2.

use super::{super::task_types::TaskTypeSettings, *};
use crate::skill::Skill;

/// The rows of 000 Layer 2, without the default row, as JSON.
const ROWS: &str = r#"[
    {"task": "research", "files": [".py", ".md"], "route": "/problem-solving"},
    {"task": "design", "prior": "/problem-solving", "route": "/nasa-se"},
    {"task": "design", "prior": "none", "route": "/nasa-se"},
    {"task": "review", "criticality": ["C3", "C4"], "route": "/adversary"},
    {"task": "review", "criticality": ["C1", "C2"], "route": "/problem-solving", "agent": "ps-reviewer"},
    {"task": "workflow", "route": "/orchestration"},
    {"task": "transcription", "files": [".vtt", ".srt"], "route": "/transcript"},
    {"task": "research", "prior": "/nasa-se", "route": "/problem-solving"}
]"#;

/// Parses rows.
fn rows(json: &str) -> Vec<TreeRowSettings> {
    serde_json::from_str(json).unwrap()
}

/// Creates a tree from rows in JSON.
fn tree(json: &str) -> Result<DecisionTree, TreeError> {
    DecisionTree::new(&rows(json), &TaskTypes::new(&TaskTypeSettings::default()))
}

/// Evaluates the rows of the specification; returns the number of the row and the skill, or the outcome's name.
fn route(task: &str, criticality: Criticality, prior: &str, file: &str) -> String {
    let paths: Vec<String> = file.split(' ').filter(|file| !file.is_empty()).map(str::to_owned).collect();
    let prior = Some(prior).filter(|prior| !prior.is_empty());
    let input = TreeInput { task: Some(task), criticality, prior, paths: &paths, ..TreeInput::default() };
    match tree(ROWS).unwrap().evaluate(&input) {
        TreeOutcome::Route { row, skills, agent } => {
            format!("{row}: {}{}", skills.join(", "), agent.map(|agent| format!(" ({agent})")).unwrap_or_default())
        }
        TreeOutcome::Conflict { .. } => "conflict".to_owned(),
        TreeOutcome::Unresolved { row: None } => "default".to_owned(),
        TreeOutcome::Unresolved { row: Some(row) } => format!("{row}: default"),
    }
}

/// SK-08, TV-30, TV-31, TV-32, TV-33, TV-34, TV-35, TV-36, TV-37: each row of the specification routes to its skill.
#[test]
fn rows_of_the_specification_route_to_their_skills() {
    use Criticality::{C1, C2, C3, C4};
    assert_eq!(route("research", C2, "", "src/a.py"), "1: problem-solving");
    assert_eq!(route("research", C2, "", "notes.md src/a.py"), "1: problem-solving");
    assert_eq!(route("design", C2, "problem-solving", ""), "2: nasa-se");
    assert_eq!(route("design", C2, "", ""), "3: nasa-se");
    assert_eq!([C3, C4].map(|level| route("review", level, "", "")), ["4: adversary", "4: adversary"]);
    assert_eq!([C1, C2].map(|level| route("review", level, "", ""))[0], "5: problem-solving (ps-reviewer)");
    assert_eq!([C1, C2, C3, C4].map(|level| route("workflow", level, "x", "a.yaml"))[3], "6: orchestration");
    assert_eq!(["a.vtt", "b.SRT"].map(|file| route("transcription", C1, "x", file)), ["7: transcript"; 2]);
    assert_eq!(route("research", C2, "nasa-se", ""), "8: problem-solving");
}

/// SK-09, SK-22, TV-38: signals that no row matches reach the default row.
#[test]
fn other_signals_reach_the_default_row() {
    use Criticality::{C1, C2};
    let unmatched = [
        route("research", C2, "", ""),
        route("design", C2, "adversary", ""),
        route("transcription", C1, "", "a.md"),
        route("presentation", C2, "", ""),
        route("research", C2, "", "a.py b.vtt"),
    ];
    assert_eq!(unmatched, ["default"; 5]);
    let without_task = tree(ROWS).unwrap().evaluate(&TreeInput::default());
    assert_eq!(without_task, TreeOutcome::Unresolved { row: None });
}

/// SK-10: file types that name another skill than the keywords are a conflict, which the next layer decides.
#[test]
fn file_types_and_keywords_that_disagree_are_a_conflict() {
    let (paths, keywords) = (["standup.vtt".to_owned()], ["nasa-se".to_owned()]);
    let input =
        TreeInput { task: Some("research"), paths: &paths, keyword_candidates: &keywords, ..TreeInput::default() };
    let tree = tree(ROWS).unwrap();
    let conflict = TreeOutcome::Conflict { by_files: vec!["transcript".into()], by_keywords: vec!["nasa-se".into()] };
    assert_eq!(tree.evaluate(&input), conflict);
    let python = ["a.py".to_owned()];
    let by_files = vec!["problem-solving".to_owned()];
    let conflict = TreeOutcome::Conflict { by_files, by_keywords: vec!["nasa-se".into()] };
    assert_eq!(tree.evaluate(&TreeInput { paths: &python, ..input }), conflict);
    let agreeing = ["nasa-se".to_owned(), "problem-solving".to_owned()];
    let outcome = tree.evaluate(&TreeInput { paths: &python, keyword_candidates: &agreeing, ..input });
    assert!(matches!(outcome, TreeOutcome::Route { row: 1, .. }), "{outcome:?}");
    // A row for any file does not depend on the file types.
    let workflow = tree.evaluate(&TreeInput { task: Some("workflow"), ..input });
    assert!(matches!(workflow, TreeOutcome::Route { row: 6, .. }), "{workflow:?}");
}

/// SK-20: of two rows that match, the first decides.
#[test]
fn the_first_row_that_matches_decides() {
    let overlapping = |first: &str, second: &str| {
        let row =
            |levels: &str, route: &str| format!(r#"{{"task": "review", "criticality": {levels}, "route": "{route}"}}"#);
        let json = format!("[{}, {}]", row(first, "a"), row(second, "b"));
        let input = TreeInput { task: Some("review"), criticality: Criticality::C3, ..TreeInput::default() };
        match tree(&json).unwrap().evaluate(&input) {
            TreeOutcome::Route { skills, .. } => skills.concat(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(overlapping(r#"["C3", "C4"]"#, r#"["C2", "C3"]"#), "a");
    assert_eq!(overlapping(r#"["C1", "C2"]"#, r#"["C2", "C3"]"#), "b");
}

/// SK-21: `any` and an absent column match every value.
#[test]
fn any_matches_every_value() {
    use Criticality::{C1, C2, C3, C4};
    let json = r#"[{"task": "workflow", "criticality": "any", "prior": ["any"], "files": "any", "route": "a"}]"#;
    let tree = tree(json).unwrap();
    let paths = ["a.rs".to_owned(), "b.md".to_owned(), "Makefile".to_owned()];
    for criticality in [C1, C2, C3, C4] {
        for (prior, paths) in [(None, &paths[..0]), (Some("x"), &paths[..1]), (Some("y"), &paths[..])] {
            let input = TreeInput { task: Some("workflow"), criticality, prior, paths, ..TreeInput::default() };
            assert!(matches!(tree.evaluate(&input), TreeOutcome::Route { row: 1, .. }), "{input:?}");
        }
    }
}

/// SK-19: an unknown value is an error with the row and the column.
#[test]
fn an_unknown_value_names_row_and_column() {
    let error = |json: &str| tree(json).unwrap_err().to_string();
    let with = |column: &str| format!(r#"[{{"route": "a"}}, {{{column}, "route": "b"}}]"#);
    assert_eq!(
        error(&with(r#""criticality": "C5""#)),
        "row 2 of the tree, column `criticality`: `C5` is unknown; expected any, C1, C2, C3, C4"
    );
    assert!(error(&with(r#""task": "cooking""#)).starts_with("row 2 of the tree, column `task`: `cooking`"));
    assert!(error(&with(r#""files": [".py", "py"]"#)).contains("column `files`: `py`"));
    assert!(error(&with(r#""prior": "two words""#)).contains("column `prior`"));
    assert!(error(r#"[{"task": "review"}]"#).contains("column `route`: `` is unknown"));
    assert!(serde_json::from_str::<TreeRowSettings>(r#"{"critcality": "C1"}"#).is_err());
}

/// SK-22: the note on a tree without a default row; an explicit one escalates and hides later rows.
#[test]
fn a_default_row_is_implied_or_explicit() {
    let index = SkillIndex::new(vec![Skill { name: "a".into(), ..Skill::default() }]);
    let implicit = tree(r#"[{"task": "review", "route": "a"}]"#).unwrap();
    assert_eq!(implicit.notes(&index), [TreeNote::ImplicitDefault]);
    let explicit = tree(r#"[{"route": "escalate"}, {"task": "review", "route": "b"}]"#).unwrap();
    let notes = [TreeNote::Unreachable { row: 2 }, TreeNote::UnknownSkill { row: 2, skill: "b".into() }];
    assert_eq!(explicit.notes(&index), notes);
    assert_eq!(explicit.evaluate(&TreeInput::default()), TreeOutcome::Unresolved { row: Some(1) });
}

/// SK-19: `mixed` and `none` are values of the file types.
#[test]
fn mixed_and_no_files_are_values() {
    let tree = tree(r#"[{"files": "mixed", "route": "m"}, {"files": "none", "route": "n"}]"#).unwrap();
    let evaluate = |names: &[&str]| {
        let paths: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        match tree.evaluate(&TreeInput { paths: &paths, ..TreeInput::default() }) {
            TreeOutcome::Route { skills, .. } => skills.concat(),
            _ => String::new(),
        }
    };
    assert_eq!([evaluate(&["a.py", "b.md"]), evaluate(&[]), evaluate(&["a.py", "b.py"])], ["m", "n", ""]);
}
