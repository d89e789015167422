//! The hook of turnwise in the settings of Claude Code, which Claude Code runs for every message of the user.

use serde_json::{Value, json};

use super::own_command::{own_command, runs_subcommand, shared_command};
use crate::{
    context::Context,
    failure::Failure,
    machine::{
        Style, edit_elements, edit_member, find_member, has_members, push_element, set_member, set_styled_member,
    },
};

/// The member of the settings with all hooks.
const HOOKS: &str = "hooks";

/// The member of [`HOOKS`] with the groups of hooks that run when the user submits a message.
const EVENT: &str = "UserPromptSubmit";

/// The subcommand that the hook runs.
const SUBCOMMAND: &str = "hook prompt-submit";

/// The argument of the hook of a project, which leaves the answer to the user's own hook if there is one.
const OF_PROJECT: &str = " --project";

/// The end of the command: whatever happens to the program, Claude Code does not block the message. The exit code 2, with
/// which programs reject unknown arguments, would block it.
const NEVER_FAILS: &str = " || true";

/// The time after which Claude Code ends the hook, in seconds.
const TIMEOUT_SECONDS: u64 = 5;

/// Returns the hook that makes Claude Code run `turnwise hook prompt-submit`. A hook that is `shared` between machines names
/// no path of the program.
///
/// # Errors
/// Those of [`own_command`].
pub(super) fn own_hook(context: &Context, shared: bool) -> Result<Value, Failure> {
    let command =
        if shared { shared_command(context, SUBCOMMAND)? + OF_PROJECT } else { own_command(context, SUBCOMMAND)? };
    Ok(json!({ "type": "command", "command": command + NEVER_FAILS, "timeout": TIMEOUT_SECONDS }))
}

/// Returns whether a hook of the settings is one that turnwise installed, also if by another copy of the program.
fn is_own(hook: &Value) -> bool {
    let command = hook["command"].as_str().unwrap_or_default().trim_end();
    let command = command.strip_suffix(NEVER_FAILS).unwrap_or(command);
    runs_subcommand(command.strip_suffix(OF_PROJECT).unwrap_or(command), SUBCOMMAND)
}

/// Returns the hooks of turnwise in the settings with this text.
///
/// # Errors
/// Those of [`find_member`].
pub(crate) fn find_prompt_hooks(text: &str) -> Result<Vec<Value>, String> {
    let hooks = find_member(text, HOOKS)?.map(|member| member.value).unwrap_or_default();
    let groups = hooks[EVENT].as_array().into_iter().flatten();
    let hooks = groups.flat_map(|group| group["hooks"].as_array().into_iter().flatten());
    Ok(hooks.filter(|hook| is_own(hook)).cloned().collect())
}

/// Returns the text of settings with `hook` as the only hook of turnwise. Other hooks stay as they are.
///
/// # Errors
/// A message if the text is no JSON object, or its hooks are not of the form that Claude Code reads.
pub(super) fn with_prompt_hook(text: &str, hook: &Value) -> Result<String, String> {
    if find_prompt_hooks(text)? == [hook.clone()] {
        return Ok(text.to_owned());
    }
    let text = without_prompt_hooks(text)?;
    let group = json!({ "hooks": [hook] });
    let style = Style::of(&text);
    if find_member(&text, HOOKS)?.is_none() {
        return set_member(&text, HOOKS, &json!({ EVENT: [group] }));
    }
    edit_member(&text, HOOKS, |hooks| {
        let inner = style.inside(hooks);
        if find_member(hooks, EVENT).map_err(|cause| malformed(HOOKS, &cause))?.is_none() {
            return set_styled_member(hooks, EVENT, &json!([group]), &inner).map(Some);
        }
        edit_member(hooks, EVENT, |groups| {
            push_element(groups, &group, &style.inside(groups)).map(Some).map_err(|cause| malformed(EVENT, &cause))
        })
        .map(Some)
    })
}

/// Returns the text of settings without the hooks of turnwise, and without the lists and objects that are empty then. Other
/// hooks stay as they are.
///
/// # Errors
/// Those of [`with_prompt_hook`].
pub(super) fn without_prompt_hooks(text: &str) -> Result<String, String> {
    if find_prompt_hooks(text)?.is_empty() {
        return Ok(text.to_owned());
    }
    edit_member(text, HOOKS, |hooks| {
        let edited = edit_member(hooks, EVENT, |groups| edit_elements(groups, without_own))?;
        Ok(has_members(&edited)?.then_some(edited))
    })
}

