//! Removes elements of lists and members of objects.

use super::{Edit, cut};
use crate::json::Value;

/// Removes elements of a list. Returns true, without removing any, if all would be removed.
pub(crate) fn clean_list(list: Option<Value<'_>>, edits: &mut Vec<Edit>, goes: impl Fn(&Value<'_>) -> bool) -> bool {
    let Some(list) = list else { return false };
    let parts: Vec<_> = list.elements().map(|element| (element.span(), goes(&element))).collect();
    clean(&parts, edits)
}

/// Removes members of an object. Returns true, without removing any, if all would be removed.
pub(crate) fn clean_members(object: &Value<'_>, edits: &mut Vec<Edit>, names: &[&str]) -> bool {
    let member = |(name, value): (Value<'_>, Value<'_>)| {
        let goes = name.string().is_some_and(|name| names.contains(&name.as_ref()));
        (name.start..value.span().end, goes)
    };
    clean(&object.members().map(member).collect::<Vec<_>>(), edits)
}

fn clean(parts: &[(std::ops::Range<usize>, bool)], edits: &mut Vec<Edit>) -> bool {
    let all = !parts.is_empty() && parts.iter().all(|(_, goes)| *goes);
    if !all {
        edits.extend(cut(parts));
    }
    all
}
