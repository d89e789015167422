//! Inspects function calls, function responses and media in requests to Gemini.

use contracts::Requirement;

use crate::inspect::{
    history::Draft,
    inspector::{Reading, name_of},
};
use crate::{
    fields::in_camel_case,
    json::{Kind, Value},
    limits,
    request::ToolResult,
};

impl<'a> Reading<'a> {
    /// Returns the members of these camel-case names, in either spelling. Any other member makes the request
    /// [`Native`](Requirement::Native).
    pub(crate) fn only_in_google<const N: usize>(
        &mut self,
        object: &Value<'a>,
        names: [&str; N],
    ) -> [Option<Value<'a>>; N] {
        self.of_kind(Kind::Object, object);
        let mut found = [None; N];
        for (name, value) in object.members().filter(|(_, value)| !value.is_null()) {
            let name = in_camel_case(&name.string().unwrap_or_default());
            let slot = names.iter().position(|wanted| name == *wanted).and_then(|at| found.get_mut(at));
            match slot {
                Some(slot) => *slot = Some(value),
                None => self.odd(),
            }
        }
        found
    }

    /// Reads inline data; returns whether it is an image.
    pub(crate) fn inline_data(&mut self, data: &Value<'a>) -> bool {
        let [media_type, content] = self.only_in_google(data, ["mimeType", "data"]);
        self.heard.anybody = true;
        self.needed_text(media_type.as_ref());
        self.needed_text(content.as_ref());
        let media_type = name_of(media_type.as_ref());
        let requirement = of_media(&media_type);
        if requirement == Requirement::RemoteImages {
            self.image();
            self.out.requires.extend(limits::of_image(&media_type));
            return true;
        }
        self.requires(requirement);
        false
    }

    /// Reads a reference to a file that Google fetches or stores; returns whether it is an image.
    pub(crate) fn file_data(&mut self, file: &Value<'a>) -> bool {
        self.heard.anybody = true;
        let [camel, snake] = file.pick(["mimeType", "mime_type"]);
        let requirement = of_media(&name_of(camel.or(snake).as_ref()));
        self.requires(requirement);
        let is_image = requirement == Requirement::RemoteImages;
        if is_image {
            self.image();
        }
        is_image
    }

    pub(crate) fn function_call(&mut self, call: &Value<'a>) {
        let [id, name, args] = self.only_in_google(call, ["id", "name", "args"]);
        self.called(None);
        self.tool_name(name.as_ref());
        self.perhaps(Kind::String, id.as_ref());
        self.perhaps(Kind::Object, args.as_ref());
        self.out.prompt.characters += [name, args].iter().flatten().map(Value::characters).sum::<u64>();
        self.unanswered.push((id.and_then(|id| id.string()), name.and_then(|name| name.string()).unwrap_or_default()));
    }

    pub(crate) fn function_response(&mut self, response: &Value<'a>, draft: &mut Draft<'a>) {
        let [id, tool, output, parts] = self.only_in_google(response, ["id", "name", "response", "parts"]);
        for text in [&id, &tool].into_iter().flatten() {
            self.of_kind(Kind::String, text);
        }
        self.answers(id.as_ref(), tool.as_ref());
        if let Some(parts) = parts {
            self.shown(&parts);
        }
        let mut is_error = None;
        if let Some(output) = &output {
            self.out.prompt.characters += output.characters();
            // How Google's own clients report a failure.
            for (name, _) in output.members() {
                match name.string().unwrap_or_default().as_ref() {
                    "error" => is_error = Some(true),
                    "output" | "result" => is_error = is_error.or(Some(false)),
                    _ => {}
                }
            }
        }
        draft.results.push(ToolResult {
            call: name_of(id.or(tool).as_ref()),
            is_error,
            bytes: output.map_or(0, |output| output.raw.len() as u64),
        });
    }

    /// Matches a function response with the call of its id, or else with the first open call of its function.
    fn answers(&mut self, id: Option<&Value<'a>>, name: Option<&Value<'a>>) {
        let (id, name) = (id.and_then(Value::string), name.and_then(Value::string));
        let by_id = self.unanswered.iter().position(|(call, _)| id.is_some() && *call == id);
        let by_name = || self.unanswered.iter().position(|(_, called)| Some(called) == name.as_ref());
        match by_id.or_else(by_name) {
            Some(place) => {
                self.unanswered.remove(place);
            }
            None => self.requires(Requirement::ResultWithoutCall),
        }
    }

    /// Reads the media in a function response.
    fn shown(&mut self, parts: &Value<'a>) {
        self.of_kind(Kind::Array, parts);
        for part in parts.elements() {
            let is_image = match self.only_in_google(&part, ["inlineData", "fileData"]) {
                [Some(data), None] => self.inline_data(&data),
                [None, Some(file)] => self.file_data(&file),
                _ => {
                    self.odd();
                    false
                }
            };
            self.requires_if(is_image, Requirement::ToolImages);
        }
    }
}

/// Returns the requirement of media of this type that are not inline.
fn of_media(media_type: &str) -> Requirement {
    match media_type.split('/').next() {
        Some("image") => Requirement::RemoteImages,
        Some("audio" | "video") => Requirement::AudioVideo,
        _ => Requirement::Documents,
    }
}
