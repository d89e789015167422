//! Inspects the settings of a Messages request: tools, tool choice, image sources, response format, reasoning effort
//! and user id.

use client_formats::client::session_from_user_id;
use contracts::Requirement;

use crate::inspect::inspector::{Inspector, string_or_empty, type_of};
use crate::{
    fields::{ObjectKind, fields},
    json::{Cursor, Value, ValueKind},
    limits,
    request_summary::RequestError,
};

impl<'a> Inspector<'a> {
    /// Counts the tool definitions of a Messages request and records the API features that they require:
    /// [`Requirement::ServerTools`] for tools of the provider, [`Requirement::Native`] for unknown members. `cursor` is
    /// before the list.
    ///
    /// # Errors
    /// [`RequestError`] if the list is not valid JSON.
    pub(crate) fn inspect_anthropic_tools(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        self.each_tool(cursor, |inspector, cursor, mut members| {
            let (mut kind, mut has_unknown, mut tool_name) = (None, false, None);
            while let Some(name) = members.next(cursor)? {
                let value = cursor.read_value()?;
                match name.as_ref() {
                    "name" => tool_name = Some(value),
                    "description" => inspector.expect_kind(ValueKind::String, &value),
                    "strict" => inspector.expect_bool(&value),
                    "type" => kind = (!value.is_null() && value.string().as_deref() != Some("custom")).then_some(value),
                    "defer_loading" => inspector.require_if(!value.is_falsy(), Requirement::ServerTools),
                    "allowed_callers" => {
                        let is_direct = value.is_falsy() || value.raw == r#"["direct"]"#;
                        inspector.require_if(!is_direct, Requirement::ServerTools);
                    }
                    "cache_control" => inspector.classify_field(ObjectKind::Tool, &name, &value),
                    _ => {
                        has_unknown |=
                            !value.is_null() && fields(inspector.summary.api, ObjectKind::Tool).find(&name).is_none();
                    }
                }
            }
            // The provider's own tools may have any other members.
            if let Some(kind) = kind {
                inspector.add_server_tool(&string_or_empty(Some(&kind)));
            } else if has_unknown {
                inspector.require(Requirement::Native);
            }
            inspector.inspect_tool_name(tool_name.as_ref());
            Ok(())
        })
    }

    /// Inspects the `tool_choice` of a Messages request: an unknown type makes the request
    /// [`Native`](Requirement::Native) (not convertible to another API), and `disable_parallel_tool_use` is recorded.
    pub(crate) fn inspect_anthropic_tool_choice(&mut self, choice: &Value<'a>) {
        let [kind, name, is_parallel_disabled] =
            self.known_members(choice, ["type", "name", "disable_parallel_tool_use"]);
        if choice.is_null() {
            return;
        }
        match string_or_empty(kind.as_ref()).as_ref() {
            "tool" => self.expect_string(name.as_ref()),
            "auto" | "any" | "none" => self.require_if(name.is_some(), Requirement::Native),
            _ => self.require_native(),
        }
        if let Some(is_disabled) = &is_parallel_disabled {
            self.expect_bool(is_disabled);
            self.is_one_tool_at_a_time = is_disabled.as_bool() == Some(true);
        }
    }

    /// Records the API features that the source of an image in a Messages request requires. The source is base64 data,
    /// a URL, or a file stored by the provider.
    pub(crate) fn inspect_image_source(&mut self, source: &Value<'a>) {
        match type_of(source).as_ref() {
            "base64" => {
                let [_, media_type, data] = self.known_members(source, ["type", "media_type", "data"]);
                self.expect_string(media_type.as_ref());
                self.expect_string(data.as_ref());
                self.summary.requires.extend(limits::required_by_image(&string_or_empty(media_type.as_ref())));
            }
            "url" => {
                let [_, url] = self.known_members(source, ["type", "url"]);
                match &url {
                    Some(url) => self.inspect_image_url(url),
                    None => self.require_native(),
                }
            }
            "file" => self.require(Requirement::StoredImages),
            _ => self.require_native(),
        }
    }

    /// Inspects `output_config` of a Messages request: records the API features that its reasoning effort and response
    /// format require. Other members make the request [`Native`](Requirement::Native) (not convertible to another API).
    pub(crate) fn inspect_output_config(&mut self, config: &Value<'a>) {
        self.expect_kind(ValueKind::Object, config);
        for (name, value) in config.members() {
            match name.string().unwrap_or_default().as_ref() {
                "effort" => self.inspect_effort(Some(&value)),
                "format" => self.inspect_output_format(&value),
                _ => self.require_if(!value.is_null(), Requirement::Native),
            }
        }
    }

    /// Inspects the response format of a Messages request: records that structured output is needed, and the properties
    /// of its schema. A format other than a JSON schema, and a second format, make the request
    /// [`Native`](Requirement::Native) (not convertible to another API).
    pub(crate) fn inspect_output_format(&mut self, format: &Value<'a>) {
        let [kind, schema] = self.known_members(format, ["type", "schema"]);
        if format.is_null() {
            return;
        }
        let is_schema = string_or_empty(kind.as_ref()) == "json_schema" && schema.is_some();
        // If both fields are present they may differ.
        self.require_if(!is_schema || self.summary.needs.structured_output, Requirement::Native);
        self.summary.needs.structured_output |= format.kind == ValueKind::Object;
        if let Some(schema) = schema {
            self.record_response_schema(&schema);
        }
    }

    /// Extracts the session id from `metadata.user_id` of a Messages request, in which Claude Code sends it, and
    /// records it.
    pub(crate) fn inspect_metadata(&mut self, metadata: &Value<'a>) {
        if let Some(user) = metadata.get("user_id").and_then(|user| user.string()) {
            self.summary.identity.session = session_from_user_id(&user);
        }
    }
}