/// Returns the text of a group of hooks without those of turnwise; `None` if no other hook is in it.
fn without_own(group: &str) -> Result<Option<String>, String> {
    let group_value: Value = serde_json::from_str(group).map_err(|error| error.to_string())?;
    let hooks = group_value["hooks"].as_array().map_or(&[][..], Vec::as_slice);
    let own = hooks.iter().filter(|hook| is_own(hook)).count();
    if own == 0 {
        return Ok(Some(group.to_owned()));
    }
    if own == hooks.len() {
        return Ok(None);
    }
    let keep = |hook: &str| {
        let value: Value = serde_json::from_str(hook).map_err(|error| error.to_string())?;
        Ok((!is_own(&value)).then(|| hook.to_owned()))
    };
    edit_member(group, "hooks", |hooks| edit_elements(hooks, keep)).map(Some)
}

/// Describes hooks in the settings that Claude Code cannot read; `cause` is the error of the parser.
fn malformed(member: &str, cause: &str) -> String {
    format!("the value of `{member}` has another form than Claude Code reads: {cause}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the hook of turnwise in a folder.
    fn hook(folder: &str) -> Value {
        json!({ "type": "command", "command": format!("{folder}/turnwise hook prompt-submit || true"), "timeout": 5 })
    }

    #[test]
    fn an_added_hook_is_removed_to_equal_bytes() {
        for text in [
            "{\n}\n",
            "{\"a\": 1}",
            "{\n\t\"hooks\": {\n\t\t\"PreToolUse\": []\n\t},\n\t\"a\": 1\n}\n",
            "{\n  \"hooks\": {\n    \"UserPromptSubmit\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}\n    ]\n  }\n}",
            "{\"hooks\": {\"UserPromptSubmit\": [{\"hooks\": [ ]}], \"Stop\": [{}]}, \"b\": [2]}",
        ] {
            let with = with_prompt_hook(text, &hook("/bin")).unwrap();
            assert_eq!(find_prompt_hooks(&with).unwrap(), [hook("/bin")], "{with}");
            assert_eq!(with_prompt_hook(&with, &hook("/bin")).unwrap(), with);
            assert_eq!(without_prompt_hooks(&with).unwrap(), text, "{with}");
            let moved = with_prompt_hook(&with, &hook("/new")).unwrap();
            assert_eq!(find_prompt_hooks(&moved).unwrap(), [hook("/new")], "{moved}");
        }
    }

    #[test]
    fn a_new_hook_is_indented_like_the_others() {
        let text = "{\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}\n";
        let added =
            "{\n\t\"hooks\": {\n\t\t\"Stop\": [],\n\t\t\"UserPromptSubmit\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n";
        let with = with_prompt_hook(text, &hook("/bin")).unwrap();
        assert!(with.starts_with(added), "{with}");
    }

    #[test]
    fn hooks_of_others_in_the_same_group_stay() {
        let group = json!({ "hooks": [{ "type": "command", "command": "lint" }, hook("/bin")] });
        let text = json!({ "hooks": { "UserPromptSubmit": [group] } }).to_string();
        let without: Value = serde_json::from_str(&without_prompt_hooks(&text).unwrap()).unwrap();
        assert_eq!(
            without,
            json!({ "hooks": { "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "lint" }] }] } })
        );
    }

    #[test]
    fn hooks_of_another_form_are_an_error_and_not_changed() {
        for text in
            ["{\"hooks\": []}", "{\"hooks\": {\"UserPromptSubmit\": {}}}", "{\"hooks\": {\"UserPromptSubmit\": 1}}"]
        {
            assert!(with_prompt_hook(text, &hook("/bin")).unwrap_err().contains("another form"), "{text}");
            assert_eq!(without_prompt_hooks(text).unwrap(), text);
        }
    }

    #[test]
    fn only_a_command_of_turnwise_is_its_own() {
        assert!(
            is_own(&hook("/old")) && is_own(&json!({ "command": "'/my bin/turnwise' --home /x hook prompt-submit" }))
        );
        assert!(
            !is_own(&json!({ "command": "hook prompt-submit" })) && !is_own(&json!({ "command": "turnwise hook x" }))
        );
    }
}
