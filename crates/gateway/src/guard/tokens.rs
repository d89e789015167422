//! The access tokens of clients, each with its scopes.

use std::{collections::BTreeSet, fmt, path::Path};

use adapters::{KeyError, read_secret_file};

/// A part of the gateway that a token gives access to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Requests to models, and their list. The default.
    Use,
    /// Turns, costs, status, policy and metrics, without changing anything.
    Read,
    /// Everything: also the policy, ratings and outages can be changed.
    Admin,
}

impl Scope {
    /// All scopes of tokens.
    pub const ALL: [Self; 3] = [Self::Use, Self::Read, Self::Admin];

    /// Returns the name of the scope in the file of tokens and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Use => "use",
            Self::Read => "read",
            Self::Admin => "admin",
        }
    }

    /// Returns the scope with this name; `None` if there is none.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A token of one client. The token itself is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The name of the client.
    pub name: String,
    /// The BLAKE3 hash of the token.
    hash: blake3::Hash,
    /// The parts of the gateway that it gives access to.
    pub scopes: BTreeSet<Scope>,
}

/// The access tokens of all clients, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens(Vec<Token>);

/// The error of adding a token whose name is taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is a token `{0}` already: choose another name, or add --replace to revoke it")]
pub struct NameTaken(pub String);

impl Token {
    /// Creates the entry of a token. `name` must be one word.
    pub fn new(name: &str, token: &str, scopes: BTreeSet<Scope>) -> Self {
        Self { name: name.to_owned(), hash: blake3::hash(token.as_bytes()), scopes }
    }

    /// Parses a line `name hash scope,scope`; without scopes the token has the scope `use`. `None` if it is invalid.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let (name, hash) = (words.next()?.to_owned(), blake3::Hash::from_hex(words.next()?).ok()?);
        let scopes = words.next().unwrap_or(Scope::Use.name()).split(',').map(Scope::parse);
        let scopes = scopes.collect::<Option<_>>().filter(|_| words.next().is_none())?;
        Some(Self { name, hash, scopes })
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scopes: Vec<_> = self.scopes.iter().map(|scope| scope.name()).collect();
        write!(f, "{} {} {}", self.name, self.hash.to_hex(), scopes.join(","))
    }
}

impl Tokens {
    /// Loads a file with lines of `name hash scopes`. Blank lines and lines that begin with `#` are skipped. A missing file
    /// has no tokens.
    ///
    /// # Errors
    /// [`KeyError`] if the file cannot be read or parsed, if other users have access to it, or if two tokens have the same
    /// name.
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        let Some(text) = read_secret_file(path)? else { return Ok(Self::default()) };
        let mut tokens = Self::default();
        for (line, content) in (1..).zip(text.lines().map(str::trim)) {
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let token = Token::parse(content).filter(|token| !tokens.has(&token.name));
            tokens.0.push(token.ok_or_else(|| KeyError::Token { path: path.to_owned(), line })?);
        }
        Ok(tokens)
    }

    /// Adds a token. With `replaces`, it takes the place of an earlier one of its name, which is thereby revoked.
    ///
    /// # Errors
    /// [`NameTaken`] if there is a token of that name and `replaces` is false.
    pub fn add(&mut self, token: Token, replaces: bool) -> Result<(), NameTaken> {
        match self.0.iter_mut().find(|known| known.name == token.name) {
            None => self.0.push(token),
            Some(known) if replaces => *known = token,
            Some(known) => return Err(NameTaken(known.name.clone())),
        }
        Ok(())
    }

    /// Removes the token with this name. Returns whether there was one.
    pub fn remove(&mut self, name: &str) -> bool {
        let count = self.0.len();
        self.0.retain(|token| token.name != name);
        self.0.len() < count
    }

    /// Iterates over the tokens in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Token> {
        self.0.iter()
    }

    /// Formats the tokens as the content of a file.
    pub fn format(&self) -> String {
        self.0.iter().fold(String::new(), |text, token| text + &token.to_string() + "\n")
    }

    /// Returns whether there are no tokens, in which case requests need none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether there is a token with this name.
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|token| token.name == name)
    }

    /// Returns the scopes of a token; `None` if it is unknown. Compares every hash, each in constant time.
    pub(super) fn scopes(&self, token: &str) -> Option<&BTreeSet<Scope>> {
        let given = blake3::hash(token.as_bytes());
        let mut found = None;
        for known in &self.0 {
            if known.hash == given {
                found = Some(&known.scopes);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// Writes a file of tokens with mode 0600 and loads it.
    fn load(content: &str) -> Result<Tokens, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        Tokens::load(&path).map_err(|error| error.to_string())
    }

    fn token(name: &str, scopes: &[Scope]) -> Token {
        Token::new(name, &format!("tw-{name}"), scopes.iter().copied().collect())
    }

    #[test]
    fn a_second_token_of_a_name_revokes_the_first_only_on_request() {
        let mut tokens = Tokens::default();
        tokens.add(token("laptop", &[Scope::Use]), false).unwrap();
        let before = tokens.clone();
        let error = tokens.add(Token::new("laptop", "tw-other", BTreeSet::from([Scope::Admin])), false).unwrap_err();
        assert!(error.to_string().contains("--replace"), "{error}");
        assert_eq!(tokens, before);
        tokens.add(Token::new("laptop", "tw-other", BTreeSet::from([Scope::Admin])), true).unwrap();
        assert_eq!(tokens.scopes("tw-laptop"), None);
        assert_eq!(tokens.scopes("tw-other"), Some(&BTreeSet::from([Scope::Admin])));
        assert!(tokens.remove("laptop") && !tokens.remove("laptop") && tokens.is_empty());
    }

    #[test]
    fn a_file_of_tokens_reads_back_and_names_the_line_of_an_error() {
        let mut tokens = Tokens::default();
        tokens.add(token("laptop", &[Scope::Use]), false).unwrap();
        tokens.add(token("page", &[Scope::Read, Scope::Admin]), false).unwrap();
        assert_eq!(load(&format!("# clients\n\n{}", tokens.format())).unwrap(), tokens);
        let hash = blake3::hash(b"tw-old").to_hex();
        let without_scope = load(&format!("old {hash}\n")).unwrap();
        assert_eq!(without_scope.scopes("tw-old"), Some(&BTreeSet::from([Scope::Use])));
        for wrong in ["laptop", "laptop 12", &format!("laptop {hash} all"), &format!("laptop {hash} use admin")] {
            assert!(load(&format!("other {hash}\n{wrong}\n")).unwrap_err().contains("line 2"), "{wrong}");
        }
        let twice = format!("laptop {hash}\nlaptop {hash} admin\n");
        assert!(load(&twice).unwrap_err().contains("line 2"));
    }
}
