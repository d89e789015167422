//! A member of an object that was passed over already.

use std::borrow::Cow;

use super::reading::name_of;
use crate::{
    json::{Cursor, Value},
    request::RequestError,
};

/// The `type` of an object; empty when it has none.
pub(super) fn kind_of<'a>(cursor: Cursor<'a>, value: &Value<'a>) -> Result<Cow<'a, str>, RequestError> {
    Ok(name_of(member(cursor, value, "type")?.as_ref()))
}

/// A member of an object; `None` when it has none of that name, or is no object.
pub(super) fn member<'a>(
    cursor: Cursor<'a>,
    object: &Value<'a>,
    wanted: &str,
) -> Result<Option<Value<'a>>, RequestError> {
    let mut cursor = cursor.at(object.start);
    let Some(mut members) = cursor.object()? else { return Ok(None) };
    let mut found = None;
    while let Some(name) = members.next(&mut cursor)? {
        let value = cursor.value()?;
        if name == wanted {
            found = Some(value);
        }
    }
    Ok(found)
}
