//! Inspects the settings of a request body of Anthropic's Messages: tools, response format, user id.

use client_formats::client::session_of_user_id;
use contracts::Requirement;

use crate::inspect::inspector::{Reading, kind_of, name_of};
use crate::{
    fields::{Place, fields},
    json::{Cursor, Kind, Value},
    limits,
    request::RequestError,
};

impl<'a> Reading<'a> {
    pub(crate) fn anthropic_tools(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        self.each_tool(cursor, |reading, cursor, mut members| {
            let (mut own, mut unknown, mut tool_name) = (true, false, None);
            while let Some(name) = members.next(cursor)? {
                let value = cursor.value()?;
                match name.as_ref() {
                    "name" => tool_name = Some(value),
                    "description" => reading.of_kind(Kind::String, &value),
                    "strict" => reading.flag(&value),
                    "type" => own = value.is_null() || value.string().as_deref() == Some("custom"),
                    "defer_loading" => reading.requires_if(!value.is_nothing(), Requirement::ServerTools),
                    "allowed_callers" => {
                        let direct = value.is_nothing() || value.raw == r#"["direct"]"#;
                        reading.requires_if(!direct, Requirement::ServerTools);
                    }
                    "cache_control" => reading.judge(Place::Tool, &name, &value),
                    _ => unknown |= !value.is_null() && fields(reading.out.api, Place::Tool).find(&name).is_none(),
                }
            }
            // The other members of the provider's own tools are its own business.
            reading.requires_if(unknown || !own, if own { Requirement::Native } else { Requirement::ServerTools });
            reading.tool_name(tool_name.as_ref());
            Ok(())
        })
    }

    pub(crate) fn anthropic_tool_choice(&mut self, choice: &Value<'a>) {
        let [kind, name, one] = self.only(choice, ["type", "name", "disable_parallel_tool_use"]);
        if choice.is_null() {
            return;
        }
        match name_of(kind.as_ref()).as_ref() {
            "tool" => self.needed_text(name.as_ref()),
            "auto" | "any" | "none" => self.requires_if(name.is_some(), Requirement::Native),
            _ => self.odd(),
        }
        if let Some(one) = &one {
            self.flag(one);
            self.one_tool_at_a_time = one.boolean() == Some(true);
        }
    }

    /// Reads the source of an image: base64 data, a URL or a file stored by the provider.
    pub(crate) fn image_source(&mut self, source: &Value<'a>) {
        match kind_of(source).as_ref() {
            "base64" => {
                let [_, media_type, data] = self.only(source, ["type", "media_type", "data"]);
                self.needed_text(media_type.as_ref());
                self.needed_text(data.as_ref());
                self.out.requires.extend(limits::of_image(&name_of(media_type.as_ref())));
            }
            "url" => {
                let [_, url] = self.only(source, ["type", "url"]);
                match &url {
                    Some(url) => self.image_url(url),
                    None => self.odd(),
                }
            }
            "file" => self.requires(Requirement::StoredImages),
            _ => self.odd(),
        }
    }

    pub(crate) fn output_config(&mut self, config: &Value<'a>) {
        self.of_kind(Kind::Object, config);
        for (name, value) in config.members() {
            match name.string().unwrap_or_default().as_ref() {
                "effort" => self.effort(Some(&value)),
                "format" => self.output_format(&value),
                _ => self.requires_if(!value.is_null(), Requirement::Native),
            }
        }
    }

    pub(crate) fn output_format(&mut self, format: &Value<'a>) {
        let [kind, schema] = self.only(format, ["type", "schema"]);
        if format.is_null() {
            return;
        }
        let is_schema = name_of(kind.as_ref()) == "json_schema" && schema.is_some();
        // Said in both places it may be said in two ways.
        self.requires_if(!is_schema || self.out.needs.structured_output, Requirement::Native);
        self.out.needs.structured_output |= format.kind == Kind::Object;
        if let Some(schema) = schema {
            self.schema(&schema);
        }
    }

    /// Reads `metadata.user_id`, in which Claude Code sends its ids.
    pub(crate) fn metadata(&mut self, metadata: &Value<'a>) {
        if let Some(user) = metadata.get("user_id").and_then(|user| user.string()) {
            self.out.identity.session = session_of_user_id(&user);
        }
    }
}
