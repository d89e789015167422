//! Inspects a request body in one pass, without building a JSON tree.
//!
//! `inspector` has the state that all APIs share, `history` the user's messages and tool results, `lists` and `shapes`
//! common readers of values, `workspace` the search for the working directory. The APIs add their own members in `api`.

pub(crate) mod history;
pub(crate) mod inspector;
mod lists;
mod shapes;
pub(crate) mod workspace;

use contracts::{Requirement, WireApi};

use crate::{
    api,
    fields::{ObjectKind, fields},
    json::{Cursor, SyntaxError},
    request_summary::{RequestError, RequestSummary},
};

use inspector::Inspector;

/// Inspects a request body of an API in one pass: the user's messages, the required features, sizes and ids. An unknown
/// field is no error; it makes the request [`Native`](contracts::Requirement::Native), so that it cannot be converted
/// to another API.
///
/// # Errors
/// [`RequestError`] if the body is not a JSON object, has no conversation, has a value of a type with which it cannot
/// be inspected, or has a known field twice, which parsers resolve differently.
pub fn inspect(api: WireApi, body: &[u8]) -> Result<RequestSummary<'_>, RequestError> {
    let text = std::str::from_utf8(body)
        .map_err(|error| RequestError::NotJson { problem: "it is not UTF-8", offset: error.valid_up_to() })?;
    let mut cursor = Cursor::new(text);
    let Some(mut members) = cursor.enter_object()? else { return Err(RequestError::NotAnObject) };
    let mut inspector = Inspector::new(api, cursor.offset());
    let implementation = api::implementation(api);
    let table = fields(api, ObjectKind::Body);
    // One bit for each field of the table, which has at most 64.
    let mut seen_fields = 0_u64;
    while let Some(name) = members.next(&mut cursor)? {
        inspector.summary.offsets.has_members = true;
        if let Some((index, (field, _))) = table.find(&name) {
            let bit = 1_u64.checked_shl(u32::try_from(index).unwrap_or(u32::MAX)).unwrap_or_default();
            if seen_fields & bit != 0 {
                return Err(RequestError::DuplicateField { field });
            }
            seen_fields |= bit;
        }
        implementation.inspect_member(&mut inspector, &mut cursor, &name)?;
    }
    cursor.expect_end()?;
    inspector.require_if(!cursor.is_exact(), Requirement::ExactBytes);
    inspector.finish()
}

impl From<SyntaxError> for RequestError {
    fn from(error: SyntaxError) -> Self {
        Self::NotJson { problem: error.problem, offset: error.offset }
    }
}
