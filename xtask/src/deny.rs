//! Checks licences, sources, bans and advisories of the dependencies with `cargo-deny`, if it is installed.

use std::{env, path::PathBuf};

use crate::{
    failure::Outcome,
    passed::Passed,
    program::{cargo, cargo_has, execute},
};

/// Runs the checks offline. Checks that cannot run, because `cargo-deny` or its advisory database is missing, are
/// skipped and named in the note.
pub(crate) fn run() -> Outcome<Passed> {
    if !cargo_has("deny") {
        println!("deny: SKIPPED, cargo-deny is not installed (`cargo install cargo-deny --locked`)");
        return Ok(Passed::with_note("skipped, cargo-deny is not installed"));
    }
    execute(&mut cargo(&["deny", "--offline", "check", "bans", "licenses", "sources"]))?;
    if !has_advisories() {
        println!("deny: advisories SKIPPED, no database (`cargo deny fetch`)");
        return Ok(Passed::with_note("without advisories, no database"));
    }
    execute(&mut cargo(&["deny", "--offline", "check", "advisories"]))?;
    Ok(Passed::without_note())
}

/// Returns whether the advisory database has been fetched.
fn has_advisories() -> bool {
    let home = || env::home_dir().map(|home| home.join(".cargo"));
    let Some(cargo) = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home) else { return false };
    let databases = ["advisory-dbs", "advisory-db"].map(|name| cargo.join(name));
    databases.iter().any(|folder| folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()))
}
