//! Reads the lists of messages and of tools.

use contracts::Requirement;

use super::inspector::Inspector;
use crate::{
    api,
    json::{Cursor, Members},
    request_summary::RequestError,
};

impl<'a> Inspector<'a> {
    /// Reads the list with the conversation, and calls `read` with the index of each message, item or content.
    ///
    /// # Errors
    /// [`RequestError::WrongType`], with the type that was `expected`, if the value is not a list.
    pub(crate) fn each_message(
        &mut self,
        cursor: &mut Cursor<'a>,
        expected: &'static str,
        read: impl Fn(&mut Self, &mut Cursor<'a>, usize) -> Result<(), RequestError>,
    ) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.array()? else {
            return Err(RequestError::WrongType { field: api::of(self.out.api).conversation_field(), expected });
        };
        let start = cursor.offset().saturating_sub(1);
        self.conversation = true;
        let mut indices = 0..;
        while elements.next(cursor)? {
            self.index = indices.next().unwrap_or_default();
            read(self, cursor, self.index)?;
        }
        self.out.offsets.history = Some(start..cursor.offset());
        Ok(())
    }

    /// Reads the list of tool definitions, and calls `read` with the members of each one, which is counted as a tool.
    pub(crate) fn each_tool(
        &mut self,
        cursor: &mut Cursor<'a>,
        read: impl Fn(&mut Self, &mut Cursor<'a>, Members) -> Result<(), RequestError>,
    ) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.array()? else { return self.skip_non_list(cursor) };
        while elements.next(cursor)? {
            let mark = *cursor;
            if let Some(members) = cursor.object()? {
                read(self, cursor, members)?;
                self.count_tool(mark.until(cursor));
            } else {
                self.require(Requirement::Native);
                cursor.value()?;
            }
        }
        Ok(())
    }

    /// Skips a value that should be a list; anything but `null` makes the request [`Native`](Requirement::Native).
    pub(crate) fn skip_non_list(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let value = cursor.value()?;
        self.require_if(!value.is_null(), Requirement::Native);
        Ok(())
    }

    /// Counts one tool definition, given as JSON.
    pub(crate) fn count_tool(&mut self, definition: &str) {
        self.out.needs.tools = true;
        self.out.prompt.tools += 1;
        self.out.prompt.tool_characters += definition.chars().count() as u64;
    }
}
