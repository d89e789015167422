//! Reviews changed snapshots with `cargo insta`.

use crate::{
    failure::{Failure, Outcome},
    program::{cargo, cargo_has, execute},
};

/// Runs all tests and opens the interactive review of changed snapshots. Fails if `cargo-insta` is not installed.
pub(crate) fn run() -> Outcome {
    if cargo_has("insta") {
        return execute(&mut cargo(&["insta", "test", "--workspace", "--review"]));
    }
    Err(Failure::new(
        "cargo-insta is not installed: `cargo install cargo-insta --locked`. Without it, `INSTA_UPDATE=always cargo \
         test --workspace` writes the snapshots; read them with `git diff` before you commit them",
    ))
}
