//! Finds the layout of a type by deserializing it: names and order of fields, names and numbers of enum variants.
//!
//! The deserializer below has no input. It returns a placeholder for every requested value and records the request. A
//! type is deserialized repeatedly until every variant of every enum in it has been requested once, so no list of types
//! or variants has to be maintained.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, SeqAccess, VariantAccess, Visitor,
    value::Error,
};

/// A text that every checked name accepts.
const PLACEHOLDER: &str = "a:b";

/// The structs that are generic over the kind of decision.
const GENERIC: [&str; 3] = ["Attempt", "ChainEntry", "Decision"];

/// The layouts of all types added, by the name of the type.
#[derive(Default)]
pub(crate) struct Layouts {
    /// One layout for each struct; one for each decision kind if the struct is in [`GENERIC`].
    structs: BTreeMap<&'static str, BTreeSet<String>>,
    /// The enums by name.
    enums: BTreeMap<&'static str, Enum>,
}

/// An enum, of which each request chooses one variant.
struct Enum {
    /// All variants, in the order of their numbers.
    variants: Vec<Variant>,
    /// Number of requests. Each one chooses the next variant, so that types inside a variant are requested again as
    /// well.
    requests: usize,
}

/// A variant of an enum.
struct Variant {
    /// The name, as serialised.
    name: &'static str,
    /// The format of its content, empty for a variant without content; `None` until it is requested.
    content: Option<String>,
}

impl Layouts {
    /// Adds a type and all types in it.
    pub(crate) fn add<T: DeserializeOwned>(&mut self) {
        loop {
            let mut format = String::new();
            T::deserialize(Tracer { layouts: self, format: &mut format }).unwrap();
            let mut variants = self.enums.values().flat_map(|known| &known.variants);
            if variants.all(|variant| variant.content.is_some()) {
                return;
            }
        }
    }

    /// Returns the number of the variant to request next. Panics if another enum with this name has other variants.
    fn next_variant(&mut self, name: &'static str, variants: &'static [&'static str]) -> usize {
        let known = self.enums.entry(name).or_insert_with(|| {
            let variants = variants.iter().map(|name| Variant { name, content: None }).collect();
            Enum { variants, requests: 0 }
        });
        let same = known.variants.iter().map(|variant| variant.name).eq(variants.iter().copied());
        assert!(same, "two enums are called {name}");
        known.requests += 1;
        (known.requests - 1) % variants.len()
    }
}

impl fmt::Display for Layouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, layouts) in &self.structs {
            for fields in layouts {
                writeln!(f, "struct {name} {fields}")?;
            }
        }
        for (name, Enum { variants, .. }) in &self.enums {
            writeln!(f, "enum {name}")?;
            for (number, variant) in variants.iter().enumerate() {
                writeln!(f, "  {number} {}{}", variant.name, variant.content.as_deref().unwrap_or("?"))?;
            }
        }
        Ok(())
    }
}

/// A deserializer of one value: returns a placeholder and appends the requested format to `format`.
struct Tracer<'a> {
    /// The layouts found so far.
    layouts: &'a mut Layouts,
    /// The format of the value.
    format: &'a mut String,
}

impl Tracer<'_> {
    /// Visits `names.len()` fields and returns their formats in braces.
    fn fields<'de, V: Visitor<'de>>(self, names: &[&'static str], visitor: V) -> Result<(V::Value, String), Error> {
        let mut fields = Vec::new();
        let value = visitor.visit_seq(Fields { layouts: self.layouts, names, formats: &mut fields })?;
        Ok((value, format!("{{ {} }}", fields.join(", "))))
    }
}

/// Implements deserialization of types without parts: appends the format, and visits the placeholder.
macro_rules! scalars {
    ($($method:ident $format:literal $visit:ident $value:expr;)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.format.push_str($format);
            visitor.$visit($value)
        })*
    };
}

