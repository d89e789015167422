//! Parses the options `--from`, `--to` and `--session`.

use contracts::SessionId;
use event_bus::{Clock as _, SystemClock};
use what_if::Range;

use crate::{arguments::RangeArguments, failure::Failure, moment};

/// Parses the options `--from`, `--to` and `--session` into a range of turns. Relative times count back from now.
///
/// # Errors
/// [`Failure::Invalid`] for an invalid time or session id.
pub(super) fn parse_range(arguments: &RangeArguments) -> Result<Range, Failure> {
    let now = SystemClock.now();
    let moment = |text: &Option<String>| text.as_deref().map(|text| moment::parse_moment(text, now)).transpose();
    let session = arguments.session.as_deref().map(SessionId::try_from).transpose();
    Ok(Range {
        from: moment(&arguments.from).map_err(Failure::Invalid)?,
        to: moment(&arguments.to).map_err(Failure::Invalid)?,
        session: session.map_err(|error| Failure::Invalid(error.to_string()))?,
    })
}
