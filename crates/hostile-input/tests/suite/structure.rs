//! Mutations of the JSON in an input: values are replaced, removed, duplicated and exchanged, and lines are moved. They
//! reach code behind the syntax, where mutated bytes are mostly invalid JSON.

use fastrand::Rng;
use serde_json::{Value, json};

/// The prefix of the data of a server-sent event.
const DATA: &str = "data: ";

/// Returns a copy of an input in which one to three values or lines are changed: the lines that are JSON, also after one
/// byte in front or as the data of a server-sent event. `None` if there is no such line.
pub(crate) fn mutate_structure(input: &[u8], random: &mut Rng) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(input).ok()?;
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for _ in 0..random.usize(1..=3) {
        let parsed: Vec<_> = lines.iter().enumerate().filter_map(|(index, line)| Some((index, parse(line)?))).collect();
        let (index, (prefix, mut value)) = parsed.get(random.usize(..parsed.len().max(1)))?.clone();
        match random.u8(..10) {
            0 if 1 < parsed.len() => drop(lines.remove(index)),
            1 if 1 < parsed.len() => lines.insert(index, lines[index].clone()),
            2 if 1 < parsed.len() => {
                let other = parsed[random.usize(..parsed.len())].0;
                lines.swap(index, other);
            }
            _ => {
                change(&mut value, random);
                lines[index] = format!("{prefix}{value}");
            }
        }
    }
    Some(lines.join("\n").into_bytes())
}

/// Splits a line into its prefix and its JSON object or list.
fn parse(line: &str) -> Option<(String, Value)> {
    let start = line.find(['{', '['])?;
    let (prefix, json) = line.split_at(start);
    (prefix.len() <= DATA.len()).then_some(())?;
    Some((prefix.to_owned(), serde_json::from_str(json).ok()?))
}

/// Changes one value in a JSON tree.
fn change(root: &mut Value, random: &mut Rng) {
    let mut paths = Vec::new();
    collect(root, &mut Vec::new(), &mut paths);
    let path = paths[random.usize(..paths.len())].clone();
    let other = paths[random.usize(..paths.len())].clone();
    let other = at(root, &other).clone();
    let target = at(root, &path);
    match random.u8(..8) {
        0 => *target = other,
        1 => *target = Value::Null,
        2 | 3 => match target {
            Value::Object(members) if !members.is_empty() => {
                let name = members.keys().nth(random.usize(..members.len())).unwrap().clone();
                let removed = members.shift_remove(&name).unwrap();
                if random.bool() {
                    members.insert(["type", "name", "id", "index", "unknown"][random.usize(..5)].to_owned(), removed);
                }
            }
            Value::Array(elements) if !elements.is_empty() => {
                let index = random.usize(..elements.len());
                if random.bool() {
                    elements.remove(index);
                } else {
                    elements.insert(index, other);
                }
            }
            target => *target = odd(random),
        },
        4 => {
            if let Value::String(text) = target {
                text.push_str(
                    ["\n\ndata: x\n\n", "\u{0}\u{1b}[2J", "é\u{2028}\u{1F600}", "\\\"", "{\"a\":"][random.usize(..5)],
                );
            } else {
                *target = odd(random);
            }
        }
        _ => *target = odd(random),
    }
}

/// Returns a value that is unusual in its place.
fn odd(random: &mut Rng) -> Value {
    match random.u8(..14) {
        0 => json!(0),
        1 => json!(-1),
        2 => json!(u64::MAX),
        3 => json!(1e308),
        4 => json!(0.5),
        5 => json!(""),
        6 => json!("a".repeat(random.usize(1..3_000))),
        7 => json!([]),
        8 => json!({}),
        9 => json!(true),
        10 => json!([[{}]]),
        11 => json!({"type": "text", "text": "x"}),
        12 => (0..random.u32(2..90)).fold(json!({}), |inner, _| json!([inner])),
        _ => json!("tool_use"),
    }
}

/// Adds the path of a value and of all values in it.
fn collect(value: &Value, path: &mut Vec<usize>, paths: &mut Vec<Vec<usize>>) {
    paths.push(path.clone());
    let inner: Vec<&Value> = match value {
        Value::Object(members) => members.values().collect(),
        Value::Array(elements) => elements.iter().collect(),
        _ => Vec::new(),
    };
    for (index, value) in inner.into_iter().enumerate() {
        path.push(index);
        collect(value, path, paths);
        path.pop();
    }
}

/// Returns the value at a path.
fn at<'a>(value: &'a mut Value, path: &[usize]) -> &'a mut Value {
    let [first, rest @ ..] = path else { return value };
    let inner = match value {
        Value::Object(members) => members.values_mut().nth(*first),
        Value::Array(elements) => elements.get_mut(*first),
        _ => None,
    };
    at(inner.unwrap(), rest)
}
