//! Descriptions of the formats, for messages.

/// A description of a format, with an example.
pub(super) fn describe_format(format: &str) -> String {
    let (what, example) = match format {
        "email" => ("an e-mail address", "ann@example.com"),
        "date-time" => ("a date and time with zone (RFC 3339)", "2026-03-01T09:30:00Z"),
        "date" => ("a date", "2026-03-01"),
        "time" => ("a time with zone (RFC 3339)", "09:30:00Z"),
        "duration" => ("an ISO 8601 duration", "PT1H30M"),
        "uri" => ("an absolute URI", "https://example.com/a"),
        "uri-reference" => ("a URI or relative reference", "/a?b=c"),
        "uuid" => ("a UUID", "123e4567-e89b-12d3-a456-426614174000"),
        "ipv4" => ("an IPv4 address", "192.0.2.1"),
        "ipv6" => ("an IPv6 address", "2001:db8::1"),
        "hostname" => ("a host name", "www.example.com"),
        "regex" => ("an ECMAScript regular expression", "^a+$"),
        "json-pointer" => ("a JSON Pointer", "/a/0"),
        other => return format!("in the format `{other}`"),
    };
    format!("{what} such as `{example}`")
}
