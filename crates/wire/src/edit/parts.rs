//! Parts of a list or an object, taken out.

use super::{Edit, cut};
use crate::json::Value;

/// Takes elements out of a list; true, and nothing taken out, when all would go.
pub(crate) fn clean_list(list: Option<Value<'_>>, edits: &mut Vec<Edit>, goes: impl Fn(&Value<'_>) -> bool) -> bool {
    let Some(list) = list else { return false };
    let parts: Vec<_> = list.elements().map(|element| (element.span(), goes(&element))).collect();
    clean(&parts, edits)
}

/// Takes members out of an object; true, and nothing taken out, when all would go.
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
