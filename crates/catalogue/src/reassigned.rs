//! Aliases of built-in models that the user's file gives to other models.

use std::fmt;

use contracts::{ModelId, Registry};

/// An alias that belongs to a different model than in the built-in list. Its display form is one line for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReassignedAlias {
    /// The alias.
    pub alias: String,
    /// The model that has the alias in the built-in list.
    pub built_in: ModelId,
    /// The model that has the alias in the active list.
    pub model: ModelId,
}

impl fmt::Display for ReassignedAlias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { alias, built_in, model } = self;
        write!(f, "models.yaml: alias `{alias}` means {model}; in the built-in list it is {built_in}")
    }
}

/// Returns the aliases of `built_in` that belong to a different model in `active`, in the order of the built-in models.
pub fn reassigned_aliases(built_in: &Registry, active: &Registry) -> Vec<ReassignedAlias> {
    let aliases = built_in.iter().flat_map(|model| model.aliases.iter().map(move |alias| (alias, &model.id)));
    let reassigned_aliases = aliases.filter_map(|(alias, built_in)| {
        let model = &active.named(alias)?.id;
        (model != built_in).then(|| ReassignedAlias {
            alias: alias.clone(),
            built_in: built_in.clone(),
            model: model.clone(),
        })
    });
    reassigned_aliases.collect()
}
