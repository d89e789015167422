//! Names of skills with and without the name of the plugin that contains them.

/// Returns the name of a skill without that of its plugin: `review` for `tools:review`.
pub(crate) fn without_plugin(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, name)| name)
}

/// Returns the only one of `names` that denotes the skill `name`: the equal one, or else the only one that differs by the name of
/// a plugin that one of both lacks. `None` if there is none, or if there are several.
pub(crate) fn find_name<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (mut found, mut is_ambiguous) = (None, false);
    for known in names {
        if known == name {
            return Some(known);
        }
        let differs_by_plugin = known.contains(':') != name.contains(':');
        if differs_by_plugin && without_plugin(known) == without_plugin(name) {
            is_ambiguous |= found.is_some_and(|other| other != known);
            found = Some(known);
        }
    }
    found.filter(|_| !is_ambiguous)
}

#[cfg(test)]
mod tests {
    use super::find_name;

    #[test]
    fn a_name_without_plugin_denotes_the_only_skill_of_that_name() {
        let find = |name, names: &'static [&'static str]| find_name(name, names.iter().copied());
        assert_eq!(find("review", &["tools:review", "deploy"]), Some("tools:review"));
        assert_eq!(find("tools:review", &["review", "deploy"]), Some("review"));
        assert_eq!(find("review", &["tools:review", "review"]), Some("review"));
        assert_eq!(find("review", &["tools:review", "other:review"]), None);
        assert_eq!(find("review", &["tools:review", "tools:review"]), Some("tools:review"));
        assert_eq!(find("tools:review", &["other:review", "deploy"]), None);
    }
}
