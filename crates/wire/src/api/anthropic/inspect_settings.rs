//! Inspects the settings of a request body of Anthropic's Messages: tools, response format, user id.

use client_formats::client::session_from_user_id;
use contracts::Requirement;

use crate::inspect::inspector::{Inspector, string_or_empty, type_of};
use crate::{
    fields::{ObjectKind, fields},
    json::{Cursor, Kind, Value},
    limits,
    request_summary::RequestError,
};

impl<'a> Inspector<'a> {
    pub(crate) fn anthropic_tools(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        self.each_tool(cursor, |inspector, cursor, mut members| {
            let (mut own, mut unknown, mut tool_name) = (true, false, None);
            while let Some(name) = members.next(cursor)? {
                let value = cursor.value()?;
                match name.as_ref() {
                    "name" => tool_name = Some(value),
                    "description" => inspector.expect_kind(Kind::String, &value),
                    "strict" => inspector.expect_bool(&value),
                    "type" => own = value.is_null() || value.string().as_deref() == Some("custom"),
                    "defer_loading" => inspector.require_if(!value.is_falsy(), Requirement::ServerTools),
                    "allowed_callers" => {
                        let direct = value.is_falsy() || value.raw == r#"["direct"]"#;
                        inspector.require_if(!direct, Requirement::ServerTools);
                    }
                    "cache_control" => inspector.classify_field(ObjectKind::Tool, &name, &value),
                    _ => {
                        unknown |=
                            !value.is_null() && fields(inspector.out.api, ObjectKind::Tool).find(&name).is_none();
                    }
                }
            }
            // The provider's own tools may have any other members.
            inspector.require_if(unknown || !own, if own { Requirement::Native } else { Requirement::ServerTools });
            inspector.tool_name(tool_name.as_ref());
            Ok(())
        })
    }

    pub(crate) fn anthropic_tool_choice(&mut self, choice: &Value<'a>) {
        let [kind, name, one] = self.known_members(choice, ["type", "name", "disable_parallel_tool_use"]);
        if choice.is_null() {
            return;
        }
        match string_or_empty(kind.as_ref()).as_ref() {
            "tool" => self.expect_string(name.as_ref()),
            "auto" | "any" | "none" => self.require_if(name.is_some(), Requirement::Native),
            _ => self.unexpected(),
        }
        if let Some(one) = &one {
            self.expect_bool(one);
            self.one_tool_at_a_time = one.as_bool() == Some(true);
        }
    }

    /// Records what the source of an image requires: base64 data, a URL or a file stored by the provider.
    pub(crate) fn image_source(&mut self, source: &Value<'a>) {
        match type_of(source).as_ref() {
            "base64" => {
                let [_, media_type, data] = self.known_members(source, ["type", "media_type", "data"]);
                self.expect_string(media_type.as_ref());
                self.expect_string(data.as_ref());
                self.out.requires.extend(limits::required_by_image(&string_or_empty(media_type.as_ref())));
            }
            "url" => {
                let [_, url] = self.known_members(source, ["type", "url"]);
                match &url {
                    Some(url) => self.image_url(url),
                    None => self.unexpected(),
                }
            }
            "file" => self.require(Requirement::StoredImages),
            _ => self.unexpected(),
        }
    }

    pub(crate) fn output_config(&mut self, config: &Value<'a>) {
        self.expect_kind(Kind::Object, config);
        for (name, value) in config.members() {
            match name.string().unwrap_or_default().as_ref() {
                "effort" => self.effort(Some(&value)),
                "format" => self.output_format(&value),
                _ => self.require_if(!value.is_null(), Requirement::Native),
            }
        }
    }

    pub(crate) fn output_format(&mut self, format: &Value<'a>) {
        let [kind, schema] = self.known_members(format, ["type", "schema"]);
        if format.is_null() {
            return;
        }
        let is_schema = string_or_empty(kind.as_ref()) == "json_schema" && schema.is_some();
        // If both fields are present they may differ.
        self.require_if(!is_schema || self.out.needs.structured_output, Requirement::Native);
        self.out.needs.structured_output |= format.kind == Kind::Object;
        if let Some(schema) = schema {
            self.schema(&schema);
        }
    }

    /// Reads `metadata.user_id`, in which Claude Code sends its ids.
    pub(crate) fn metadata(&mut self, metadata: &Value<'a>) {
        if let Some(user) = metadata.get("user_id").and_then(|user| user.string()) {
            self.out.identity.session = session_from_user_id(&user);
        }
    }
}
