//! Which messages of the role `user` the user wrote.

/// What goes before the request in a message from an editor.
const REQUEST: &str = "## My request for Codex:";

/// The tags that versions of the client have used.
const TAGS: [&str; 12] = [
    "environment_context",
    "user_instructions",
    "user_shell_command",
    "turn_aborted",
    "skill",
    "permissions",
    "collaboration_mode",
    "multi_agent_mode",
    "apps_instructions",
    "plugins_instructions",
    "skills_instructions",
    "subagent_notification",
];

/// Whether the client wrote this for the user: project notes, the environment, that a turn was aborted. Such texts
/// stand in a tag of their own, but for the project notes of some versions.
pub(super) fn is_injected(text: &str) -> bool {
    let text = text.trim_start();
    if text.starts_with("# AGENTS.md instructions") {
        return true;
    }
    let Some((tag, rest)) = text.strip_prefix('<').and_then(|text| text.split_once('>')) else { return false };
    let name = tag.split(' ').next().unwrap_or_default();
    TAGS.contains(&name) && rest.contains(&format!("</{name}"))
}

/// The part of a message that the user typed.
pub(super) fn typed(text: &str) -> &str {
    match text.split_once(REQUEST) {
        Some((before, request)) if before.trim_start().starts_with("# Context from my IDE") => request.trim(),
        _ => text,
    }
}

/// The workspace that a note about the environment names.
pub(super) fn workspace(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("<cwd>")?;
    let (path, _) = rest.split_once("</cwd>")?;
    Some(path.trim()).filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{is_injected, typed, workspace};

    #[test]
    fn what_the_client_wrote_is_no_message() {
        let context = "<environment_context>\n  <cwd>/home/dev/shop</cwd>\n</environment_context>";
        assert!(is_injected(context));
        assert_eq!(workspace(context), Some("/home/dev/shop"));
        assert!(is_injected("# AGENTS.md instructions for /home/dev/shop\n\n<INSTRUCTIONS>…"));
        assert!(is_injected("<turn_aborted>\nThe user interrupted the turn.\n</turn_aborted>"));
        for message in
            ["fix <b>this</b>", "<b>bold</b>", "<div>why?</div>", "", "# AGENTS.md is missing", "<skill> is odd"]
        {
            assert!(!is_injected(message), "{message}");
        }
    }

    #[test]
    fn an_editor_s_context_is_not_typed() {
        let text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nfix a.rs\n";
        assert_eq!(typed(text), "fix a.rs");
        assert_eq!(typed("explain \"## My request for Codex:\""), "explain \"## My request for Codex:\"");
    }
}
