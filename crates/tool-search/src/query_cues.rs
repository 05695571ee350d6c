//! Cues: words for the parameters that a value in a query suggests, such as "date" for "tomorrow".

/// Calls `take` with the cues of a query, possibly more than once.
pub(crate) fn for_each_cue(query: &str, mut take: impl FnMut(&'static str)) {
    let mut before = "";
    for raw in query.split_whitespace() {
        let word = raw
            .trim_matches(|character: char| matches!(character, ',' | '.' | '?' | '!' | '"' | '\'' | ';' | ')' | '('));
        for cue in cues_of_word(before, word) {
            take(cue);
        }
        before = raw;
    }
}

fn cues_of_word(before: &str, word: &str) -> &'static [&'static str] {
    if word.contains("://") || word.starts_with("www.") {
        return &["url"];
    }
    if let Some((name, host)) = word.split_once('@') {
        return if !name.is_empty() && host.contains('.') { &["email"] } else { &[] };
    }
    if word.starts_with(['$', '€', '£']) {
        return &["amount", "price"];
    }
    if before.ends_with(',') && word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return &["city", "state", "location"];
    }
    if word.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
        return cues_of_number(word);
    }
    cues_of_name(&word.to_lowercase(), before)
}

fn cues_of_name(word: &str, before: &str) -> &'static [&'static str] {
    const DAYS: [&str; 22] = [
        "january",
        "february",
        "march",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "today",
        "tomorrow",
        "yesterday",
        "tonight",
    ];
    match word {
        "am" | "pm" | "a.m" | "p.m" if before.starts_with(|first: char| first.is_ascii_digit()) => &["time"],
        "dollar" | "dollars" | "usd" | "euro" | "euros" | "bucks" => &["amount", "price"],
        _ if DAYS.contains(&word) => &["date"],
        _ => &[],
    }
}

fn cues_of_number(word: &str) -> &'static [&'static str] {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = |separator: char| word.split(separator).filter(|part| digits(part)).count();
    let word_end = word.trim_start_matches(|first: char| first.is_ascii_digit()).to_lowercase();
    if parts('.') == 4 && word.split('.').count() == 4 {
        return &["ip", "host"];
    }
    if digits(word) {
        return if word.len() == 4 && ("1500"..="2099").contains(&word) { &["year"] } else { &[] };
    }
    if parts('-') == 3 || parts('/') == 3 || matches!(word_end.as_str(), "st" | "nd" | "rd" | "th") {
        return &["date"];
    }
    if matches!(word_end.as_str(), "am" | "pm") || parts(':') == 2 || word_end.starts_with(':') {
        return &["time"];
    }
    match word.trim_start_matches('-').split_once('.') {
        Some((whole, fraction)) if whole.len() <= 3 && fraction.len() >= 3 && digits(whole) && digits(fraction) => {
            &["latitude", "longitude"]
        }
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cues(query: &str) -> Vec<&'static str> {
        let mut cues = Vec::new();
        for_each_cue(query, |cue| cues.push(cue));
        cues
    }

    #[test]
    fn values_name_their_parameters() {
        assert_eq!(cues("on Tuesday at 5 pm"), ["date", "time"]);
        assert_eq!(cues("2026-03-11, 3rd, 10:30"), ["date", "date", "time"]);
        assert_eq!(cues("send $250 to ada@example.com"), ["amount", "price", "email"]);
        assert_eq!(cues("Oakland, CA in 1999"), ["city", "state", "location", "year"]);
        assert_eq!(cues("https://example.com 192.168.0.1 -74.00597"), ["url", "ip", "host", "latitude", "longitude"]);
        assert_eq!(cues("may 25 of 300 @ -"), Vec::<&str>::new());
    }
}
