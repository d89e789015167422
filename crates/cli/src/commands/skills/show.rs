//! `skills show`: the metadata of one skill.

use event_core::Hex;
use serde_json::json;
use skills::{Finding, Skill};

use super::{FindingView, Loaded, lint::print_findings, scope_name};
use crate::{
    context::Context,
    failure::Failure,
    screen::{FAINT, HEADING, count_noun, escape_line, outln, styled, wrap},
};

/// The number of columns for the title of a line.
const MARGIN: usize = 14;
/// The maximum number of names that an error suggests.
const MAX_SUGGESTED: usize = 5;

/// Prints the metadata of a skill, the files that it replaces, and the findings about them.
///
/// # Errors
/// [`Failure::Invalid`] if no skill has the name.
pub(super) fn run(context: &Context, loaded: &Loaded, name: &str) -> Result<(), Failure> {
    let name = name.trim_start_matches('/');
    let skill = loaded.set.index.get(name).ok_or_else(|| unknown(loaded, name))?;
    let shadowed: Vec<&str> =
        loaded.set.shadowed.iter().filter(|other| other.name == skill.name).map(|other| other.path.as_str()).collect();
    let mut findings = loaded.findings();
    findings.retain(|finding| finding.path == skill.path || shadowed.contains(&finding.path.as_str()));
    let json = json!({
        "name": skill.name, "description": skill.description, "when_to_use": skill.when_to_use,
        "keywords": skill.keywords, "negative_keywords": skill.negative_keywords, "paths": skill.paths,
        "tags": skill.tags, "role": skill.role, "explicit_only": skill.explicit_only, "bytes": skill.bytes,
        "scope": skill.scope, "path": skill.path, "hash": Hex(&skill.hash).to_string(), "shadowed": shadowed,
        "findings": FindingView::of(&findings),
    });
    context.print(&json, || print_skill(skill, &shadowed, &findings))
}

/// Creates the error for a name that no skill has, with the names that contain it.
fn unknown(loaded: &Loaded, name: &str) -> Failure {
    let names = loaded.set.index.skills().iter().map(|skill| skill.name.as_str());
    let similar: Vec<_> =
        names.filter(|known| known.contains(name) || name.contains(known)).take(MAX_SUGGESTED).collect();
    let next = if similar.is_empty() {
        "list them with `turnwise skills list`".to_owned()
    } else {
        format!("similar names: {}", similar.join(", "))
    };
    Failure::Invalid(format!("no skill is called `{name}`: {next}"))
}

/// Prints a skill in 80 columns.
fn print_skill(skill: &Skill, shadowed: &[&str], findings: &[Finding]) {
    outln!("{}  {}", styled(HEADING, &escape_line(&skill.name)), styled(FAINT, &escape_line(&skill.path)));
    for line in wrap(&escape_line(&skill.description), 78) {
        outln!("  {line}");
    }
    outln!();
    let list = |texts: &[String]| texts.join(", ");
    let loaded_by = if skill.explicit_only { "its name only" } else { "its name or routing" };
    let size = format!("{} (about {} tokens)", count_noun(skill.bytes, "byte"), skill.bytes.div_ceil(4));
    let lines = [
        ("from", scope_name(skill.scope).to_owned()),
        ("loaded by", loaded_by.to_owned()),
        ("when to use", skill.when_to_use.split_whitespace().collect::<Vec<_>>().join(" ")),
        ("keywords", list(&skill.keywords)),
        ("never for", list(&skill.negative_keywords)),
        ("files", list(&skill.paths)),
        ("tags", list(&skill.tags)),
        ("role", skill.role.clone().unwrap_or_default()),
        ("size", size),
        ("hash", Hex(&skill.hash).to_string()),
        ("replaces", shadowed.join(", ")),
    ];
    for (title, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
        for (index, part) in wrap(&escape_line(text), 80 - MARGIN).iter().enumerate() {
            let title = if index == 0 { *title } else { "" };
            outln!("{}{part}", styled(FAINT, &format!("{title:<MARGIN$}")));
        }
    }
    if !findings.is_empty() {
        outln!();
        print_findings(findings);
    }
}
