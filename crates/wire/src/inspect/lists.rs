//! Reads the lists of messages and of tools of all APIs.

use contracts::Requirement;

use super::inspector::Inspector;
use crate::{
    api,
    json::{Cursor, ObjectMembers},
    request_summary::RequestError,
};

impl<'a> Inspector<'a> {
    /// Reads the list that contains the conversation of a request, records its byte range, and calls `read` with each
    /// message, item or content and its index.
    ///
    /// # Errors
    /// [`RequestError::WrongType`], with the type that was `expected`, if the value is not a list, and the errors of
    /// `read`.
    pub(crate) fn each_message(
        &mut self,
        cursor: &mut Cursor<'a>,
        expected: &'static str,
        read: impl Fn(&mut Self, &mut Cursor<'a>, usize) -> Result<(), RequestError>,
    ) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.enter_array()? else {
            return Err(RequestError::WrongType {
                field: api::implementation(self.summary.api).conversation_field(),
                expected,
            });
        };
        let start = cursor.offset().saturating_sub(1);
        self.has_conversation = true;
        let mut indices = 0..;
        while elements.next(cursor)? {
            self.message_index = indices.next().unwrap_or_default();
            read(self, cursor, self.message_index)?;
        }
        self.summary.offsets.history = Some(start..cursor.offset());
        Ok(())
    }

    /// Reads the list of tool definitions, and calls `read` with the members of each one. Each definition is counted as
    /// a tool; a list or definition of another type makes the request [`Native`](Requirement::Native) (not convertible
    /// to another API).
    ///
    /// # Errors
    /// The errors of `read`, and [`RequestError`] if the list is not valid JSON.
    pub(crate) fn each_tool(
        &mut self,
        cursor: &mut Cursor<'a>,
        read: impl Fn(&mut Self, &mut Cursor<'a>, ObjectMembers) -> Result<(), RequestError>,
    ) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.enter_array()? else { return self.skip_non_list(cursor) };
        while elements.next(cursor)? {
            let start = *cursor;
            if let Some(members) = cursor.enter_object()? {
                read(self, cursor, members)?;
                self.count_tool(start.text_until(cursor));
            } else {
                self.require(Requirement::Native);
                cursor.read_value()?;
            }
        }
        Ok(())
    }

    /// Skips a value that should be a list; anything but `null` makes the request [`Native`](Requirement::Native) (not
    /// convertible to another API).
    ///
    /// # Errors
    /// [`RequestError`] if the value is not valid JSON.
    pub(crate) fn skip_non_list(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let value = cursor.read_value()?;
        self.require_if(!value.is_null(), Requirement::Native);
        Ok(())
    }

    /// Counts one tool definition and its characters; `definition` is its JSON text.
    pub(crate) fn count_tool(&mut self, definition: &str) {
        self.summary.needs.tools = true;
        self.summary.prompt.tools += 1;
        self.summary.prompt.tool_characters += definition.chars().count() as u64;
    }
}
