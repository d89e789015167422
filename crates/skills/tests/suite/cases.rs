//! Files of labelled requests, and the comparison of decisions with them.

use contracts::SkillOutcome;
use skills::{CasesReport, FindingCode, Rate, RoutingCase, parse_cases};

#[test]
fn json_lines_of_several_projects_are_read() {
    let text = "{\"prompt\": \"a\", \"expected_skills\": [\"/nasa-se\"], \"explicit\": false}\n\n\
                {\"user_prompt\": \"b\", \"expected_skills\": [], \"acceptable_skills\": [\"x\"], \"should_activate\": false}\n";
    let cases = parse_cases(text, "cases.jsonl", None).unwrap();
    let case = |line, prompt: &str, expected: &[&str], acceptable: &[&str]| RoutingCase {
        line,
        prompt: prompt.to_owned(),
        expected: expected.iter().map(ToString::to_string).collect(),
        acceptable: acceptable.iter().map(ToString::to_string).collect(),
    };
    assert_eq!(cases, [case(1, "a", &["nasa-se"], &[]), case(3, "b", &[], &["x"])]);
}

#[test]
fn an_array_of_queries_is_about_one_skill() {
    let text = "[{\"query\": \"a\", \"should_trigger\": true}, {\"query\": \"b\", \"should_trigger\": false}]";
    let cases = parse_cases(text, "eval_queries.json", Some("pdf")).unwrap();
    let expected: Vec<_> = cases.iter().map(|case| case.expected.as_slice()).collect();
    assert_eq!(expected, [&["pdf".to_owned()][..], &[]]);
    assert_eq!(parse_cases(text, "p", None).unwrap_err().code, FindingCode::InvalidCase);
}

#[test]
fn invalid_cases_are_reported_with_their_line() {
    let line = |text: &str| parse_cases(text, "p", None).unwrap_err().line;
    assert_eq!(line("{\"prompt\": \"a\", \"expected_skills\": []}\n{\n"), Some(2));
    assert_eq!(line("{\"prompt\": \"a\"}\n"), Some(1));
    assert_eq!(line("{\"prompt\": \"a\", \"expected_skills\": [], \"should_activate\": true}"), Some(1));
}

/// Returns the case with these labels, whose line is `line`.
fn case(line: u32, expected: &[&str], acceptable: &[&str]) -> RoutingCase {
    RoutingCase {
        line,
        prompt: String::new(),
        expected: expected.iter().map(ToString::to_string).collect(),
        acceptable: acceptable.iter().map(ToString::to_string).collect(),
    }
}

/// Returns the outcome that loads these skills.
fn load(skills: &[&str]) -> SkillOutcome {
    SkillOutcome::Load { skills: skills.iter().map(ToString::to_string).collect(), coordinated: false }
}

#[test]
fn loads_are_compared_with_expected_and_acceptable_skills() {
    let results = [
        (case(1, &["a"], &[]), load(&["a"])),
        (case(2, &["a"], &["b"]), load(&["b"])),
        (case(3, &["a", "b"], &[]), load(&["a", "c"])),
        (case(4, &["a"], &[]), SkillOutcome::None),
        (case(5, &[], &[]), load(&["c"])),
        (case(6, &[], &[]), SkillOutcome::Ask { skills: vec!["a".to_owned()] }),
    ];
    let report = CasesReport::new(results.iter().map(|(case, outcome)| (case, outcome)));
    assert_eq!(report.cases, 6);
    assert_eq!(report.precision, Rate::new(3, 5));
    assert_eq!(report.recall, Rate::new(3, 5));
    assert_eq!(report.missed, Rate::new(2, 4));
    assert_eq!(report.unnecessary, Rate::new(2, 6));
    assert_eq!(report.false_positives, Rate::new(1, 2));
    assert_eq!(report.undecided, Rate::new(1, 6));
    // 1, 1, 1/2, 0, 0 and 1.
    assert_eq!(report.mean_f1, 5_833);
    let pairs: Vec<_> = report
        .confused
        .iter()
        .map(|pair| (pair.expected.as_deref(), pair.loaded.as_deref(), pair.lines.as_slice()))
        .collect();
    assert_eq!(pairs, [(None, Some("c"), &[5][..]), (Some("a"), None, &[4]), (Some("b"), Some("c"), &[3])]);
}

#[test]
fn no_cases_have_no_rates() {
    let report = CasesReport::new([]);
    assert_eq!((report.precision.per_mille(), report.mean_f1), (None, 0));
}
