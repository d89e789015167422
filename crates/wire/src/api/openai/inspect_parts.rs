//! Inspects the content parts of messages in both `OpenAI` APIs.

use contracts::{Requirement, WireApi};

use crate::inspect::{
    history::{By, Draft},
    inspector::{Reading, name_of},
};
use crate::{
    fields::Place,
    json::{Cursor, Kind, Value},
    request::RequestError,
};

impl<'a> Reading<'a> {
    pub(crate) fn part(&mut self, cursor: &mut Cursor<'a>, draft: &mut Draft<'a>) -> Result<(), RequestError> {
        let Some(mut members) = cursor.object()? else {
            return Err(RequestError::WrongType { field: "content", expected: "a string or a list of objects" });
        };
        let mut part = Part::default();
        while let Some(name) = members.next(cursor)? {
            let value = cursor.value()?;
            if value.is_null() {
                continue;
            }
            match name.as_ref() {
                "type" => part.kind = Some(value),
                "text" | "refusal" => part.text = Some(value),
                "image_url" => part.image = Some(value),
                "file_id" => part.file = true,
                "detail" => self.requires_if(self.out.api == WireApi::OpenAiChat, Requirement::Native),
                "annotations" | "logprobs" => self.requires_if(!value.is_nothing(), Requirement::Native),
                "file_data" | "file_url" | "filename" => part.document = true,
                _ => self.judge(Place::Part, &name, &value),
            }
        }
        let kind = name_of(part.kind.as_ref());
        let responses = self.out.api == WireApi::OpenAiResponses;
        self.heard.anybody |= draft.by != By::System && part.text.is_none();
        match kind.as_ref() {
            "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" => {
                let own = kind == "text" || (responses && matches!(kind.as_ref(), "input_text" | "output_text"));
                self.requires_if(!own || part.image.is_some() || part.file || part.document, Requirement::Native);
                self.needed_text(part.text.as_ref());
                let text = part.text.and_then(|text| text.text());
                self.out.prompt.characters += text.map_or(0, |text| text.characters());
                draft.texts.extend(text);
            }
            "image_url" | "input_image" => {
                self.image();
                draft.images = true;
                let own = kind == if responses { "input_image" } else { "image_url" };
                let odd = !own || draft.by != By::User || part.text.is_some() || part.document;
                self.requires_if(odd, Requirement::Native);
                self.openai_image(&part);
            }
            "video_url" if responses => self.odd(),
            "input_audio" | "video_url" => self.requires(Requirement::AudioVideo),
            "file" | "input_file" => self.requires(Requirement::Documents),
            _ => self.requires(Requirement::Native),
        }
        Ok(())
    }

    /// Reads an image: an object with its URL in chat completions, the URL itself in Responses.
    fn openai_image(&mut self, part: &Part<'a>) {
        let url = match &part.image {
            None if part.file => return self.requires(Requirement::StoredImages),
            Some(image) if self.out.api == WireApi::OpenAiChat => {
                self.requires_if(part.file, Requirement::Native);
                let [url, detail] = self.only(image, ["url", "detail"]);
                self.perhaps(Kind::String, detail.as_ref());
                url
            }
            image => {
                self.requires_if(part.file, Requirement::Native);
                *image
            }
        };
        match &url {
            Some(url) => self.image_url(url),
            None => self.odd(),
        }
    }
}

/// The members of one content part.
#[derive(Default)]
struct Part<'a> {
    kind: Option<Value<'a>>,
    text: Option<Value<'a>>,
    image: Option<Value<'a>>,
    /// Whether it refers to a file stored by the provider.
    file: bool,
    /// Whether it has a member of a file part.
    document: bool,
}
