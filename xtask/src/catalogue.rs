//! Regenerates the built-in catalogue of models from a price list.

use std::{path::Path, process::Command};

use crate::{
    failure::{Failure, Outcome},
    program::{capture_output, cargo, execute},
    workspace,
};

/// Builds turnwise in the release profile, converts the price list `file` (JSON in the format of `LiteLLM`) with
/// `turnwise models import`, and writes the result to `crates/catalogue/built-in.yaml`.
pub(crate) fn run(file: &Path) -> Outcome {
    let list = file.canonicalize().map_err(|error| Failure::file("read", file, &error))?;
    execute(&mut cargo(&["build", "--release", "--locked", "--package", "cli"]))?;
    let home = workspace::temporary_folder()?;
    let mut turnwise = Command::new(workspace::release_binary("turnwise"));
    turnwise.arg("--home").arg(home.path()).args(["models", "import"]).arg(list).arg("--built-in");
    let models = capture_output(&mut turnwise)?;
    let path = workspace::root().join("crates/catalogue/built-in.yaml");
    workspace::write_file(&path, &models)?;
    println!("catalogue: {} written, {} lines", workspace::display_path(&path), models.lines().count());
    Ok(())
}
