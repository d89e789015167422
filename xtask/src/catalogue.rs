//! Regenerates the built-in list of models from a price list.

use std::{path::Path, process::Command};

use crate::{
    failure::{Failure, Outcome},
    program::{capture, cargo, execute},
    workspace,
};

/// Converts a price list in `LiteLLM`'s format and writes the built-in list of models.
pub(crate) fn run(file: &Path) -> Outcome {
    let list = file.canonicalize().map_err(|error| Failure::file("read", file, &error))?;
    execute(&mut cargo(&["build", "--release", "--locked", "--package", "cli"]))?;
    let home = workspace::temporary()?;
    let mut turnwise = Command::new(workspace::release_binary("turnwise"));
    turnwise.arg("--home").arg(home.path()).args(["models", "import"]).arg(list).arg("--built-in");
    let models = capture(&mut turnwise)?;
    let path = workspace::root().join("crates/catalogue/built-in.yaml");
    workspace::write(&path, &models)?;
    println!("catalogue: {} written, {} lines", workspace::shown(&path), models.lines().count());
    Ok(())
}
