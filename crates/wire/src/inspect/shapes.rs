//! The shapes that values have in every API: what has another one only its own provider can judge.

use contracts::Requirement;

use super::inspector::Reading;
use crate::{
    json::{Kind, Value},
    limits,
};

impl<'a> Reading<'a> {
    /// A value of another shape than its API describes, or a member that it does not.
    pub(crate) fn odd(&mut self) {
        self.requires(Requirement::Native);
    }

    /// Judges a value that has to be of a kind, if it is there at all.
    pub(crate) fn of_kind(&mut self, kind: Kind, value: &Value<'a>) {
        self.requires_if(!value.is_null() && value.kind != kind, Requirement::Native);
    }

    /// The same for a member that need not be there.
    pub(crate) fn perhaps(&mut self, kind: Kind, value: Option<&Value<'a>>) {
        if let Some(value) = value {
            self.of_kind(kind, value);
        }
    }

    /// A text that has to be there.
    pub(crate) fn needed_text(&mut self, value: Option<&Value<'a>>) {
        self.requires_if(value.is_none_or(|value| value.kind != Kind::String), Requirement::Native);
    }

    pub(crate) fn flag(&mut self, value: &Value<'a>) {
        self.requires_if(!value.is_null() && value.boolean().is_none(), Requirement::Native);
    }

    /// A whole number that is not negative.
    pub(crate) fn count(&mut self, value: &Value<'a>) -> Option<u64> {
        let count = value.whole();
        self.requires_if(!value.is_null() && count.is_none(), Requirement::Native);
        count
    }

    /// The members of these names of an object that may have no others; nothing of what is no object.
    pub(crate) fn only<const N: usize>(&mut self, object: &Value<'a>, names: [&str; N]) -> [Option<Value<'a>>; N] {
        self.of_kind(Kind::Object, object);
        let mut found = [None; N];
        for (name, value) in object.members().filter(|(_, value)| !value.is_null()) {
            let name = name.string().unwrap_or_default();
            let slot = names.iter().position(|wanted| name == *wanted).and_then(|at| found.get_mut(at));
            match slot {
                Some(slot) => *slot = Some(value),
                None => self.odd(),
            }
        }
        found
    }

    /// The texts at which the answer is to end: a list of them.
    pub(crate) fn stops(&mut self, stops: &Value<'a>) {
        self.of_kind(Kind::Array, stops);
        let texts: Vec<_> = stops.elements().map(|stop| stop.string()).collect();
        self.requires_if(texts.iter().any(Option::is_none), Requirement::Native);
        let texts: Vec<_> = texts.into_iter().flatten().collect();
        self.out.requires.extend(limits::of_stops(&texts));
    }

    pub(crate) fn temperature(&mut self, temperature: &Value<'a>) {
        self.of_kind(Kind::Number, temperature);
        self.temperature = temperature.number();
    }

    pub(crate) fn top_p(&mut self, top_p: &Value<'a>) {
        self.of_kind(Kind::Number, top_p);
        self.top_p = top_p.number();
    }

    /// The name of a tool, where it is defined or called.
    pub(crate) fn tool_name(&mut self, name: Option<&Value<'a>>) {
        self.needed_text(name);
        let name = name.and_then(Value::string);
        self.out.requires.extend(name.iter().flat_map(|name| limits::of_tool_name(name)));
    }

    /// The arguments of a call, as `OpenAI`'s APIs say them: the JSON of an object in a text.
    pub(crate) fn arguments(&mut self, arguments: Option<&Value<'a>>) {
        let Some(arguments) = arguments else { return };
        self.of_kind(Kind::String, arguments);
        let broken = arguments.string().is_some_and(|text| !limits::is_blank(&text) && !crate::json::is_object(&text));
        self.requires_if(broken, Requirement::BrokenArguments);
    }

    /// The URL of an image in either of `OpenAI`'s APIs: the image itself, or where it is.
    pub(crate) fn image_url(&mut self, url: &Value<'a>) {
        let Some(url) = url.text() else { return self.odd() };
        let Some(data) = url.raw.strip_prefix("data:") else { return self.requires(Requirement::RemoteImages) };
        match data.split_once(";base64,") {
            Some((media_type, _)) => self.out.requires.extend(limits::of_image(&crate::json::decoded(media_type))),
            None => self.requires(Requirement::OtherImages),
        }
    }
}
