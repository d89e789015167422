//! Reads the price list of `LiteLLM` (`model_prices_and_context_window.json`), a format that many tools share.
//!
//! [`convert_price_list`] converts a file of that format to catalogue entries and reports the models it dropped.
//! [`built_in_yaml`] creates the built-in list: the models that `crates/catalogue/curation.yaml` selects, with its
//! tiers and aliases.
//!
//! Prices in the file are JSON numbers of dollars per token, such as `1.25e-06`. They are parsed from the text, never
//! through a float; a model with a price that is not an integer number of pico-dollars is dropped. The ordinary rates,
//! the cache rates (`…_above_1hr` for one hour) and the lowest `…_above_Nk_tokens` set are read. Batch, priority and
//! regional rates, and those of audio, images and searches, have no equivalent in [`contracts::Prices`] and are
//! ignored.

mod built_in;
mod convert;
mod curation;
mod record;

pub use built_in::{BuiltInError, built_in_yaml};
pub use convert::{ConvertedPriceList, DropReason, DroppedName, PriceListError, convert_price_list};
