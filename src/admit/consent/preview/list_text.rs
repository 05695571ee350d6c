//! A list in a preview: up to five items, then "and N more"; all items if they must not be cut.

use serde_json::Value;

use super::{plain_text, truncate};

/// The number of items shown.
const MAX_ITEMS: usize = 5;
/// Longest item, in characters.
const MAX_ITEM_CHARS: usize = 80;
/// The members of an object by which people know it, the first that it has being shown.
const NAMES: [&str; 8] = ["name", "displayName", "display_name", "full_name", "title", "label", "email", "address"];

/// The members of an object that say where something goes, the first that it has being shown behind its name.
const ADDRESSES: [&str; 4] = ["email", "address", "phone", "url"];

/// The items, separated by commas; `none` for an empty list. An item that is an object is shown by its name and address,
/// without either by its JSON text.
pub(super) fn list_text(items: &[Value], is_never_cut: bool) -> String {
    if items.is_empty() {
        return "none".to_owned();
    }
    let (max_items, max_chars) = if is_never_cut { (usize::MAX, usize::MAX) } else { (MAX_ITEMS, MAX_ITEM_CHARS) };
    let shown: Vec<String> = items.iter().take(max_items).map(|item| truncate(&item_text(item), max_chars)).collect();
    let shown = shown.join(", ");
    match items.len().saturating_sub(max_items) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn item_text(item: &Value) -> String {
    let first_of =
        |names: &[&str]| names.iter().find_map(|name| item.get(name)?.as_str().filter(|text| !text.is_empty()));
    match (first_of(&NAMES), first_of(&ADDRESSES)) {
        (Some(name), Some(address)) if name != address => format!("{name} <{address}>"),
        (Some(name), _) => name.to_owned(),
        (None, _) => plain_text(item),
    }
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
            (
                json!([{ "email": "a@x.org", "name": "Ada" }, { "email": "b@x.org", "name": "" }]),
                "Ada <a@x.org>, b@x.org",
            ),
            (json!([{ "id": 7 }, ["x"], { "name": 3 }]), "{\"id\":7}, [\"x\"], {\"name\":3}"),
        ];
        for (items, expected) in table {
            assert_eq!(list_text(items.as_array().unwrap(), false), expected, "{items}");
        }
        let long = list_text(&vec![json!("é".repeat(1000)); 50], false);
        assert_eq!(long.chars().count(), 5 * (MAX_ITEM_CHARS + 1) + 4 * 2 + " and 45 more".len());
        let whole = list_text(&vec![json!("é".repeat(1000)); 50], true);
        assert_eq!(whole.chars().count(), 50 * 1000 + 49 * 2);
    }
}
