//! The shell commands that are written into the settings of a client.

use std::path::Path;

use crate::{context::Context, failure::Failure};

/// Returns the shell command that runs a subcommand of this program: the absolute path of the program, since the client runs
/// it in a shell with another PATH, and the home folder if it is not the default one.
///
/// # Errors
/// [`Failure::Failed`] if the path of the program or of the home folder is unknown.
pub(super) fn own_command(context: &Context, subcommand: &str) -> Result<String, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::Failed(format!("cannot find the path of this program: {error}")))?;
    command_of(context, &shell_word(&program), subcommand)
}

/// Returns the shell command that runs a subcommand of the `turnwise` on the PATH, for settings that are shared between
/// machines.
///
/// # Errors
/// [`Failure::Failed`] if the path of the home folder is unknown.
pub(super) fn shared_command(context: &Context, subcommand: &str) -> Result<String, Failure> {
    command_of(context, "turnwise", subcommand)
}

/// Returns the shell command of a program, which is quoted already.
fn command_of(context: &Context, program: &str, subcommand: &str) -> Result<String, Failure> {
    let home = &context.home;
    if home.user.as_ref().is_some_and(|user| home.dir == user.join(".turnwise")) {
        return Ok(format!("{program} {subcommand}"));
    }
    let dir = std::path::absolute(&home.dir).map_err(|error| Failure::file("resolve", &home.dir, &error))?;
    Ok(format!("{program} --home {} {subcommand}", shell_word(&dir)))
}

/// Quotes a path for a shell if necessary.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-+@:".contains(character);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Returns whether a command of the settings runs a subcommand of turnwise, also if of another copy of the program.
pub(super) fn runs_subcommand(command: &str, subcommand: &str) -> bool {
    let Some(start) = command.trim_end().strip_suffix(subcommand) else { return false };
    start.contains("turnwise") && start.ends_with(' ')
}

/// Returns the absolute path of the program that a command of the settings runs; `None` if it is searched on the PATH or
/// quoted in a way that turnwise does not write.
pub(crate) fn program_of(command: &str) -> Option<&Path> {
    let program = match command.strip_prefix('\'') {
        // A quotation mark within a path ends the quotation.
        Some(quoted) => quoted.split_once("' ").map(|(path, _)| path).filter(|path| !path.contains('\''))?,
        None => command.split(' ').next()?,
    };
    Some(Path::new(program)).filter(|path| path.is_absolute())
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
    fn only_a_command_of_turnwise_runs_its_subcommand() {
        let own = |command: &str| runs_subcommand(command, "statusline");
        assert!(own("/old/place/turnwise statusline") && own("'/my bin/turnwise' --home /x statusline "));
        assert!(!own("~/.claude/statusline.sh") && !own("cat | turnwise statusline | tee log") && !own(""));
    }

    #[test]
    fn the_program_of_a_command_is_its_absolute_path() {
        assert_eq!(program_of("/bin/turnwise statusline"), Some(Path::new("/bin/turnwise")));
        assert_eq!(program_of("'/my bin/turnwise' statusline"), Some(Path::new("/my bin/turnwise")));
        assert_eq!(program_of("turnwise statusline"), None);
        assert_eq!(program_of(r"'/o'\''neil/turnwise' statusline"), None);
    }
}
