//! Sets up logging to the standard error.

use std::str::FromStr as _;

use tracing_subscriber::{
    Layer as _,
    filter::{LevelFilter, Targets},
    fmt::{self, format::FmtSpan},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use crate::{arguments::LogFormat, failure::Failure, screen::EscapedErrors};

/// The environment variable with the filter of log lines, such as `info` or `warn,gateway=debug`.
const FILTER_VARIABLE: &str = "RUST_LOG";

/// Initialises logging with the filter in `RUST_LOG`, or else with the level of `verbose`, the number of `--verbose`
/// options. A gateway logs warnings by default. Other commands log nothing by default, because they print their errors.
/// Must be called only once in a process.
///
/// # Errors
/// [`Failure::Invalid`] when `RUST_LOG` is not a valid filter.
pub(crate) fn init(verbose: u8, is_gateway: bool, format: LogFormat) -> Result<(), Failure> {
    let level = match verbose {
        0 if is_gateway => LevelFilter::WARN,
        0 => LevelFilter::OFF,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let filter = match std::env::var(FILTER_VARIABLE) {
        Ok(directives) if !directives.trim().is_empty() => Targets::from_str(&directives).map_err(|error| {
            Failure::Invalid(format!(
                "`{FILTER_VARIABLE}={directives}` is not a filter such as `warn,gateway=debug`: {error}"
            ))
        })?,
        _ => Targets::new().with_default(level),
    };
    // A line that cannot be written is dropped: reporting that on the standard error would panic. A span that ends is a
    // line with its fields and its duration.
    let json = matches!(format, LogFormat::Json);
    let lines = fmt::layer()
        .with_writer(move || EscapedErrors { json })
        .log_internal_errors(false)
        .with_span_events(FmtSpan::CLOSE);
    let lines = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    };
    tracing_subscriber::registry().with(filter).with(lines).init();
    Ok(())
}
