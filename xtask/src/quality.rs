//! How well the pattern store chooses models, measured on public prompts and kept in docs/quality.md.

use std::{path::Path, process::Command};

use crate::{
    bench::page::Part,
    failure::{Failure, Outcome},
    passed::Passed,
    program::{capture, cargo},
    workspace,
};

/// The part of the page that is written by this command.
const TABLES: Part =
    Part { begin: "<!-- tables: written by `cargo xtask quality` -->\n", end: "<!-- end of tables -->\n" };

/// Measures every set of a folder; prints tables, or JSON, and may write the tables.
pub(crate) fn run(folder: &Path, json: bool, write: bool) -> Outcome {
    if json {
        print!("{}", measured(folder, &["--json"])?);
        return Ok(());
    }
    let tables = measured(folder, &[])?;
    print!("{tables}");
    if write {
        let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
        let page = workspace::root().join("docs/quality.md");
        let tables = format!("Measured on {date} by `cargo xtask quality`.\n\n{tables}");
        workspace::write(&page, &TABLES.replaced(&workspace::read(&page)?, &tables)?)?;
        println!("quality: written to {}", workspace::shown(&page));
    }
    Ok(())
}

/// A part of it, in a few seconds: that sets can be read, learned and asked about, and that what is measured is what the
/// store recommends.
pub(crate) fn reduced(folder: &Path) -> Outcome<Passed> {
    let said = measured(folder, &["--reduced"])?;
    print!("{said}");
    Ok(Passed::noting(said.trim()))
}

fn measured(folder: &Path, arguments: &[&str]) -> Outcome<String> {
    let folder = folder.canonicalize().map_err(|error| Failure::file("open", folder, &error))?;
    // Quietly: what is printed may be JSON.
    capture(&mut cargo(&["build", "--release", "--locked", "--quiet", "--package", "quality"]))?;
    capture(Command::new(workspace::release_binary("quality")).args(arguments).arg(folder))
}
