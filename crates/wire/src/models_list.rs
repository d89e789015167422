//! The response to `GET /v1/models`, valid for the SDKs of both Anthropic and `OpenAI`.

use serde_json::{Value, json};

/// The creation time of all models. The SDKs require the field, and clients ignore its value.
const CREATED: &str = "1970-01-01T00:00:00Z";

/// Returns the JSON body of the response to `GET /v1/models` with these model ids, in this order. It is valid for the
/// clients of Anthropic and of `OpenAI`. The ids are also the display names.
pub fn models_list<'m>(ids: impl IntoIterator<Item = &'m str>) -> Vec<u8> {
    let data: Vec<Value> = ids
        .into_iter()
        .map(|id| {
            json!({
                "id": id,
                "type": "model",
                "object": "model",
                "display_name": id,
                "created": 0,
                "created_at": CREATED,
                "owned_by": "turnwise",
            })
        })
        .collect();
    let end = |model: Option<&Value>| model.map(|model| model["id"].clone());
    let (first, last) = (end(data.first()), end(data.last()));
    let list = json!({"object": "list", "data": data, "has_more": false, "first_id": first, "last_id": last});
    list.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::models_list;

    /// A model has the fields that both SDKs require.
    #[test]
    fn a_list_says_what_both_sdks_ask_for() {
        let list: Value = serde_json::from_slice(&models_list(["turnwise", "claude-sonnet-5"])).unwrap();
        let ids: Vec<_> = list["data"].as_array().unwrap().iter().map(|model| &model["id"]).collect();
        assert_eq!(ids, ["turnwise", "claude-sonnet-5"]);
        assert_eq!(
            list["data"][0],
            json!({
                "id": "turnwise", "type": "model", "object": "model", "display_name": "turnwise", "created": 0,
                "created_at": "1970-01-01T00:00:00Z", "owned_by": "turnwise",
            })
        );
        assert_eq!((&list["object"], &list["has_more"]), (&json!("list"), &json!(false)));
        assert_eq!((&list["first_id"], &list["last_id"]), (&json!("turnwise"), &json!("claude-sonnet-5")));
    }

    /// Without models, the list is empty and the first id is `null`.
    #[test]
    fn an_empty_list_is_a_list() {
        let list: Value = serde_json::from_slice(&models_list([])).unwrap();
        assert_eq!((&list["data"], &list["first_id"]), (&json!([]), &Value::Null));
    }
}
