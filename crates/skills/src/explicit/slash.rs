//! Slash commands at the start of a request (C-17 in docs/spec).

/// The largest edit distance of a name that is suggested for an unknown command.
const MAX_TYPOS: usize = 2;

/// The slash commands at the start of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SlashCommands {
    /// The request starts with no slash command.
    None,
    /// The request starts with the commands of these skills, each once.
    Skills(Vec<String>),
    /// The request starts with a slash command that names no skill; a skill with a similar name, if there is one.
    Unknown(Option<String>),
}

/// Parses the slash commands at the start of a request. `resolve` returns the skill with a name or alias; `names` are all
/// names, for suggestions. A command is followed by white space or the end. `\/name` is text, and so are paths.
pub(crate) fn parse_slash_commands<'a>(
    text: &str,
    resolve: impl Fn(&str) -> Option<&'a str>,
    names: impl Iterator<Item = &'a str>,
) -> SlashCommands {
    let mut skills: Vec<String> = Vec::new();
    let mut unknown = None;
    for word in text.split_whitespace() {
        let Some(name) = word.strip_prefix('/') else { break };
        let Some(skill) = resolve(name) else {
            unknown = Some(name);
            break;
        };
        if skills.iter().all(|known| known != skill) {
            skills.push(skill.to_owned());
        }
    }
    match unknown {
        _ if !skills.is_empty() => SlashCommands::Skills(skills),
        Some(name) if !name.is_empty() && !name.contains('/') => SlashCommands::Unknown(nearest(name, names)),
        _ => SlashCommands::None,
    }
}

/// Returns the name with the smallest edit distance to `name`, if it is at most [`MAX_TYPOS`]; the first of several.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let lower = name.to_lowercase();
    let distances = names.map(|known| (strsim::osa_distance(&lower, &known.to_lowercase()), known));
    let (distance, known) = distances.min()?;
    (distance <= MAX_TYPOS && distance < known.len()).then(|| known.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{SlashCommands, parse_slash_commands};

    /// Parses a text with the skills `nasa-se` (alias `se`) and `testing`.
    fn parse(text: &str) -> SlashCommands {
        let resolve = |name: &str| match name {
            "nasa-se" | "se" => Some("nasa-se"),
            "testing" => Some("testing"),
            _ => None,
        };
        parse_slash_commands(text, resolve, ["nasa-se", "testing"].into_iter())
    }

    /// SK-01: a known command at the start, also an alias, is the skill.
    #[test]
    fn a_known_command_at_the_start_names_its_skill() {
        let skills = |names: &[&str]| SlashCommands::Skills(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(parse("/nasa-se debug the tournament"), skills(&["nasa-se"]));
        assert_eq!(parse("  /se"), skills(&["nasa-se"]));
        assert_eq!(parse("/testing /se /testing now"), skills(&["testing", "nasa-se"]));
        assert_eq!(parse("/testing /unknown"), skills(&["testing"]));
    }

    /// SK-01 with C-17: commands elsewhere, escaped ones and paths are text; a typo is reported with the nearest name.
    #[test]
    fn paths_and_unknown_commands_are_text() {
        for text in ["see /nasa-se", r"\/nasa-se debug", "/usr/bin/x fails", "", "/", "/nasa-se/x"] {
            assert_eq!(parse(text), SlashCommands::None, "{text}");
        }
        assert_eq!(parse("/nasase debug"), SlashCommands::Unknown(Some("nasa-se".into())));
        assert_eq!(parse("/deploy it"), SlashCommands::Unknown(None));
    }
}
