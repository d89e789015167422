//! Iterates over the members and elements of a value, which was validated before.

use super::{cursor::Cursor, text::Value};

impl<'a> Value<'a> {
    /// Returns an iterator over the names and values of an object, in order. It is empty for other values. All
    /// positions are relative to the complete text.
    pub(crate) fn members(&self) -> impl Iterator<Item = (Value<'a>, Value<'a>)> + use<'a> {
        let (base, mut cursor) = (self.start, Cursor::new(self.raw));
        let mut members = cursor.enter_object().ok().flatten();
        std::iter::from_fn(move || {
            let name = members.as_mut()?.next_name(&mut cursor).ok()??;
            let value = cursor.read_value().ok()?;
            Some((name.shifted(base), value.shifted(base)))
        })
    }

    /// Returns an iterator over the elements of a list. It is empty for other values. All positions are relative to the
    /// complete text.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Value<'a>> + use<'a> {
        let (base, mut cursor) = (self.start, Cursor::new(self.raw));
        let mut elements = cursor.enter_array().ok().flatten();
        std::iter::from_fn(move || {
            let has_element = elements.as_mut()?.next(&mut cursor).ok()?;
            if has_element { cursor.read_value().ok().map(|value| value.shifted(base)) } else { None }
        })
    }

    /// Returns the members of an object with these names, in the order of `names`. A member is `None` if it is missing;
    /// all are `None` if the value is not an object. Of repeated members the last one counts.
    pub(crate) fn get_many<const N: usize>(&self, names: [&str; N]) -> [Option<Value<'a>>; N] {
        let mut members = [None; N];
        for (name, value) in self.members() {
            let Some(name) = name.string() else { continue };
            if let Some(slot) =
                names.iter().position(|requested| name == *requested).and_then(|slot| members.get_mut(slot))
            {
                *slot = Some(value);
            }
        }
        members
    }

    /// Returns the member of an object with this name; `None` if it is missing, or if the value is not an object.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'a>> {
        let [found] = self.get_many([name]);
        found
    }

    /// Converts a position relative to a value that starts at the offset `base` to one in the complete text.
    fn shifted(self, base: usize) -> Self {
        Self { start: self.start + base, ..self }
    }
}
