//! Which values are never cut where people see them: whom an act reaches, where it goes, and how much it moves. These are
//! numbers, values with a format that is such an address or time, values whose name has a word of [`WORDS`] (or that stand
//! below such a name), and texts that are plainly an address. More than needed costs space, less could hide a recipient.

/// Formats of short, exact values.
const FORMATS: [&str; 16] = [
    "email",
    "idn-email",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uuid",
    "date",
    "time",
    "date-time",
    "duration",
];

/// Words of names, in the singular.
const WORDS: [&str; 61] = [
    "to",
    "cc",
    "bcc",
    "from",
    "recipient",
    "receiver",
    "sender",
    "attendee",
    "guest",
    "invitee",
    "participant",
    "member",
    "email",
    "mail",
    "address",
    "phone",
    "mobile",
    "fax",
    "contact",
    "payee",
    "beneficiary",
    "account",
    "iban",
    "bic",
    "card",
    "wallet",
    "url",
    "uri",
    "link",
    "href",
    "domain",
    "host",
    "endpoint",
    "webhook",
    "callback",
    "path",
    "file",
    "filename",
    "folder",
    "directory",
    "dir",
    "target",
    "destination",
    "repository",
    "repo",
    "branch",
    "channel",
    "room",
    "user",
    "username",
    "owner",
    "assignee",
    "amount",
    "price",
    "total",
    "sum",
    "quantity",
    "currency",
    "number",
    "id",
    "command",
];

/// Whether values of a format are never cut.
#[must_use]
pub fn is_never_cut_format(format: &str) -> bool {
    FORMATS.contains(&format)
}

/// Whether values of this name, and those below it, are never cut: `to`, `recipientEmails`, `target_path`.
#[must_use]
pub fn is_never_cut_name(name: &str) -> bool {
    words(name).any(|word| {
        let singular = [word.strip_suffix("es"), word.strip_suffix('s')];
        singular.into_iter().flatten().chain([word.as_str()]).any(|word| WORDS.contains(&word))
            || word.strip_suffix("ies").is_some_and(|stem| WORDS.contains(&format!("{stem}y").as_str()))
    })
}

/// The words of a name in snake, kebab or camel case, in lower case.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase() || character.is_ascii_digit();
    }
    words.into_iter().filter(|word| !word.is_empty())
}

/// Whether a text is plainly an address, whatever its name: a URL or an e-mail address, without white space.
pub(super) fn is_address(text: &str) -> bool {
    (text.contains("://") || text.contains('@')) && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_recipients_amounts_and_places_are_known() {
        for name in [
            "to",
            "CC",
            "recipients",
            "recipientEmails",
            "attendee-list",
            "target_path",
            "addresses",
            "directories",
            "userID",
            "invoice_total",
        ] {
            assert!(is_never_cut_name(name), "{name}");
        }
        for name in ["body", "text", "tomorrow", "subject", "description", "note", "totally", "prompt", "", "__"] {
            assert!(!is_never_cut_name(name), "{name}");
        }
        assert!(is_address("https://example.org/x") && is_address("ada@example.org"));
        assert!(!is_address("write to ada@example.org") && !is_address("prose"));
        assert!(is_never_cut_format("email") && !is_never_cut_format("regex"));
    }
}
