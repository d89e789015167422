//! `init --claude-code`: installs the status line and the hook of turnwise in the settings of Claude Code, and removes
//! them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{
    prompt_hook::{find_prompt_hooks, own_hook, with_prompt_hook, without_prompt_hooks},
    status_line::{self, find_status_line, is_own_status_line},
};
use crate::{
    context::Context,
    failure::Failure,
    machine::{SettingsFile, claude_folder, remove_member, set_member},
    screen::{BAD, FAINT, GOOD, NOTICE, escape_line, outln, styled},
};

/// The content of a new settings file.
const EMPTY: &str = "{\n}\n";

/// The settings file that is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingsScope {
    /// The file of the user, for all projects.
    User,
    /// The file of the project in the current folder, which its members may share. It gets the hook only: a status line is a
    /// choice of each user.
    Project,
}

/// The status line and the hooks of turnwise in the settings, and a status line of another program.
struct Installed {
    /// The status line of turnwise.
    own_status_line: Option<Value>,
    /// The status line of another program.
    foreign_status_line: Option<Value>,
    /// The hooks of turnwise.
    hooks: Vec<Value>,
}

impl Installed {
    /// Finds them in the text of the settings.
    fn find(settings: &SettingsFile) -> Result<Self, Failure> {
        let text = settings.text().unwrap_or(EMPTY);
        let found = find_status_line(text).map_err(|cause| unusable(settings.path(), &cause))?;
        let (own_status_line, foreign_status_line) = match found {
            Some(value) if is_own_status_line(&value) => (Some(value), None),
            other => (None, other),
        };
        let hooks = find_prompt_hooks(text).map_err(|cause| unusable(settings.path(), &cause))?;
        Ok(Self { own_status_line, foreign_status_line, hooks })
    }

    /// Returns whether turnwise has installed anything.
    fn has_own(&self) -> bool {
        self.own_status_line.is_some() || !self.hooks.is_empty()
    }
}

/// Installs the hook of turnwise in the settings of Claude Code, and in those of the user also the status line, and prints the
/// change. The previous file of the user is copied first. A status line of another program is only replaced with `force`.
///
/// # Errors
/// [`Failure::Invalid`] if the settings are no JSON object or their hooks have another form, [`Failure::Failed`] if a file
/// cannot be read or written. The settings are then unchanged.
pub(crate) fn install(context: &Context, scope: SettingsScope, force: bool) -> Result<(), Failure> {
    let settings = read_settings(context, scope)?;
    let before = Installed::find(&settings)?;
    let text = settings.text().unwrap_or(EMPTY);
    let hook = own_hook(context, scope == SettingsScope::Project)?;
    let wants_status_line = scope == SettingsScope::User && (before.foreign_status_line.is_none() || force);
    let status_line = if wants_status_line { Some(status_line::own_value(context)?) } else { None };
    let changed = with_prompt_hook(text, &hook)
        .and_then(|text| match &status_line {
            Some(value) if before.own_status_line.as_ref() != Some(value) => {
                set_member(&text, status_line::MEMBER, value)
            }
            _ => Ok(text),
        })
        .map_err(|cause| unusable(settings.path(), &cause))?;
    let kept = before.foreign_status_line.as_ref().filter(|_| scope == SettingsScope::User && !force);
    let is_changed = changed != text;
    // The copy of an earlier installation is the file without anything of turnwise. The file of a project is in its version
    // control, which a copy would disturb.
    let copies = is_changed && scope == SettingsScope::User && !before.has_own();
    let backup = if copies { settings.back_up()? } else { None };
    if is_changed {
        settings.write(&changed)?;
    }
    let replaced = if force { before.foreign_status_line.as_ref() } else { None };
    let json = json!({
        "settings": settings.path(), "changed": is_changed, "prompt_hook": hook, "status_line": status_line,
        "replaced": replaced, "kept_status_line": kept, "backup": backup,
    });
    context.print(&json, || {
        print_change(settings.path(), is_changed, &before.own_values(replaced), &[Some(&hook), status_line.as_ref()]);
        if let Some(backup) = &backup {
            outln!("  {}", styled(FAINT, &format!("the file before is {}", backup.display())));
        }
        if let Some(kept) = kept {
            outln!("{} {}", styled(NOTICE, "kept"), describe(kept));
            outln!("  another status line; turnwise init --claude-code --force replaces it");
        }
        if is_changed {
            print_purpose(scope, status_line.is_some());
        }
    })
}

impl Installed {
    /// Returns what an installation replaces: the status line and hooks of turnwise, and `replaced`.
    fn own_values<'a>(&'a self, replaced: Option<&'a Value>) -> Vec<&'a Value> {
        self.hooks.iter().chain(&self.own_status_line).chain(replaced).collect()
    }
}

