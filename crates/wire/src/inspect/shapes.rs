//! Checks the types of values and inspects settings that several APIs share. A value of an unexpected type makes the
//! request [`Native`](Requirement::Native) (not convertible to another API).

use contracts::Requirement;

use super::inspector::Inspector;
use crate::{
    json::{Value, ValueKind},
    limits,
};

impl<'a> Inspector<'a> {
    /// Makes the request [`Native`](Requirement::Native), because of an unexpected value or member.
    pub(crate) fn require_native(&mut self) {
        self.require(Requirement::Native);
    }

    /// Makes the request [`Native`](Requirement::Native) unless a value is `null` or of this type.
    pub(crate) fn expect_kind(&mut self, kind: ValueKind, value: &Value<'a>) {
        self.require_if(!value.is_null() && value.kind != kind, Requirement::Native);
    }

    /// Makes the request [`Native`](Requirement::Native) unless a value is missing, `null` or of this type.
    pub(crate) fn expect_optional(&mut self, kind: ValueKind, value: Option<&Value<'a>>) {
        if let Some(value) = value {
            self.expect_kind(kind, value);
        }
    }

    /// Makes the request [`Native`](Requirement::Native) unless a value is present and a string.
    pub(crate) fn expect_string(&mut self, value: Option<&Value<'a>>) {
        self.require_if(value.is_none_or(|value| value.kind != ValueKind::String), Requirement::Native);
    }

    /// Makes the request [`Native`](Requirement::Native) unless a value is `null`, `true` or `false`.
    pub(crate) fn expect_bool(&mut self, value: &Value<'a>) {
        self.require_if(!value.is_null() && value.as_bool().is_none(), Requirement::Native);
    }

    /// Returns a value that is a non-negative integer; `None` for others, which make the request
    /// [`Native`](Requirement::Native) (not convertible to another API) unless they are `null`.
    pub(crate) fn expect_count(&mut self, value: &Value<'a>) -> Option<u64> {
        let count = value.as_u64();
        self.require_if(!value.is_null() && count.is_none(), Requirement::Native);
        count
    }

    /// Returns the members of an object with these names, in the order of `names`; `None` for members that are missing
    /// or `null`. A member with another name that is not `null`, and a value that is not an object, make the request
    /// [`Native`](Requirement::Native) (not convertible to another API).
    pub(crate) fn known_members<const N: usize>(
        &mut self,
        object: &Value<'a>,
        names: [&str; N],
    ) -> [Option<Value<'a>>; N] {
        self.expect_kind(ValueKind::Object, object);
        let mut values = [None; N];
        for (name, value) in object.members().filter(|(_, value)| !value.is_null()) {
            let name = name.string().unwrap_or_default();
            let slot = names.iter().position(|requested| name == *requested).and_then(|slot| values.get_mut(slot));
            match slot {
                Some(slot) => *slot = Some(value),
                None => self.require_native(),
            }
        }
        values
    }

    /// Records the API features that a list of stop sequences requires.
    pub(crate) fn inspect_stop_sequences(&mut self, stops: &Value<'a>) {
        self.expect_kind(ValueKind::Array, stops);
        let texts: Vec<_> = stops.elements().map(|stop| stop.string()).collect();
        self.require_if(texts.iter().any(Option::is_none), Requirement::Native);
        let texts: Vec<_> = texts.into_iter().flatten().collect();
        self.summary.requires.extend(limits::required_by_stop_sequences(&texts));
    }

    /// Records the temperature. Its requirement also depends on `top_p`, so it is determined at the end of the body.
    pub(crate) fn inspect_temperature(&mut self, temperature: &Value<'a>) {
        self.expect_kind(ValueKind::Number, temperature);
        self.temperature = temperature.as_f64();
    }

    /// Records `top_p`. Its requirement also depends on the temperature, so it is determined at the end of the body.
    pub(crate) fn inspect_top_p(&mut self, top_p: &Value<'a>) {
        self.expect_kind(ValueKind::Number, top_p);
        self.top_p = top_p.as_f64();
    }

    /// Records the API features that the name of a tool requires, in a definition or a call.
    pub(crate) fn inspect_tool_name(&mut self, name: Option<&Value<'a>>) {
        self.expect_string(name);
        let name = name.and_then(Value::string);
        self.summary.requires.extend(name.iter().flat_map(|name| limits::required_by_tool_name(name)));
    }

    /// Inspects the arguments of a call in `OpenAI`'s APIs, which are a string with a JSON object. Text that is neither
    /// blank nor a JSON object requires [`Requirement::BrokenArguments`].
    pub(crate) fn inspect_arguments(&mut self, arguments: Option<&Value<'a>>) {
        let Some(arguments) = arguments else { return };
        self.expect_kind(ValueKind::String, arguments);
        let is_broken =
            arguments.string().is_some_and(|text| !limits::is_blank(&text) && !crate::json::is_exact_object(&text));
        self.require_if(is_broken, Requirement::BrokenArguments);
    }

    /// Records the API features that the URL of an image requires: the media type of a base64 data URL, or fetching a
    /// remote image.
    pub(crate) fn inspect_image_url(&mut self, url: &Value<'a>) {
        let Some(url) = url.text() else { return self.require_native() };
        let Some(data) = url.raw.strip_prefix("data:") else { return self.require(Requirement::RemoteImages) };
        match data.split_once(";base64,") {
            Some((media_type, _)) => {
                self.summary.requires.extend(limits::required_by_image(&crate::json::decode_string(media_type)));
            }
            None => self.require(Requirement::OtherImages),
        }
    }
}
