//! Deserialization of parameters, with an error that says whether one is missing rather than wrong.
//!
//! `serde_json` says that in words only. Values are read as it reads them; not here: reading them for use.

use std::fmt;

use serde::de::value::MapDeserializer;
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde_json::Value;

use brain_core::core::plan::Params;

/// Why parameters are no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::services) enum LenientParamsError {
    /// One is missing; the values of all that are there are fine.
    #[error("missing field `{0}`")]
    Missing(&'static str),
    /// A value is wrong, or nobody knows the parameter.
    #[error("{0}")]
    Unfit(String),
}

impl de::Error for LenientParamsError {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self::Unfit(why.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Missing(field)
    }
}

/// A command of these parameters.
pub(in crate::services) fn read<T: DeserializeOwned>(params: &Params) -> Result<T, LenientParamsError> {
    let entries = params.iter().map(|(name, value)| (name.as_str(), GivenValue(value)));
    T::deserialize(MapDeserializer::new(entries))
}

/// A value whose errors are ours.
struct GivenValue<'v>(&'v Value);

impl<'de> IntoDeserializer<'de, LenientParamsError> for GivenValue<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

fn unfit(cause: serde_json::Error) -> LenientParamsError {
    LenientParamsError::Unfit(cause.to_string())
}

impl<'de> Deserializer<'de> for GivenValue<'de> {
    type Error = LenientParamsError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, LenientParamsError> {
        self.0.deserialize_any(visitor).map_err(unfit)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, LenientParamsError> {
        self.0.deserialize_option(visitor).map_err(unfit)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, LenientParamsError> {
        self.0.deserialize_newtype_struct(name, visitor).map_err(unfit)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, LenientParamsError> {
        self.0.deserialize_enum(name, variants, visitor).map_err(unfit)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Size {
        Small,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Order {
        what: String,
        count: u32,
        size: Option<Size>,
    }

    #[test]
    fn what_is_missing_is_told_from_what_is_wrong() {
        let read = |params: Value| read::<Order>(params.as_object().unwrap());
        let order = Order { what: "tea".to_owned(), count: 2, size: Some(Size::Small) };
        assert_eq!(read(json!({"what": "tea", "count": 2, "size": "small"})), Ok(order));
        assert_eq!(read(json!({"what": "tea"})), Err(LenientParamsError::Missing("count")));
        assert_eq!(read(json!({"count": 2, "size": null})), Err(LenientParamsError::Missing("what")));
        for wrong in [json!({"what": 1}), json!({"what": "tea", "size": "huge"}), json!({"what": "tea", "when": 1})] {
            assert!(matches!(read(wrong.clone()), Err(LenientParamsError::Unfit(_))), "{wrong}");
        }
    }
}
