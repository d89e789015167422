//! Checks the policy file: whether it is valid, and its warnings.

use std::{io, sync::Arc};

use adapters::Providers;
use router_core::warnings;

use super::finding::{Finding, Section, short_path};
use crate::{
    commands::rules::{registry_with_access, warning_text},
    context::Context,
    screen::count_noun,
};

/// The maximum number of warnings that are printed; `rules check` prints all of them.
const MAX_WARNINGS: usize = 3;

/// Checks the policy file. `providers` is `None` if the configuration of the providers is invalid; the policy is not
/// checked then.
pub(super) fn check_policy(context: &Context, providers: Option<&Providers>) -> Section {
    Section::new("policy", findings(context, providers))
}

/// Returns the findings about the policy file: its errors, or the number of its rules and the first warnings.
fn findings(context: &Context, providers: Option<&Providers>) -> Vec<Finding> {
    let path = &context.home.policy;
    let shown = short_path(context, path);
    let text = match adapters::read_own_file(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let text = format!("there is no {shown}: the built-in policy is active, which has no rules");
            return vec![Finding::note(text, "turnwise init")];
        }
        Err(error) => {
            return vec![Finding::problem(format!("{shown} cannot be read: {error}"), "make it readable")];
        }
    };
    let Some(providers) = providers else {
        return vec![Finding::note(format!("{shown} was not checked"), "correct the providers first")];
    };
    let registry = match registry_with_access(context, providers) {
        Ok(registry) => registry,
        Err(failure) => {
            let text = format!("models.yaml is invalid: {}", failure.message().unwrap_or_default());
            return vec![Finding::problem(text, "turnwise models")];
        }
    };
    match engine::parse_policy(&text, Arc::new(registry), context.home.user_text()) {
        Err(problems) => {
            let first = problems.first().map(ToString::to_string).unwrap_or_default();
            let count = count_noun(problems.len() as u64, "error");
            let text = format!("{shown}: {count}, so the last valid policy is active: {first}");
            vec![Finding::problem(text, "turnwise rules check")]
        }
        Ok(policy) => {
            let (rules, warnings) = (policy.rules().count() as u64, warnings(&policy, None));
            let mut findings = vec![Finding::ok(format!("{shown}: {}", count_noun(rules, "rule")))];
            let shown = warnings.iter().take(MAX_WARNINGS);
            findings
                .extend(shown.map(|warning| Finding::note(warning_text(warning, providers), "turnwise rules check")));
            let more = warnings.len().saturating_sub(MAX_WARNINGS) as u64;
            if 0 < more {
                findings.push(Finding::note(count_noun(more, "further warning"), "turnwise rules check"));
            }
            findings
        }
    }
}
