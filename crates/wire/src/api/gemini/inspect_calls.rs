//! Inspects function calls, function responses and media in `generateContent` requests.

use contracts::Requirement;

use crate::inspect::{
    history::MessageDraft,
    inspector::{Inspector, string_or_empty},
};
use crate::{
    fields::camel_case,
    json::{Value, ValueKind},
    limits,
    request_summary::ToolResult,
};

impl<'a> Inspector<'a> {
    /// Returns the members of an object in a Gemini request with these camel-case names, in the order of `names`;
    /// `None` for members that are missing or `null`. In the object they may be in camel case or snake case. A member
    /// with another name, and a value that is not an object, make the request [`Native`](Requirement::Native) (not
    /// convertible to another API).
    pub(crate) fn known_google_members<const N: usize>(
        &mut self,
        object: &Value<'a>,
        names: [&str; N],
    ) -> [Option<Value<'a>>; N] {
        self.expect_kind(ValueKind::Object, object);
        let mut values = [None; N];
        for (name, value) in object.members().filter(|(_, value)| !value.is_null()) {
            let name = camel_case(&name.string().unwrap_or_default());
            let slot = names.iter().position(|requested| name == *requested).and_then(|slot| values.get_mut(slot));
            match slot {
                Some(slot) => *slot = Some(value),
                None => self.require_native(),
            }
        }
        values
    }

    /// Records the API features that inline media data in a Gemini request require. Returns whether the data is an
    /// image, which is also counted.
    pub(crate) fn inspect_inline_data(&mut self, data: &Value<'a>) -> bool {
        let [media_type, content] = self.known_google_members(data, ["mimeType", "data"]);
        self.has_content.non_system = true;
        self.expect_string(media_type.as_ref());
        self.expect_string(content.as_ref());
        let media_type = string_or_empty(media_type.as_ref());
        let requirement = requirement_of_media(&media_type);
        if requirement == Requirement::RemoteImages {
            self.count_image();
            self.summary.requires.extend(limits::required_by_image(&media_type));
            return true;
        }
        self.require(requirement);
        false
    }

    /// Records the API features that a file reference in a Gemini request requires: Google fetches or stores such a
    /// file. Returns whether the file is an image, which is also counted.
    pub(crate) fn inspect_file_data(&mut self, file: &Value<'a>) -> bool {
        self.has_content.non_system = true;
        let [camel, snake] = file.get_many(["mimeType", "mime_type"]);
        let requirement = requirement_of_media(&string_or_empty(camel.or(snake).as_ref()));
        self.require(requirement);
        let is_image = requirement == Requirement::RemoteImages;
        if is_image {
            self.count_image();
        }
        is_image
    }

    /// Inspects a function call of the model in a Gemini request: records the call as unanswered, its size, and the API
    /// features that it requires.
    pub(crate) fn inspect_function_call(&mut self, call: &Value<'a>) {
        let [id, name, args] = self.known_google_members(call, ["id", "name", "args"]);
        self.record_call(None);
        self.inspect_tool_name(name.as_ref());
        self.expect_optional(ValueKind::String, id.as_ref());
        self.expect_optional(ValueKind::Object, args.as_ref());
        self.summary.prompt.characters += [name, args].iter().flatten().map(Value::characters).sum::<u64>();
        self.unanswered.push((id.and_then(|id| id.string()), name.and_then(|name| name.string()).unwrap_or_default()));
    }

    /// Inspects a function response in a Gemini request: records its size and the API features that it requires, and
    /// adds it to `draft` as a tool result. It has failed if it has the member `error`; the success is unknown if it
    /// has neither `error`, `output` nor `result`.
    pub(crate) fn inspect_function_response(&mut self, response: &Value<'a>, draft: &mut MessageDraft<'a>) {
        let [id, tool, output, parts] = self.known_google_members(response, ["id", "name", "response", "parts"]);
        for text in [&id, &tool].into_iter().flatten() {
            self.expect_kind(ValueKind::String, text);
        }
        self.match_call(id.as_ref(), tool.as_ref());
        if let Some(parts) = parts {
            self.inspect_response_media(&parts);
        }
        let mut is_error = None;
        if let Some(output) = &output {
            self.summary.prompt.characters += output.characters();
            // The fields in which Google's clients report a failure or a result.
            for (name, _) in output.members() {
                match name.string().unwrap_or_default().as_ref() {
                    "error" => is_error = Some(true),
                    "output" | "result" => is_error = is_error.or(Some(false)),
                    _ => {}
                }
            }
        }
        draft.results.push(ToolResult {
            call_id: string_or_empty(id.or(tool).as_ref()),
            is_error,
            bytes: output.map_or(0, |output| output.raw.len() as u64),
            content: output,
        });
    }

    /// Removes the call that a Gemini function response answers from the unanswered calls: the call with the same id,
    /// or else the first one of the same function. A response without a call requires
    /// [`Requirement::ResultWithoutCall`].
    fn match_call(&mut self, id: Option<&Value<'a>>, name: Option<&Value<'a>>) {
        let (id, name) = (id.and_then(Value::string), name.and_then(Value::string));
        let by_id = self.unanswered.iter().position(|(call, _)| id.is_some() && *call == id);
        let by_name = || self.unanswered.iter().position(|(_, function)| Some(function) == name.as_ref());
        match by_id.or_else(by_name) {
            Some(position) => {
                self.unanswered.remove(position);
            }
            None => self.require(Requirement::ResultWithoutCall),
        }
    }

    /// Records the API features that images and other media in a function response of a Gemini request require.
    fn inspect_response_media(&mut self, parts: &Value<'a>) {
        self.expect_kind(ValueKind::Array, parts);
        for part in parts.elements() {
            let is_image = match self.known_google_members(&part, ["inlineData", "fileData"]) {
                [Some(data), None] => self.inspect_inline_data(&data),
                [None, Some(file)] => self.inspect_file_data(&file),
                _ => {
                    self.require_native();
                    false
                }
            };
            self.require_if(is_image, Requirement::ToolImages);
        }
    }
}

/// Returns the requirement of media of this type in a Gemini request that are referenced by URL: remote images, audio
/// and video, or documents. Callers also use it to recognise the kind of inline media.
pub(super) fn requirement_of_media(media_type: &str) -> Requirement {
    match media_type.split('/').next() {
        Some("image") => Requirement::RemoteImages,
        Some("audio" | "video") => Requirement::AudioVideo,
        _ => Requirement::Documents,
    }
}
