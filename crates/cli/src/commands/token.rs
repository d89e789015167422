//! `token`: creates access tokens for clients of the gateway.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use gateway::Tokens;
use serde_json::json;

use crate::{arguments::TokenCommand, context::Context, failure::Failure};

/// Number of random bytes from which a token is derived.
const RANDOM_BYTES: usize = 24;

/// Creates a token, appends its name and hash to the file `tokens`, and prints it. A running gateway accepts it after a
/// restart.
///
/// # Errors
/// [`Failure::Invalid`] for a name that is empty or contains white space; [`Failure::Failed`] if the file cannot be
/// written.
pub(super) fn run(context: &Context, command: &TokenCommand) -> Result<(), Failure> {
    let TokenCommand::Add { name } = command;
    let path = context.home.dir.join("tokens");
    if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(Failure::Invalid(format!("`{}` is not a name for a token: use one word", name.escape_debug())));
    }
    let token = new_token().map_err(|error| Failure::Failed(format!("cannot get random bytes: {error}")))?;
    append(&path, &Tokens::format_line(name, &token)).map_err(|error| Failure::file("write", &path, &error))?;
    context.print(&json!({ "name": name, "token": token }), || {
        anstream::println!("{token}");
        context.print_note(&format!(
            "the token is shown only now, its hash is in {}; restart `turnwise serve` to accept it",
            path.display()
        ));
    })
}

/// Creates a token: `tw-` and the BLAKE3 hash of random bytes of the operating system, in hexadecimal.
///
/// # Errors
/// The error of the operating system if it provides no random bytes.
fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(format!("tw-{}", blake3::hash(&bytes).to_hex()))
}

/// Appends a line to a file and syncs it. A missing file is created with mode 0600, a missing folder with the default
/// mode.
fn append(path: &Path, line: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    file.write_all(line.as_bytes())?;
    file.sync_all()
}