impl<'de> Deserializer<'de> for Tracer<'_> {
    type Error = Error;

    scalars! {
        deserialize_bool "bool" visit_bool false;
        deserialize_i8 "i8" visit_i8 0;
        deserialize_i16 "i16" visit_i16 0;
        deserialize_i32 "i32" visit_i32 0;
        deserialize_i64 "i64" visit_i64 0;
        deserialize_u8 "u8" visit_u8 0;
        deserialize_u16 "u16" visit_u16 0;
        deserialize_u32 "u32" visit_u32 0;
        deserialize_u64 "u64" visit_u64 0;
        deserialize_char "char" visit_char 'a';
        deserialize_str "text" visit_str PLACEHOLDER;
        deserialize_string "text" visit_str PLACEHOLDER;
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.format.push_str("optional ");
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.format.push_str("list of ");
        visitor.visit_seq(Repeated { layouts: self.layouts, format: self.format, left: 1 })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        self.format.push_str(&length.to_string());
        self.format.push_str(" of ");
        visitor.visit_seq(Repeated { layouts: self.layouts, format: self.format, left: length })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.format.push_str(name);
        let mut format = String::new();
        let (value, fields) = Tracer { layouts: self.layouts, format: &mut format }.fields(names, visitor)?;
        let known = self.layouts.structs.entry(name).or_default();
        known.insert(fields);
        assert!(known.len() == 1 || GENERIC.contains(&name), "two structs are called {name}: {known:?}");
        Ok(value)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.format.push_str(name);
        let number = self.layouts.next_variant(name, variants);
        let mut content = String::new();
        let value = visitor.visit_enum(Chosen { layouts: self.layouts, number, content: &mut content })?;
        self.layouts.enums.get_mut(name).unwrap().variants[number].content = Some(content);
        Ok(value)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        unreachable!("a type in an event has no fixed layout");
    }

    serde::forward_to_deserialize_any! {
        bytes byte_buf unit f32 f64 i128 u128 identifier ignored_any map tuple_struct unit_struct
    }
}

/// The sequence of the fields of a struct, or of a variant that has named fields.
struct Fields<'a> {
    /// The layouts found so far.
    layouts: &'a mut Layouts,
    /// The names of the fields.
    names: &'a [&'static str],
    /// The fields so far, as `name: format`.
    formats: &'a mut Vec<String>,
}

impl<'de> SeqAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(name) = self.names.get(self.formats.len()) else { return Ok(None) };
        let mut format = format!("{name}: ");
        let value = seed.deserialize(Tracer { layouts: self.layouts, format: &mut format })?;
        self.formats.push(format);
        Ok(Some(value))
    }
}

/// The sequence of the elements of a list or tuple; the format of the last one is recorded.
struct Repeated<'a> {
    /// The layouts found so far.
    layouts: &'a mut Layouts,
    /// The format of the list, to which that of the elements is appended.
    format: &'a mut String,
    /// Number of elements still to visit.
    left: usize,
}

impl<'de> SeqAccess<'de> for Repeated<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        let mut format = String::new();
        let value = seed.deserialize(Tracer { layouts: self.layouts, format: &mut format })?;
        if left == 0 {
            self.format.push_str(&format);
        }
        Ok(Some(value))
    }
}

/// The variant of an enum that is requested.
struct Chosen<'a> {
    /// The layouts found so far.
    layouts: &'a mut Layouts,
    /// The number of the variant.
    number: usize,
    /// The format of its content.
    content: &'a mut String,
}

impl<'de> EnumAccess<'de> for Chosen<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let number = u32::try_from(self.number).unwrap();
        let variant = seed.deserialize(IntoDeserializer::<Error>::into_deserializer(number))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Chosen<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        self.content.push(' ');
        seed.deserialize(Tracer { layouts: self.layouts, format: self.content })
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        unreachable!("no variant in an event has unnamed fields");
    }

    fn struct_variant<V: Visitor<'de>>(self, names: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        let mut format = String::new();
        let (value, fields) = Tracer { layouts: self.layouts, format: &mut format }.fields(names, visitor)?;
        self.content.push(' ');
        self.content.push_str(&fields);
        Ok(value)
    }
}
