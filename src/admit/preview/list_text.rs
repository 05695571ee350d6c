//! A list in a preview: up to five items, then "and N more".

use serde_json::Value;

use super::{plain_text, truncate};

/// The number of items shown.
const MAX_ITEMS: usize = 5;
/// Longest item, in characters.
const MAX_ITEM_CHARS: usize = 80;
/// The members of an object by which people know it, the first that it has being shown.
const NAMES: [&str; 8] = ["name", "displayName", "display_name", "full_name", "title", "label", "email", "address"];

/// The items, separated by commas; `none` for an empty list. An item that is an object is shown by its name or e-mail
/// address, without either by its JSON text.
pub(super) fn list_text(items: &[Value]) -> String {
    if items.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<String> = items.iter().take(MAX_ITEMS).map(item_text).collect();
    let shown = shown.join(", ");
    match items.len().saturating_sub(MAX_ITEMS) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn item_text(item: &Value) -> String {
    let name = NAMES.iter().find_map(|name| item.get(name).and_then(Value::as_str).filter(|name| !name.is_empty()));
    truncate(&name.map_or_else(|| plain_text(item), str::to_owned), MAX_ITEM_CHARS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_are_shown_by_what_names_them() {
        let table = [
            (json!([]), "none"),
            (json!(["a@x.org"]), "a@x.org"),
            (json!(["a", 1, true, null, "***"]), "a, 1, true, null, ***"),
            (json!([1, 2, 3, 4, 5, 6]), "1, 2, 3, 4, 5 and 1 more"),
            (json!([{ "email": "a@x.org", "name": "Ada" }, { "email": "b@x.org", "name": "" }]), "Ada, b@x.org"),
            (json!([{ "id": 7 }, ["x"], { "name": 3 }]), "{\"id\":7}, [\"x\"], {\"name\":3}"),
        ];
        for (items, expected) in table {
            assert_eq!(list_text(items.as_array().unwrap()), expected, "{items}");
        }
        let long = list_text(&vec![json!("é".repeat(1000)); 50]);
        assert_eq!(long.chars().count(), 5 * (MAX_ITEM_CHARS + 1) + 4 * 2 + " and 45 more".len());
    }
}
