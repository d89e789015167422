//! The status line of turnwise in the settings of Claude Code.

use serde_json::{Value, json};

use super::own_command::{own_command, runs_subcommand};
use crate::{context::Context, failure::Failure, machine::find_member};

/// The member of the settings that configures the status line.
pub(super) const MEMBER: &str = "statusLine";

/// Returns the value of the member that makes Claude Code run `turnwise statusline`.
///
/// # Errors
/// Those of [`own_command`].
pub(super) fn own_value(context: &Context) -> Result<Value, Failure> {
    Ok(json!({ "type": "command", "command": own_command(context, "statusline")? }))
}

/// Returns the status line in the settings with this text; `None` if there is none.
///
/// # Errors
/// Those of [`find_member`].
pub(crate) fn find_status_line(text: &str) -> Result<Option<Value>, String> {
    Ok(find_member(text, MEMBER)?.map(|member| member.value))
}

/// Returns whether a status line in the settings is one that turnwise installed, also if by another copy of the
/// program.
pub(crate) fn is_own_status_line(status_line: &Value) -> bool {
    runs_subcommand(status_line["command"].as_str().unwrap_or_default(), "statusline")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_command_of_turnwise_is_its_own() {
        assert!(is_own_status_line(&json!({ "type": "command", "command": "/old/turnwise statusline" })));
        assert!(!is_own_status_line(&json!({ "type": "command", "command": "~/.claude/statusline.sh" })));
        assert!(!is_own_status_line(&json!("turnwise statusline text")));
    }
}
