//! Checks skills for problems that make routing less reliable.

mod authoring;
mod catalogue;
mod keywords;
mod names;

pub use authoring::lint_instructions;
pub use catalogue::{MAX_CATALOGUE_CHARACTERS, lint_catalogue};
pub use keywords::{TableKeywords, lint_keywords};
pub use names::lint_names;
