//! Inspects the content parts of messages and tool results in both `OpenAI` APIs.

use contracts::{Requirement, WireApi};

use crate::inspect::{
    history::{Author, MessageDraft},
    inspector::{Inspector, string_or_empty},
};
use crate::{
    fields::ObjectKind,
    json::{Cursor, Value, ValueKind},
    request_summary::RequestError,
};

impl<'a> Inspector<'a> {
    /// Inspects one content part of a message or tool result in `OpenAI`'s APIs: adds it to `draft`, and records its
    /// size and the API features that it requires. `cursor` is before the part. Parts of the other API's types make the
    /// request [`Native`](Requirement::Native) (not convertible to another API).
    ///
    /// # Errors
    /// [`RequestError`] if the part is not a JSON object.
    pub(crate) fn inspect_openai_part(
        &mut self,
        cursor: &mut Cursor<'a>,
        draft: &mut MessageDraft<'a>,
    ) -> Result<(), RequestError> {
        let part = self.read_openai_part(cursor)?;
        let kind = string_or_empty(part.kind.as_ref());
        let is_responses = self.summary.api == WireApi::OpenAiResponses;
        self.has_content.non_system |= draft.author != Author::System && part.text.is_none();
        match kind.as_ref() {
            "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" => {
                let is_own_type =
                    kind == "text" || (is_responses && matches!(kind.as_ref(), "input_text" | "output_text"));
                self.require_if(
                    !is_own_type || part.image.is_some() || part.has_file_id || part.has_file_content,
                    Requirement::Native,
                );
                self.expect_string(part.text.as_ref());
                let text = part.text.and_then(|text| text.text());
                self.summary.prompt.characters += text.map_or(0, |text| text.characters());
                draft.texts.extend(text);
            }
            "image_url" | "input_image" => {
                self.count_image();
                draft.has_images = true;
                let is_own_type = kind == if is_responses { "input_image" } else { "image_url" };
                let is_unexpected =
                    !is_own_type || draft.author != Author::User || part.text.is_some() || part.has_file_content;
                self.require_if(is_unexpected, Requirement::Native);
                self.inspect_openai_image(&part);
            }
            "video_url" if is_responses => self.require_native(),
            "input_audio" | "video_url" => self.require(Requirement::AudioVideo),
            "file" | "input_file" => self.require(Requirement::Documents),
            _ => self.require(Requirement::Native),
        }
        Ok(())
    }

    /// Reads the members of a content part in `OpenAI`'s APIs and returns them. Records the features of members whose
    /// requirement does not depend on the type of the part.
    ///
    /// # Errors
    /// [`RequestError`] if the part is not a JSON object.
    fn read_openai_part(&mut self, cursor: &mut Cursor<'a>) -> Result<Part<'a>, RequestError> {
        let Some(mut members) = cursor.enter_object()? else {
            return Err(RequestError::WrongType { field: "content", expected: "a string or a list of objects" });
        };
        let mut part = Part::default();
        while let Some(name) = members.next(cursor)? {
            let value = cursor.read_value()?;
            if value.is_null() {
                continue;
            }
            match name.as_ref() {
                "type" => part.kind = Some(value),
                "text" | "refusal" => part.text = Some(value),
                "image_url" => part.image = Some(value),
                "file_id" => part.has_file_id = true,
                "detail" => self.require_if(self.summary.api == WireApi::OpenAiChat, Requirement::Native),
                "annotations" | "logprobs" => self.require_if(!value.is_falsy(), Requirement::Native),
                "file_data" | "file_url" | "filename" => part.has_file_content = true,
                _ => self.classify_field(ObjectKind::Part, &name, &value),
            }
        }
        Ok(part)
    }

    /// Records the API features that the image in a content part of `OpenAI`'s APIs requires. The member `image_url` is
    /// an object with the URL in chat completions, and the URL itself in Responses. An image without a URL refers to a
    /// file that the provider stores.
    fn inspect_openai_image(&mut self, part: &Part<'a>) {
        let url = match &part.image {
            None if part.has_file_id => return self.require(Requirement::StoredImages),
            Some(image) if self.summary.api == WireApi::OpenAiChat => {
                self.require_if(part.has_file_id, Requirement::Native);
                let [url, detail] = self.known_members(image, ["url", "detail"]);
                self.expect_optional(ValueKind::String, detail.as_ref());
                url
            }
            image => {
                self.require_if(part.has_file_id, Requirement::Native);
                *image
            }
        };
        match &url {
            Some(url) => self.inspect_image_url(url),
            None => self.require_native(),
        }
    }
}

/// The members of one content part of a message in `OpenAI`'s APIs, collected before its type is known.
#[derive(Default)]
struct Part<'a> {
    /// The member `type`.
    kind: Option<Value<'a>>,
    /// The member `text`, or `refusal` of a refusal.
    text: Option<Value<'a>>,
    /// The member `image_url`: an object in chat completions, a string in Responses.
    image: Option<Value<'a>>,
    /// Whether the part has `file_id`, a reference to a file stored by the provider.
    has_file_id: bool,
    /// Whether the part has the data, URL or name of a file.
    has_file_content: bool,
}
