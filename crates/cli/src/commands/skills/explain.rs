//! `skills explain`: the skills that a message would load, with the chain of layers.

use contracts::{Criticality, SkillOutcome};
use router_core::{chain_json, why};
use serde_json::json;
use skills::{SkillRequest, decide};

use super::Loaded;
use crate::{arguments::ExplainArguments, context::Context, failure::Failure, screen::out};

/// Prints the decision about a message.
///
/// # Errors
/// [`Failure::Invalid`] if the criticality or the previous skill is unknown.
pub(super) fn run(context: &Context, arguments: &ExplainArguments) -> Result<(), Failure> {
    let loaded = Loaded::read(context, &arguments.places)?;
    let router = loaded.router(context, &arguments.files)?;
    let criticality = arguments.criticality.as_deref().map(parse_criticality).transpose()?;
    let prior_skill = arguments.prior.as_deref().map(|name| name.trim_start_matches('/'));
    if let Some(name) = prior_skill.filter(|name| router.resolve(name).is_none()) {
        return Err(Failure::Invalid(format!("no skill is called `{name}`: list them with `turnwise skills list`")));
    }
    let request = SkillRequest {
        text: &arguments.message,
        files: &arguments.files,
        commands: &arguments.commands,
        criticality,
        prior_skill,
        exclusions: Some(&loaded.stale),
        interactive: !arguments.batch,
        ..SkillRequest::default()
    };
    let decision = decide(&request, &router);
    let outcome = decision.chosen.as_ref();
    let json = json!({
        "outcome": outcome.map(SkillOutcome::name),
        "skills": outcome.map(SkillOutcome::skills),
        "method": decision.winner().map(|winner| winner.slot.method()),
        "chain": chain_json(&decision),
    });
    context.print(&json, || out!("{}", why(None, &decision)))
}

/// Parses a level of criticality, in either case.
fn parse_criticality(name: &str) -> Result<Criticality, Failure> {
    Criticality::named(&name.to_uppercase())
        .ok_or_else(|| Failure::Invalid(format!("`{name}` is no criticality: use C1, C2, C3 or C4")))
}
