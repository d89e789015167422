//! Log lines on the standard error: which are written, and how.

use std::str::FromStr as _;

use tracing_subscriber::{
    Layer as _,
    filter::{LevelFilter, Targets},
    fmt,
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use crate::{arguments::LogFormat, failure::Failure};

/// The environment variable with the filter, such as `info` or `warn,gateway=debug`.
const VARIABLE: &str = "RUST_LOG";

/// Starts logging with the filter of `RUST_LOG`, or else with the level of `--verbose`. A gateway logs warnings by
/// default; other commands print what the user has to know, so they log nothing.
///
/// # Errors
/// [`Failure::Invalid`] when `RUST_LOG` is not a filter.
pub(crate) fn start(verbose: u8, is_gateway: bool, format: LogFormat) -> Result<(), Failure> {
    let level = match verbose {
        0 if is_gateway => LevelFilter::WARN,
        0 => LevelFilter::OFF,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let filter = match std::env::var(VARIABLE) {
        Ok(directives) if !directives.trim().is_empty() => Targets::from_str(&directives).map_err(|error| {
            Failure::Invalid(format!("`{VARIABLE}={directives}` is not a filter such as `warn,gateway=debug`: {error}"))
        })?,
        _ => Targets::new().with_default(level),
    };
    // A line that cannot be written is dropped: reporting that on the standard error would panic.
    let lines = fmt::layer().with_writer(std::io::stderr).log_internal_errors(false);
    let lines = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    };
    tracing_subscriber::registry().with(filter).with(lines).init();
    Ok(())
}
