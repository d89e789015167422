//! Fuzzes every parser of external input with `cargo-fuzz` and a nightly compiler.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    failure::{Failure, Outcome},
    program::{cargo, cargo_has, execute},
    workspace,
};

/// The fuzz targets in `fuzz/fuzz_targets`.
const TARGETS: [&str; 11] = [
    "journal",
    "log_import",
    "session_file",
    "codex_file",
    "openai_log",
    "policy",
    "wire_request",
    "wire_response",
    "control",
    "skill_manifest",
    "skill_routing",
];

/// The longest input that the fuzzer generates, in bytes.
const MAX_BYTES: u32 = 16 * 1024;

/// Fuzzes every target, or `only` one, for `seconds` each, starting from the corpora of the repository. New inputs are
/// stored in the target folder and reused by later runs.
///
/// # Errors
/// If the target is unknown, no nightly compiler is installed, or an input panics; libfuzzer prints the path of the
/// file with that input.
pub(crate) fn run(seconds: u32, only: Option<&str>) -> Outcome {
    if let Some(unknown) = only.filter(|only| !TARGETS.contains(only)) {
        return Err(Failure::new(format!(
            "no fuzz target is called `{unknown}`; known targets: {}",
            TARGETS.join(", ")
        )));
    }
    let root = workspace::root().join("fuzz");
    let cargo_fuzz = cargo_fuzz()?;
    let corpora = workspace::target_folder().join("fuzz-corpora");
    for target in TARGETS.into_iter().filter(|target| only.is_none_or(|only| only == *target)) {
        let corpus = corpora.join(target);
        fs::create_dir_all(&corpus).map_err(|error| Failure::file("create", &corpus, &error))?;
        // New inputs are written to the first folder; the second is only read.
        let mut command = Command::new(&cargo_fuzz);
        command.args(["fuzz", "run", target]).arg(&corpus).arg(root.join("corpus").join(target));
        command.args(["--", &format!("-max_total_time={seconds}"), &format!("-max_len={MAX_BYTES}")]);
        command.args(["-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"]);
        // cargo-fuzz calls cargo, which must be the nightly version.
        command.current_dir(&root).env("RUSTUP_TOOLCHAIN", "nightly").env_remove("CARGO").env_remove("RUSTC");
        command.env("CARGO_TARGET_DIR", workspace::target_folder().join("fuzz"));
        println!("fuzz: {target} for {seconds} s");
        execute(&mut command)?;
    }
    Ok(())
}

/// Returns the path of `cargo-fuzz`, and installs it into the target folder if cargo does not have it. Fails without a
/// nightly compiler.
fn cargo_fuzz() -> Outcome<PathBuf> {
    let nightly = Command::new("rustup").args(["run", "nightly", "rustc", "--version"]).output();
    if !nightly.is_ok_and(|output| output.status.success()) {
        return Err(Failure::new(
            "fuzzing needs a nightly compiler (`rustup toolchain install nightly`); \
             without one, `cargo nextest run -p hostile-input` runs the corpora",
        ));
    }
    if cargo_has("fuzz") {
        return Ok("cargo-fuzz".into());
    }
    let tools = workspace::target_folder().join("tools");
    let tool = tools.join("bin/cargo-fuzz");
    if !tool.is_file() {
        println!("fuzz: installing cargo-fuzz into {}", tools.display());
        execute(cargo(&["install", "cargo-fuzz", "--locked", "--root"]).arg(&tools))?;
    }
    Ok(tool)
}
