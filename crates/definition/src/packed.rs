//! Text that is seldom asked for, kept in a fraction of its room.

use std::sync::Arc;

use lz4_flex::block::{compress_with_dict, decompress_with_dict};

/// A text, compressed. Getting it back takes little more than copying it.
#[derive(Debug)]
pub(super) struct Packed {
    bytes: Box<[u8]>,
    length: usize,
    beside: Arc<str>,
}

impl Packed {
    /// Packs a text that repeats what stands in another one, which is kept in any case.
    pub(super) fn of(text: &str, beside: Arc<str>) -> Self {
        Self { bytes: compress_with_dict(text.as_bytes(), beside.as_bytes()).into(), length: text.len(), beside }
    }

    /// The text; always there, for nobody changes what was packed.
    pub(super) fn text(&self) -> Option<String> {
        String::from_utf8(decompress_with_dict(&self.bytes, self.length, self.beside.as_bytes()).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn comes_back(text: String, beside: &str) -> bool {
        Packed::of(&text, beside.into()).text() == Some(text)
    }

    proptest! {
        #[test]
        fn every_text_comes_back(one in any::<String>(), other in any::<String>(), times in 0..40_usize) {
            let text = format!("{one}{other}").repeat(times);
            prop_assert!(comes_back(text.clone(), ""));
            prop_assert!(comes_back(text.clone(), &one));
            prop_assert!(comes_back(one, &text));
        }
    }

    #[test]
    fn texts_longer_than_what_is_looked_back_at_come_back() {
        let long: String = (0..40_000).map(|number| number.to_string()).collect();
        assert!(comes_back(long.clone(), "") && comes_back(long.clone(), &long) && comes_back(long.repeat(2), &long));
    }

    #[test]
    fn what_is_said_again_takes_little_room() {
        let members = (0..40).map(|number| format!("\"p{number}\":{{\"minimum\":{}}},", number * 7919));
        let schema = members.collect::<Vec<_>>().concat();
        let alone = Packed::of(&schema.repeat(8), "".into()).bytes.len();
        let beside = Packed::of(&schema.repeat(8), schema.as_str().into()).bytes.len();
        assert!(alone * 8 < schema.len() * 8 && beside * 8 < alone, "{} {alone} {beside}", schema.len());
    }
}
