//! Removes elements of lists and members of objects.

use super::{Edit, removal_edits};
use crate::json::Value;

/// Adds the edits that remove the elements of a list for which `is_removed` returns true. If that would leave an empty
/// list, it adds no edits and returns true, so that the caller can remove the list itself.
pub(crate) fn remove_elements(
    list: Option<Value<'_>>,
    edits: &mut Vec<Edit>,
    is_removed: impl Fn(&Value<'_>) -> bool,
) -> bool {
    let Some(list) = list else { return false };
    let parts: Vec<_> = list.elements().map(|element| (element.span(), is_removed(&element))).collect();
    remove_unless_all(&parts, edits)
}

/// Adds the edits that remove the members of an object with these names. If that would leave an empty object, it adds
/// no edits and returns true, so that the caller can remove the object itself.
pub(crate) fn remove_members(object: &Value<'_>, edits: &mut Vec<Edit>, names: &[&str]) -> bool {
    let member = |(name, value): (Value<'_>, Value<'_>)| {
        let is_removed = name.string().is_some_and(|name| names.contains(&name.as_ref()));
        (name.start..value.span().end, is_removed)
    };
    remove_unless_all(&object.members().map(member).collect::<Vec<_>>(), edits)
}

/// Adds the edits that remove the marked parts. Returns true, without adding any, if all parts are marked; false for an
/// empty list.
fn remove_unless_all(parts: &[(std::ops::Range<usize>, bool)], edits: &mut Vec<Edit>) -> bool {
    let is_all_marked = !parts.is_empty() && parts.iter().all(|(_, is_removed)| *is_removed);
    if !is_all_marked {
        edits.extend(removal_edits(parts));
    }
    is_all_marked
}
