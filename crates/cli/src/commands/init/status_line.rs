//! `init --claude-code`: installs the status line in the settings of Claude Code, and removes it.

use std::path::Path;

use serde_json::{Value, json};

use crate::{
    context::Context,
    failure::Failure,
    machine::{SettingsFile, claude_folder, find_member, remove_member, set_member},
    screen::{BAD, FAINT, GOOD, escape_line, outln, styled},
};

/// The member of the settings that configures the status line.
pub(crate) const MEMBER: &str = "statusLine";

/// The content of a new settings file.
const EMPTY: &str = "{\n}\n";

/// Installs the status line of turnwise in the settings of Claude Code, and prints the change. The previous file is
/// copied first. A status line of another program is only replaced with `force`.
///
/// # Errors
/// [`Failure::Invalid`] if the settings are no JSON object or have another status line, [`Failure::Failed`] if a file
/// cannot be read or written. The settings are then unchanged.
pub(crate) fn install(context: &Context, force: bool) -> Result<(), Failure> {
    let settings = read_settings(context)?;
    let text = settings.text().unwrap_or(EMPTY);
    let existing =
        find_member(text, MEMBER).map_err(|cause| unusable(settings.path(), &cause))?.map(|found| found.value);
    let value = json!({ "type": "command", "command": command(context)? });
    let shown_path = settings.path().display();
    if existing.as_ref() == Some(&value) {
        let json = json!({ "settings": settings.path(), "changed": false, "status_line": value });
        return context.print(&json, || outln!("{shown_path} has this status line already."));
    }
    let foreign = existing.as_ref().filter(|existing| !is_own(existing));
    if let Some(foreign) = foreign
        && !force
    {
        return Err(Failure::Invalid(format!(
            "`{shown_path}` has another status line: {}; `turnwise init --claude-code --force` replaces it, and \
             `--remove` restores it",
            describe(foreign)
        )));
    }
    let changed = set_member(text, MEMBER, &value).map_err(|cause| unusable(settings.path(), &cause))?;
    // The copy of an earlier installation is the file without the status line of turnwise.
    let keeps_backup = existing.as_ref().is_some_and(is_own);
    let backup = if keeps_backup { None } else { settings.back_up()? };
    settings.write(&changed)?;
    let json = json!({
        "settings": settings.path(), "changed": true, "status_line": value, "replaced": existing, "backup": backup,
    });
    context.print(&json, || {
        outln!("{} {shown_path}", styled(GOOD, "changed"));
        if let Some(existing) = &existing {
            outln!("  {} {}", styled(BAD, "-"), describe(existing));
        }
        outln!("  {} {}", styled(GOOD, "+"), describe(&value));
        if let Some(backup) = &backup {
            outln!("  {}", styled(FAINT, &format!("the file before is {}", backup.display())));
        }
        outln!("Claude Code shows the model that answers, why, and the cost of today.");
        outln!("  turnwise claude                       starts it through the gateway");
        outln!("  turnwise init --claude-code --remove  removes the status line");
    })
}

