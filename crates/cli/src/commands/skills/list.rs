//! `skills list`: the skills with their place, size and description.

use event_core::Hex;
use serde_json::json;

use super::{Counts, Loaded, scope_name};
use crate::{
    context::Context,
    failure::Failure,
    screen::{FAINT, Table, count_noun, outln, styled, truncate},
};

/// The maximum number of columns for the name of a skill.
const NAME_COLUMNS: usize = 30;
/// The number of columns of the table.
const COLUMNS: usize = 80;

/// Prints all skills of the index.
pub(super) fn run(context: &Context, loaded: &Loaded) -> Result<(), Failure> {
    let index = &loaded.set.index;
    let address = index.address().map_err(|error| Failure::Failed(error.to_string()))?;
    let counts = Counts::of(&loaded.findings());
    let listed: Vec<_> = index
        .skills()
        .iter()
        .map(|skill| {
            json!({
                "name": skill.name, "description": skill.description, "scope": skill.scope, "path": skill.path,
                "bytes": skill.bytes, "keywords": skill.keywords.len(), "explicit_only": skill.explicit_only,
                "hash": Hex(&skill.hash).to_string(),
            })
        })
        .collect();
    let shadowed: Vec<_> = loaded.set.shadowed.iter().map(|skill| &skill.path).collect();
    let json =
        json!({ "index": Hex(&address).to_string(), "skills": listed, "shadowed": shadowed, "findings": counts });
    context.print(&json, || {
        if index.skills().is_empty() {
            outln!("{}", loaded.nothing_found());
        } else {
            print_table(loaded);
        }
        let shadowed = match shadowed.len() as u64 {
            0 => String::new(),
            number => format!(", {number} shadowed"),
        };
        let skills = count_noun(index.skills().len() as u64, "skill");
        let summary = format!("{skills}{shadowed}; {}", counts.text());
        let next = if counts.errors + counts.warnings == 0 { "" } else { ": turnwise skills lint" };
        outln!("{}", styled(FAINT, &format!("{summary}{next}")));
    })
}

/// Prints the table of skills within [`COLUMNS`].
fn print_table(loaded: &Loaded) {
    let skills = loaded.set.index.skills();
    let name = |name: &str| truncate(name, NAME_COLUMNS).to_owned();
    let widest = skills.iter().map(|skill| name(&skill.name).chars().count()).max().unwrap_or_default();
    // Two spaces separate columns; the others have 7, 5 and 5 columns.
    let rest = COLUMNS.saturating_sub(widest.max(5) + 2 + 7 + 2 + 5 + 2 + 5 + 2);
    let mut table = Table::new(&["SKILL", "FROM", ">KB", ">WORDS", "DESCRIPTION"]);
    for skill in skills {
        let description = skill.description.split_whitespace().collect::<Vec<_>>().join(" ");
        table.add_row([
            name(&skill.name),
            scope_name(skill.scope).to_owned(),
            skill.bytes.div_ceil(1024).to_string(),
            skill.keywords.len().to_string(),
            truncate(&description, rest).to_owned(),
        ]);
    }
    table.print();
}
