//! Iterates over skipped values, which are known to be valid.

use super::{cursor::Cursor, text::Value};

impl<'a> Value<'a> {
    /// Iterates over the names and values of an object; empty for other values.
    pub(crate) fn members(&self) -> impl Iterator<Item = (Value<'a>, Value<'a>)> + use<'a> {
        let (base, mut cursor) = (self.start, Cursor::new(self.raw));
        let mut members = cursor.object().ok().flatten();
        std::iter::from_fn(move || {
            let name = members.as_mut()?.next_name(&mut cursor).ok()??;
            let value = cursor.value().ok()?;
            Some((name.moved(base), value.moved(base)))
        })
    }

    /// Iterates over the elements of a list; empty for other values.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Value<'a>> + use<'a> {
        let (base, mut cursor) = (self.start, Cursor::new(self.raw));
        let mut elements = cursor.array().ok().flatten();
        std::iter::from_fn(move || {
            let more = elements.as_mut()?.next(&mut cursor).ok()?;
            if more { cursor.value().ok().map(|value| value.moved(base)) } else { None }
        })
    }

    /// Returns the members with these names; of repeated members the last one counts.
    pub(crate) fn get_many<const N: usize>(&self, names: [&str; N]) -> [Option<Value<'a>>; N] {
        let mut found = [None; N];
        for (name, value) in self.members() {
            let Some(name) = name.string() else { continue };
            if let Some(slot) = names.iter().position(|wanted| name == *wanted).and_then(|at| found.get_mut(at)) {
                *slot = Some(value);
            }
        }
        found
    }

    /// Returns the member of this name.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'a>> {
        let [found] = self.get_many([name]);
        found
    }

    fn moved(self, base: usize) -> Self {
        Self { start: self.start + base, ..self }
    }
}
