//! Parses a request to chat completions.

use contracts::Requirement;
use serde_json::Value;

use super::read_message;
use crate::{
    convert::{
        ConvertError,
        canonical::request::{Effort, Format, Grammar, OpenAiSettings, Request, Sampling, Tool, ToolChoice, ToolKind},
        fields::{Fields, is_falsy, texts},
        gate::FeatureGate,
    },
    fields::ObjectKind,
};

const NATIVE: ConvertError = ConvertError::Requires(Requirement::Native);

pub(crate) fn read_request(body: Value, gate: &mut FeatureGate<'_>) -> Result<Request, ConvertError> {
    let mut fields = Fields::of(body, "the request")?;
    reject_unsupported_settings(&mut fields, gate)?;
    let mut penalty = |name| match fields.take_unless(name, is_falsy) {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(Some(number)),
        Some(_) => Err(ConvertError::malformed("the request", "has a penalty that is not a number")),
    };
    let [presence_penalty, frequency_penalty] = [penalty("presence_penalty")?, penalty("frequency_penalty")?];
    let mut request = Request {
        parallel_tools: fields.flag("parallel_tool_calls")?,
        sampling: Sampling {
            temperature: fields.number("temperature")?,
            top_p: fields.number("top_p")?,
            top_k: fields.number("top_k")?,
            seed: fields.number("seed")?,
            presence_penalty,
            frequency_penalty,
        },
        openai: OpenAiSettings {
            cache_key: fields.text("prompt_cache_key")?,
            cache_retention: fields.take("prompt_cache_retention"),
            safety_identifier: fields.text("safety_identifier")?,
            verbosity: fields.text("verbosity")?.filter(|verbosity| verbosity != "medium"),
        },
        ..Request::default()
    };
    let older = fields.count("max_tokens")?;
    request.max_output = fields.count("max_completion_tokens")?.or(older);
    request.stop = match fields.take("stop") {
        None => Vec::new(),
        Some(Value::String(stop)) => vec![stop],
        Some(Value::Array(stops)) => texts(stops, "a stop sequence")?,
        Some(_) => return Err(fields.wrong("has a stop that is neither text nor a list")),
    };
    if let Some(effort) = fields.text("reasoning_effort")? {
        request.effort = Some(Effort::named(&effort).ok_or(NATIVE)?);
    }
    if let Some(format) = fields.object("response_format", "the response format")? {
        request.format = read_format(format)?;
    }
    for message in fields.list("messages")? {
        request.messages.push(read_message::read_message(message, gate)?);
    }
    for tool in fields.list("tools")? {
        request.tools.push(read_tool(tool, gate)?);
    }
    if let Some(choice) = fields.take("tool_choice") {
        request.tool_choice = Some(read_tool_choice(choice)?);
    }
    fields.finish_known(ObjectKind::Body, gate)?;
    Ok(request)
}

/// Rejects settings that no other API supports, unless they have their default value.
fn reject_unsupported_settings(fields: &mut Fields, gate: &mut FeatureGate<'_>) -> Result<(), ConvertError> {
    fields.reject_unless_default(&[
        ("n", |value| value == 1, Requirement::ManyAnswers),
        ("logprobs", is_falsy, Requirement::ManyAnswers),
        ("top_logprobs", is_falsy, Requirement::ManyAnswers),
        ("store", is_falsy, Requirement::StoredAnswers),
        ("metadata", is_falsy, Requirement::StoredAnswers),
        (
            "modalities",
            |value| value.as_array().is_some_and(|all| all.iter().all(|it| it == "text")),
            Requirement::AudioVideo,
        ),
        ("service_tier", |value| value == "auto" || value == "default", Requirement::Native),
    ])?;
    if fields.take_unless("logit_bias", is_falsy).is_some() {
        gate.drop_feature(Requirement::Sampling)?;
    }
    Ok(())
}

fn read_format(mut format: Fields) -> Result<Option<Format>, ConvertError> {
    let read = match format.required_text("type")?.as_str() {
        "text" => None,
        "json_object" => Some(Format::JsonObject),
        "json_schema" => {
            let described = format.object("json_schema", "the response format")?;
            let mut described = described.ok_or(format.wrong("has no schema"))?;
            let read = Format::JsonSchema {
                name: described.text("name")?,
                description: described.text("description")?,
                schema: described.take("schema").ok_or(described.wrong("has no schema"))?,
                strict: Some(described.flag("strict")?.unwrap_or(false)),
            };
            described.finish()?;
            Some(read)
        }
        _ => return Err(NATIVE),
    };
    format.finish()?;
    Ok(read)
}

fn read_tool(tool: Value, gate: &mut FeatureGate<'_>) -> Result<Tool, ConvertError> {
    let mut fields = Fields::of(tool, "a tool")?;
    let kind = fields.required_text("type")?;
    let tool = match kind.as_str() {
        "function" => {
            let function = fields.object("function", "a tool")?;
            let mut function = function.ok_or(fields.wrong("has no function"))?;
            let kind = ToolKind::Function { parameters: function.take("parameters"), strict: function.flag("strict")? };
            finish_tool(function, kind)?
        }
        "custom" => {
            gate.require(Requirement::CustomTools)?;
            let custom = fields.object("custom", "a tool")?;
            let mut custom = custom.ok_or(fields.wrong("has no description of itself"))?;
            let format = custom.object("format", "the format of a tool")?;
            let kind = ToolKind::Custom { grammar: format.map(read_grammar).transpose()?.flatten() };
            finish_tool(custom, kind)?
        }
        // An unknown kind of tool is run by its provider.
        _ => return Err(ConvertError::Requires(Requirement::ServerTools)),
    };
    fields.finish_known(ObjectKind::Tool, gate)?;
    Ok(tool)
}

fn finish_tool(mut fields: Fields, kind: ToolKind) -> Result<Tool, ConvertError> {
    let tool = Tool { name: fields.required_text("name")?, description: fields.text("description")?, kind };
    fields.finish()?;
    Ok(tool)
}

fn read_grammar(mut format: Fields) -> Result<Option<Grammar>, ConvertError> {
    let grammar = match format.required_text("type")?.as_str() {
        "text" => None,
        "grammar" => {
            let mut grammar = format.object("grammar", "a grammar")?.ok_or(format.wrong("has no grammar"))?;
            let read = Grammar {
                syntax: grammar.take("syntax").unwrap_or_default(),
                definition: grammar.take("definition").unwrap_or_default(),
            };
            grammar.finish()?;
            Some(read)
        }
        _ => return Err(NATIVE),
    };
    format.finish()?;
    Ok(grammar)
}

fn read_tool_choice(choice: Value) -> Result<ToolChoice, ConvertError> {
    if let Value::String(name) = &choice {
        return ToolChoice::of_openai(name).ok_or(NATIVE);
    }
    let mut fields = Fields::of(choice, "the tool choice")?;
    let kind = fields.required_text("type")?;
    if kind != "function" && kind != "custom" {
        return Err(NATIVE);
    }
    let mut named = fields.object(&kind, "the tool choice")?.ok_or(fields.wrong("names no tool"))?;
    let choice = ToolChoice::Named(named.required_text("name")?);
    named.finish()?;
    fields.finish()?;
    Ok(choice)
}
