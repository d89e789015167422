//! Lists the tests of every numbered statement of the specifications in docs/requirements.md, and the reason for each
//! statement without a test.
//!
//! A test names a statement in its doc comment or its name: `/// SK-03, SK-43: …`, or `004 §10.1 test 7`.

mod page;
mod reasons;
mod scan;
mod statements;

use std::collections::BTreeMap;

use crate::{
    failure::{Failure, Outcome},
    workspace,
};
use scan::NamedTest;
use statements::StatementId;

/// The tests of each statement, in the order of the specifications.
type TestsByStatement = BTreeMap<StatementId, Vec<NamedTest>>;

/// Writes docs/requirements.md; with `check`, fails instead if it is out of date.
///
/// # Errors
/// Fails if a statement has neither a test nor a reason, if a test names a number that no specification has, or if a
/// statement with a permanent reason has a test.
pub(crate) fn run(check: bool) -> Outcome {
    let tests = find_tests()?;
    Failure::unless_empty("statements without a test", &problems(&tests))?;
    let path = workspace::root().join("docs/requirements.md");
    let text = page::format_page(&tests);
    println!("requirements: {}", page::summary(&tests));
    if path.exists() && workspace::read_file(&path)? == text {
        return Ok(());
    }
    if check {
        return Err(Failure::new("docs/requirements.md is out of date: run `cargo xtask requirements`"));
    }
    workspace::write_file(&path, &text)
}

/// Finds all tests in `crates` and `examples` whose doc comment or name has the number of a statement of a specification,
/// and groups them by statement. Fails if a folder or file cannot be read.
fn find_tests() -> Outcome<TestsByStatement> {
    let mut tests = TestsByStatement::new();
    for folder in ["crates", "examples"] {
        for file in workspace::list_files(&workspace::root().join(folder))? {
            if file.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let path = workspace::display_path(&file);
            for (statement, test) in scan::find_tests(&path, &workspace::read_file(&file)?) {
                tests.entry(statement).or_default().push(test);
            }
        }
    }
    Ok(tests)
}

/// Returns a message for every statement that is neither tested nor listed with a reason, for every unknown number, and
/// for every reason that a test contradicts.
fn problems(tests: &TestsByStatement) -> Vec<String> {
    let mut problems = Vec::new();
    for statement in statements::all() {
        match (tests.contains_key(&statement), reasons::find_reason(&statement)) {
            (false, None) => problems.push(format!("{statement}: no test names it, and reasons.rs has no reason")),
            (true, Some(reason)) if reason.is_permanent() => {
                problems.push(format!("{statement}: it has a test, so its reason in reasons.rs is wrong"));
            }
            _ => {}
        }
    }
    for (statement, named) in tests {
        if !statements::contains(statement) {
            let place = named.first().map(|test| test.path.as_str()).unwrap_or_default();
            problems.push(format!("{statement}: no specification has this number ({place})"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_without_a_test_or_a_reason_and_an_unknown_number_are_problems() {
        let test = NamedTest { path: "a.rs".to_owned(), name: Some("works".to_owned()) };
        let mut tests: TestsByStatement = statements::all().map(|id| (id, vec![test.clone()])).collect();
        tests.retain(|id, _| reasons::find_reason(id).is_none_or(|reason| !reason.is_permanent()));
        assert_eq!(problems(&tests), Vec::<String>::new());
        tests.insert(StatementId::new("SK", 95), vec![test]);
        tests.remove(&StatementId::new("SC", 40));
        let found = problems(&tests);
        let expected = "SK-95: no specification has this number (a.rs)".to_owned();
        assert!(found.contains(&expected), "{found:?}");
        assert!(reasons::find_reason(&StatementId::new("SC", 40)).is_none(), "SC-40 has a test");
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
