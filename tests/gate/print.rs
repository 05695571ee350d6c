//! JSON as a person reads it: what fits on a line stands on one. And how two values differ.

use serde_json::Value;

const WIDTH: usize = 118;

/// The whole value, with a line's end.
pub fn pretty(value: &Value) -> String {
    let mut out = String::new();
    write(value, 0, 0, &mut out);
    out.push('\n');
    out
}

/// `used` is what stands before the value on its line, or behind it.
fn write(value: &Value, level: usize, used: usize, out: &mut String) {
    let flat = flat(value);
    let fits = level * 2 + used + flat.chars().count() <= WIDTH;
    match value {
        Value::Array(items) if !items.is_empty() && (level == 0 || !fits) => {
            let items = items.iter().map(|item| (String::new(), item));
            write_all(items.collect(), level, ['[', ']'], out);
        }
        Value::Object(members) if !members.is_empty() && (level == 0 || !fits) => {
            let members = members.iter().map(|(name, member)| (format!("{}: ", Value::from(name.as_str())), member));
            write_all(members.collect(), level, ['{', '}'], out);
        }
        _ => out.push_str(&flat),
    }
}

fn write_all(parts: Vec<(String, &Value)>, level: usize, [open, close]: [char; 2], out: &mut String) {
    let last = parts.len() - 1;
    out.push(open);
    out.push('\n');
    for (place, (name, part)) in parts.into_iter().enumerate() {
        out.push_str(&"  ".repeat(level + 1));
        out.push_str(&name);
        write(part, level + 1, name.chars().count() + 1, out);
        out.push_str(if place == last { "\n" } else { ",\n" });
    }
    out.push_str(&"  ".repeat(level));
    out.push(close);
}

fn flat(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(flat).collect::<Vec<_>>().join(", ")),
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, member)| format!("{}: {}", Value::from(name.as_str()), flat(member)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        scalar => scalar.to_string(),
    }
}

/// Where two values differ, one line each.
pub fn differences(expected: &Value, found: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    compare(expected, found, "", &mut lines);
    lines
}

fn compare(expected: &Value, found: &Value, at: &str, lines: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            for (name, value) in a {
                compare(value, b.get(name).unwrap_or(&Value::Null), &format!("{at}/{name}"), lines);
            }
            for (name, value) in b.iter().filter(|(name, _)| !a.contains_key(*name)) {
                lines.push(format!("{at}/{name}: not expected, found {}", flat(value)));
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for place in 0..a.len().max(b.len()) {
                match (a.get(place), b.get(place)) {
                    (Some(a), Some(b)) => compare(a, b, &format!("{at}/{place}"), lines),
                    (a, b) => lines.push(format!("{at}/{place}: expected {}, found {}", shown(a), shown(b))),
                }
            }
        }
        _ if expected == found => {}
        _ => lines.push(format!("{at}: expected {}, found {}", flat(expected), flat(found))),
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), flat)
}
