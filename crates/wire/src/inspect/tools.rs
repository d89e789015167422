//! Lists of tools, in whichever API.

use contracts::Requirement;

use super::reading::Reading;
use crate::{
    json::{Cursor, Members},
    request::RequestError,
};

impl<'a> Reading<'a> {
    /// The definitions of a list of tools. `read` reads what one of them says; it is a tool whatever that is.
    pub(super) fn each_tool(
        &mut self,
        cursor: &mut Cursor<'a>,
        read: impl Fn(&mut Self, &mut Cursor<'a>, Members) -> Result<(), RequestError>,
    ) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.array()? else { return self.not_a_list(cursor) };
        while elements.next(cursor)? {
            let mark = *cursor;
            if let Some(members) = cursor.object()? {
                read(self, cursor, members)?;
                self.tool(mark.until(cursor));
            } else {
                self.requires(Requirement::Native);
                cursor.value()?;
            }
        }
        Ok(())
    }

    /// `tools` that are no list: nothing, or something only the provider can judge.
    pub(super) fn not_a_list(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let value = cursor.value()?;
        self.requires_if(!value.is_null(), Requirement::Native);
        Ok(())
    }

    /// One definition of a tool, as JSON.
    pub(super) fn tool(&mut self, definition: &str) {
        self.out.needs.tools = true;
        self.out.prompt.tools += 1;
        self.out.prompt.tool_characters += definition.chars().count() as u64;
    }
}
