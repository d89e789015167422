//! Finds coding agents: their program, their login and their session files.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use adapters::read_own_file;

/// A coding agent, such as Claude Code, whose requests the gateway can serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ClientKind {
    /// Claude Code of Anthropic.
    ClaudeCode,
    /// Codex of OpenAI.
    Codex,
    /// opencode.
    OpenCode,
    /// aider.
    Aider,
    /// Gemini CLI of Google.
    GeminiCli,
    /// llm by Simon Willison.
    Llm,
}

impl ClientKind {
    /// All coding agents that the gateway supports.
    pub(crate) const ALL: [Self; 6] =
        [Self::ClaudeCode, Self::Codex, Self::OpenCode, Self::Aider, Self::GeminiCli, Self::Llm];

    /// Returns the name of the coding agent for users, such as `Claude Code`.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::OpenCode => "opencode",
            Self::Aider => "aider",
            Self::GeminiCli => "Gemini CLI",
            Self::Llm => "llm",
        }
    }

    /// Returns the name by which the gateway recognises the coding agent, such as `claude-code`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Aider => "aider",
            Self::GeminiCli => "gemini-cli",
            Self::Llm => "openai-sdk",
        }
    }

    /// Returns the file name of the coding agent's program, such as `claude`.
    pub(crate) const fn program(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Aider => "aider",
            Self::GeminiCli => "gemini",
            Self::Llm => "llm",
        }
    }

    /// Returns the provider of the models that the coding agent uses by default; `None` if the user has to choose one.
    pub(crate) const fn provider(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("anthropic"),
            Self::Codex => Some("openai"),
            Self::GeminiCli => Some("google"),
            Self::OpenCode | Self::Aider | Self::Llm => None,
        }
    }
}

/// A coding agent that was found on this machine.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    /// Which coding agent it is.
    pub(crate) kind: ClientKind,
    /// The path of its program; `None` if no folder of PATH has it.
    pub(crate) program: Option<PathBuf>,
    /// Whether it has stored a login, with which it needs no API key.
    pub(crate) has_login: bool,
}

/// Returns the coding agents of this machine: those with a program in the folders of PATH or with a stored login.
/// `user` is the user's home folder.
pub(crate) fn find_clients(user: Option<&Path>) -> Vec<Client> {
    let clients = ClientKind::ALL.into_iter().map(|kind| Client {
        kind,
        program: find_program(kind.program()),
        has_login: user.is_some_and(|user| has_login(kind, user)),
    });
    clients.filter(|client| client.program.is_some() || client.has_login).collect()
}

/// Returns the path of an executable file in the folders of PATH; `None` if there is none.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let is_executable = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    env::split_paths(&path).map(|folder| folder.join(name)).find(is_executable)
}

/// Returns whether a coding agent has stored a login. Only the presence of the login is checked; its content is never
/// read.
fn has_login(kind: ClientKind, user: &Path) -> bool {
    match kind {
        // On macOS the login is in the keychain, and `.claude.json` names the account.
        ClientKind::ClaudeCode => {
            claude_folder(user).join(".credentials.json").exists()
                || read_own_file(&user.join(".claude.json")).is_ok_and(|text| text.contains("\"oauthAccount\""))
        }
        ClientKind::Codex => codex_folder(user).join("auth.json").exists(),
        _ => false,
    }
}

/// Returns the folder with the session files of a coding agent; `None` if turnwise cannot read its session files.
pub(crate) fn session_folder(kind: ClientKind, user: &Path) -> Option<PathBuf> {
    match kind {
        ClientKind::ClaudeCode => Some(claude_folder(user).join("projects")),
        ClientKind::Codex => Some(codex_folder(user).join("sessions")),
        _ => None,
    }
}

/// Returns the folder of Claude Code: `$CLAUDE_CONFIG_DIR`, or `.claude` in the user's home folder.
pub(crate) fn claude_folder(user: &Path) -> PathBuf {
    folder_from("CLAUDE_CONFIG_DIR").unwrap_or_else(|| user.join(".claude"))
}

/// Returns the folder of Codex: `$CODEX_HOME`, or `.codex` in the user's home folder.
pub(super) fn codex_folder(user: &Path) -> PathBuf {
    folder_from("CODEX_HOME").unwrap_or_else(|| user.join(".codex"))
}

/// Returns the path in an environment variable; `None` if it is unset or empty.
pub(super) fn folder_from(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from)
}