/// Removes the status line that [`install`] wrote from the settings of Claude Code, and prints the change. Restores the
/// status line that it replaced, and deletes a file that it created.
///
/// # Errors
/// Those of [`install`], and [`Failure::Invalid`] if the status line is not that of turnwise.
pub(crate) fn remove(context: &Context) -> Result<(), Failure> {
    let settings = read_settings(context)?;
    let text = settings.text().unwrap_or(EMPTY);
    let existing =
        find_member(text, MEMBER).map_err(|cause| unusable(settings.path(), &cause))?.map(|found| found.value);
    let shown_path = settings.path().display();
    let Some(existing) = existing else {
        let json = json!({ "settings": settings.path(), "changed": false });
        return context.print(&json, || outln!("{shown_path} has no status line."));
    };
    if !is_own(&existing) {
        return Err(Failure::Invalid(format!(
            "`{shown_path}` has a status line that is not of turnwise, which stays: {}",
            describe(&existing)
        )));
    }
    let backup = SettingsFile::read(settings.backup_path())?;
    let replaced = backup.text().and_then(|text| find_member(text, MEMBER).ok().flatten()).map(|found| found.value);
    let restored = match &replaced {
        Some(replaced) => set_member(text, MEMBER, replaced),
        None => remove_member(text, MEMBER),
    };
    let restored = restored.map_err(|cause| unusable(settings.path(), &cause))?;
    // The same settings as before the installation get the same bytes; there was no file if there is no copy.
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    match backup.text() {
        Some(before) if parsed(before) == parsed(&restored) => settings.write(before)?,
        None if parsed(&restored) == Some(json!({})) => settings.delete()?,
        _ => settings.write(&restored)?,
    }
    if backup.text().is_some() {
        backup.delete()?;
    }
    let json = json!({
        "settings": settings.path(), "changed": true, "removed": existing, "status_line": replaced,
    });
    context.print(&json, || {
        outln!("{} {shown_path}", styled(GOOD, "changed"));
        outln!("  {} {}", styled(BAD, "-"), describe(&existing));
        if let Some(replaced) = &replaced {
            outln!("  {} {}", styled(GOOD, "+"), describe(replaced));
        }
    })
}

/// Reads the settings file of the user's Claude Code.
fn read_settings(context: &Context) -> Result<SettingsFile, Failure> {
    let user = context.home.user.as_deref();
    let user = user.ok_or_else(|| Failure::Invalid("the home folder of the user is unknown: set HOME".to_owned()))?;
    SettingsFile::read(claude_folder(user).join("settings.json"))
}

/// Returns the shell command that prints the status line: the path of this program, with the home folder if it is not
/// the default one. The path is absolute, since Claude Code runs the command in a shell with another PATH.
fn command(context: &Context) -> Result<String, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::Failed(format!("cannot find the path of this program: {error}")))?;
    let mut words = vec![shell_word(&program)];
    let home = &context.home;
    if home.user.as_ref().is_none_or(|user| home.dir != user.join(".turnwise")) {
        let dir = std::path::absolute(&home.dir).map_err(|error| Failure::file("resolve", &home.dir, &error))?;
        words.extend(["--home".to_owned(), shell_word(&dir)]);
    }
    words.push("statusline".to_owned());
    Ok(words.join(" "))
}

/// Quotes a path for a shell if necessary.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-+@:".contains(character);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Returns whether a status line in the settings is one that turnwise installed, also if by another copy of the
/// program.
pub(crate) fn is_own(status_line: &Value) -> bool {
    let command = status_line["command"].as_str().unwrap_or_default();
    command.contains("turnwise") && command.trim_end().ends_with(" statusline")
}

/// Formats a status line of the settings on one line: its command, or its JSON if it has none.
fn describe(status_line: &Value) -> String {
    let text = status_line["command"].as_str().map_or_else(|| status_line.to_string(), str::to_owned);
    escape_line(&text).into_owned()
}

/// Creates the failure for settings that are not edited because they are not a JSON object; `cause` is the error.
fn unusable(path: &Path, cause: &str) -> Failure {
    Failure::Invalid(format!("`{}` is not changed, because it is no valid JSON object: {cause}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_spaces_or_quotes_is_one_word_of_a_shell() {
        assert_eq!(shell_word(Path::new("/usr/local/bin/turnwise")), "/usr/local/bin/turnwise");
        assert_eq!(shell_word(Path::new("/home/o'neil/my bin/turnwise")), r"'/home/o'\''neil/my bin/turnwise'");
    }

    #[test]
    fn only_a_command_of_turnwise_is_its_own() {
        let own = |command: &str| is_own(&json!({ "type": "command", "command": command }));
        assert!(own("/old/place/turnwise statusline") && own("'/my bin/turnwise' --home /x statusline"));
        assert!(!own("~/.claude/statusline.sh") && !own("cat | turnwise statusline | tee log") && !own(""));
        assert!(!is_own(&json!("turnwise statusline text")));
    }
}
