//! `token`: creates, lists and revokes access tokens for clients of the gateway.

use std::path::PathBuf;

use adapters::write_own_file;
use gateway::{Scope, Token, Tokens};
use serde_json::json;

use crate::{
    arguments::{TokenCommand, TokenScope},
    context::Context,
    failure::Failure,
    screen::{Table, outln},
};

/// Number of random bytes from which a token is derived.
const RANDOM_BYTES: usize = 24;

/// The file `tokens` of the home folder, with its content.
struct TokenFile {
    path: PathBuf,
    tokens: Tokens,
}

impl TokenFile {
    /// Reads the file `tokens` of the home folder; no tokens if it does not exist.
    fn open(context: &Context) -> Result<Self, Failure> {
        let path = context.home.dir.join("tokens");
        let tokens = Tokens::load(&path).map_err(|error| Failure::Failed(control::with_causes(&error)))?;
        Ok(Self { path, tokens })
    }

    /// Replaces the file by one with the present tokens.
    fn save(&self) -> Result<(), Failure> {
        let written = write_own_file(&self.path, self.tokens.format().as_bytes());
        written.map_err(|error| Failure::file("write", &self.path, &error))
    }
}

/// Executes a subcommand of `token`. A running gateway uses the file as it was when it started.
pub(super) fn run(context: &Context, command: TokenCommand) -> Result<(), Failure> {
    match command {
        TokenCommand::Add { name, scope, replace } => add_token(context, &name, &scope, replace),
        TokenCommand::List => list_tokens(context),
        TokenCommand::Remove { name } => remove_token(context, &name),
    }
}

/// Creates a token, adds its name, hash and scopes to the file, and prints it.
///
/// # Errors
/// [`Failure::Invalid`] for a name that is not one word, or that is taken unless `replace` is set.
fn add_token(context: &Context, name: &str, scopes: &[TokenScope], replace: bool) -> Result<(), Failure> {
    if name.is_empty() || name.starts_with('#') || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(Failure::Invalid(format!("`{}` is not a name for a token: use one word", name.escape_debug())));
    }
    let mut file = TokenFile::open(context)?;
    let token = new_token().map_err(|error| Failure::Failed(format!("cannot get random bytes: {error}")))?;
    let scopes = scopes.iter().map(|scope| match scope {
        TokenScope::Use => Scope::Use,
        TokenScope::Read => Scope::Read,
        TokenScope::Admin => Scope::Admin,
    });
    let entry = Token::new(name, &token, scopes.collect());
    let scopes = scope_names(&entry);
    file.tokens.add(entry, replace).map_err(|error| Failure::Invalid(error.to_string()))?;
    file.save()?;
    context.print(&json!({ "name": name, "token": token, "scopes": scopes }), || {
        outln!("{token}");
        context.print_note(&format!(
            "the token is shown only now, its hash is in {}; restart `turnwise serve` to accept it (scope: {})",
            file.path.display(),
            scopes.join(", "),
        ));
    })
}

/// Prints the names and scopes of all tokens.
fn list_tokens(context: &Context) -> Result<(), Failure> {
    let file = TokenFile::open(context)?;
    let rows: Vec<_> =
        file.tokens.iter().map(|token| json!({ "name": token.name, "scopes": scope_names(token) })).collect();
    context.print(&json!({ "tokens": rows }), || {
        if file.tokens.is_empty() {
            outln!("There is no token: every process of this machine may use the gateway. `turnwise token add NAME` creates one.");
            return;
        }
        let mut table = Table::new(&["NAME", "SCOPES"]);
        for token in file.tokens.iter() {
            table.add_row([token.name.clone(), scope_names(token).join(", ")]);
        }
        table.print();
    })
}

/// Revokes the token with this name: removes it from the file.
///
/// # Errors
/// [`Failure::Invalid`] if there is none of this name.
fn remove_token(context: &Context, name: &str) -> Result<(), Failure> {
    let mut file = TokenFile::open(context)?;
    if !file.tokens.remove(name) {
        return Err(Failure::Invalid(format!("there is no token `{name}`; `turnwise token list` lists them")));
    }
    file.save()?;
    context.print(&json!({ "removed": name }), || {
        outln!("Removed the token {name}. Restart `turnwise serve`, which accepts it until then.");
    })
}

/// Returns the names of the scopes of a token.
fn scope_names(token: &Token) -> Vec<&'static str> {
    token.scopes.iter().map(|scope| scope.name()).collect()
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