/// Prints the values of the settings that were removed and added. Values that stay are not printed.
fn print_change(path: &Path, is_changed: bool, removed: &[&Value], added: &[Option<&Value>]) {
    if !is_changed {
        outln!("{} has this already.", path.display());
        return;
    }
    outln!("{} {}", styled(GOOD, "changed"), path.display());
    for value in removed.iter().filter(|value| !added.contains(&Some(**value))) {
        outln!("  {} {}", styled(BAD, "-"), describe(value));
    }
    for value in added.iter().flatten().filter(|value| !removed.contains(value)) {
        outln!("  {} {}", styled(GOOD, "+"), describe(value));
    }
}

/// Prints what the installed commands do and how they are removed.
fn print_purpose(scope: SettingsScope, has_status_line: bool) {
    outln!("Claude Code is told which skill fits a message, and why.");
    if has_status_line {
        outln!("Claude Code shows the model that answers, why, and the cost of today.");
        outln!("  turnwise claude                       starts it through the gateway");
    }
    match scope {
        SettingsScope::User => outln!("  turnwise init --claude-code --remove  removes what was added"),
        SettingsScope::Project => {
            outln!("  turnwise init --claude-code --project --remove  removes what was added");
        }
    }
}

/// Removes what [`install`] wrote from the settings of Claude Code, and prints the change. Restores the status line that it
/// replaced, and deletes a file that it created. A status line of another program stays.
///
/// # Errors
/// Those of [`install`].
pub(crate) fn remove(context: &Context, scope: SettingsScope) -> Result<(), Failure> {
    let settings = read_settings(context, scope)?;
    let before = Installed::find(&settings)?;
    if !before.has_own() {
        let json = json!({ "settings": settings.path(), "changed": false });
        return context.print(&json, || outln!("{} has nothing of turnwise.", settings.path().display()));
    }
    let backup = SettingsFile::read(settings.backup_path())?;
    let replaced = backup.text().and_then(|text| find_status_line(text).ok().flatten());
    let replaced = replaced.filter(|_| before.own_status_line.is_some());
    let text = settings.text().unwrap_or(EMPTY);
    let restored = without_prompt_hooks(text)
        .and_then(|text| match (&before.own_status_line, &replaced) {
            (None, _) => Ok(text),
            (Some(_), Some(replaced)) => set_member(&text, status_line::MEMBER, replaced),
            (Some(_), None) => remove_member(&text, status_line::MEMBER),
        })
        .map_err(|cause| unusable(settings.path(), &cause))?;
    restore(&settings, &backup, &restored)?;
    let json = json!({
        "settings": settings.path(), "changed": true, "prompt_hooks": before.hooks, "removed": before.own_status_line,
        "status_line": replaced,
    });
    context.print(&json, || {
        print_change(settings.path(), true, &before.own_values(None), &[replaced.as_ref()]);
    })
}

/// Writes settings without anything of turnwise and deletes the copy of the file before the installation. The same settings
/// as in the copy get its bytes; a file that the installation created is deleted.
fn restore(settings: &SettingsFile, backup: &SettingsFile, restored: &str) -> Result<(), Failure> {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    match backup.text() {
        Some(before) if parsed(before) == parsed(restored) => settings.write(before)?,
        // The text of a file that turnwise created; without a copy there was no file, or it was that of a project.
        None if restored == EMPTY => settings.delete()?,
        _ => settings.write(restored)?,
    }
    if backup.text().is_some() { backup.delete() } else { Ok(()) }
}

/// Reads the settings file of the user's Claude Code, or of the project in the current folder.
fn read_settings(context: &Context, scope: SettingsScope) -> Result<SettingsFile, Failure> {
    SettingsFile::read(match scope {
        SettingsScope::User => {
            let user = context.home.user.as_deref();
            let user =
                user.ok_or_else(|| Failure::Invalid("the home folder of the user is unknown: set HOME".to_owned()))?;
            user_settings(user)
        }
        SettingsScope::Project => PathBuf::from(".claude/settings.json"),
    })
}

/// Returns whether the settings of the user's Claude Code have the hook of turnwise; `false` if they cannot be read.
pub(crate) fn user_has_hook(context: &Context) -> bool {
    let Some(user) = context.home.user.as_deref() else { return false };
    let settings = SettingsFile::read(user_settings(user));
    settings.is_ok_and(|settings| {
        settings.text().is_some_and(|text| find_prompt_hooks(text).is_ok_and(|hooks| !hooks.is_empty()))
    })
}

/// Returns the path of the settings of the user's Claude Code; `user` is the user's home folder.
pub(crate) fn user_settings(user: &Path) -> PathBuf {
    claude_folder(user).join("settings.json")
}

/// Formats a status line or a hook of the settings on one line: its command, or its JSON if it has none.
fn describe(value: &Value) -> String {
    let text = value["command"].as_str().map_or_else(|| value.to_string(), str::to_owned);
    escape_line(&text).into_owned()
}

/// Creates the failure for settings that are not edited because of their content; `cause` is the error.
fn unusable(path: &Path, cause: &str) -> Failure {
    Failure::Invalid(format!("`{}` is not changed, because it is no valid JSON object: {cause}", path.display()))
}
