//! The price list of `LiteLLM` (`model_prices_and_context_window.json`), the format much of this ecosystem shares.
//!
//! [`convert`] turns any file of that format into entries of our own, and says what it dropped and why.
//! [`built_in_from`] makes the built-in list: the models that `crates/catalogue/curation.yaml` names, under the tiers and
//! aliases it gives.
//!
//! Prices there are JSON numbers of dollars per token, such as `1.25e-06`. They are read from the text of the file,
//! never through a float, and a price that is not a whole number of pico-dollars leaves its model out. Read are the
//! usual rates, the rates for caching (`…_above_1hr` for an hour) and the lowest `…_above_Nk_tokens` set; batch,
//! priority and regional rates, audio, images and searches have no place in a [`contracts::Prices`] and are not
//! read.

mod built_in;
mod convert;
mod curation;
mod record;

pub use built_in::{BuiltInError, built_in_from};
pub use convert::{Conversion, ConvertError, Dropped, Reason, convert};
