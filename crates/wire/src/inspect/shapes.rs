//! Checks the types of values. A value of an unexpected type makes the request [`Native`](Requirement::Native).

use contracts::Requirement;

use super::inspector::Inspector;
use crate::{
    json::{Kind, Value},
    limits,
};

impl<'a> Inspector<'a> {
    /// Records an unexpected value or member.
    pub(crate) fn unexpected(&mut self) {
        self.require(Requirement::Native);
    }

    /// Checks that a value is `null` or of a type.
    pub(crate) fn expect_kind(&mut self, kind: Kind, value: &Value<'a>) {
        self.require_if(!value.is_null() && value.kind != kind, Requirement::Native);
    }

    /// Checks that a value is missing, `null` or of a type.
    pub(crate) fn expect_optional(&mut self, kind: Kind, value: Option<&Value<'a>>) {
        if let Some(value) = value {
            self.expect_kind(kind, value);
        }
    }

    /// Checks that a value is present and a string.
    pub(crate) fn expect_string(&mut self, value: Option<&Value<'a>>) {
        self.require_if(value.is_none_or(|value| value.kind != Kind::String), Requirement::Native);
    }

    pub(crate) fn expect_bool(&mut self, value: &Value<'a>) {
        self.require_if(!value.is_null() && value.as_bool().is_none(), Requirement::Native);
    }

    /// Returns a whole number that is not negative; checks that the value is one or `null`.
    pub(crate) fn expect_count(&mut self, value: &Value<'a>) -> Option<u64> {
        let count = value.as_u64();
        self.require_if(!value.is_null() && count.is_none(), Requirement::Native);
        count
    }

    /// Returns the members with these names that are not `null`. A value that is no object, or another member, makes
    /// the request [`Native`](Requirement::Native).
    pub(crate) fn known_members<const N: usize>(
        &mut self,
        object: &Value<'a>,
        names: [&str; N],
    ) -> [Option<Value<'a>>; N] {
        self.expect_kind(Kind::Object, object);
        let mut found = [None; N];
        for (name, value) in object.members().filter(|(_, value)| !value.is_null()) {
            let name = name.string().unwrap_or_default();
            let slot = names.iter().position(|wanted| name == *wanted).and_then(|at| found.get_mut(at));
            match slot {
                Some(slot) => *slot = Some(value),
                None => self.unexpected(),
            }
        }
        found
    }

    /// Reads a list of stop sequences.
    pub(crate) fn stop_sequences(&mut self, stops: &Value<'a>) {
        self.expect_kind(Kind::Array, stops);
        let texts: Vec<_> = stops.elements().map(|stop| stop.string()).collect();
        self.require_if(texts.iter().any(Option::is_none), Requirement::Native);
        let texts: Vec<_> = texts.into_iter().flatten().collect();
        self.out.requires.extend(limits::required_by_stop_sequences(&texts));
    }

    pub(crate) fn temperature(&mut self, temperature: &Value<'a>) {
        self.expect_kind(Kind::Number, temperature);
        self.temperature = temperature.as_f64();
    }

    pub(crate) fn top_p(&mut self, top_p: &Value<'a>) {
        self.expect_kind(Kind::Number, top_p);
        self.top_p = top_p.as_f64();
    }

    /// Checks the name of a tool, in a definition or a call.
    pub(crate) fn tool_name(&mut self, name: Option<&Value<'a>>) {
        self.expect_string(name);
        let name = name.and_then(Value::string);
        self.out.requires.extend(name.iter().flat_map(|name| limits::required_by_tool_name(name)));
    }

    /// Checks the arguments of a call in `OpenAI`'s APIs: a string with a JSON object.
    pub(crate) fn arguments(&mut self, arguments: Option<&Value<'a>>) {
        let Some(arguments) = arguments else { return };
        self.expect_kind(Kind::String, arguments);
        let broken = arguments.string().is_some_and(|text| !limits::is_blank(&text) && !crate::json::is_object(&text));
        self.require_if(broken, Requirement::BrokenArguments);
    }

    /// Records what the URL of an image requires: a data URL or a remote one.
    pub(crate) fn image_url(&mut self, url: &Value<'a>) {
        let Some(url) = url.text() else { return self.unexpected() };
        let Some(data) = url.raw.strip_prefix("data:") else { return self.require(Requirement::RemoteImages) };
        match data.split_once(";base64,") {
            Some((media_type, _)) => {
                self.out.requires.extend(limits::required_by_image(&crate::json::decoded(media_type)));
            }
            None => self.require(Requirement::OtherImages),
        }
    }
}
