//! Compressed storage for rarely used text.

use std::sync::Arc;

use lz4_flex::block::{compress_with_dict, decompress_with_dict};

/// A text, compressed with LZ4. Decompression takes little more than a copy.
#[derive(Debug)]
pub(super) struct CompressedText {
    bytes: Box<[u8]>,
    decompressed_length: usize,
    dictionary: Arc<str>,
}

impl CompressedText {
    /// Compresses a text with another text as the dictionary. The dictionary is in memory anyway.
    pub(super) fn compress(text: &str, beside: Arc<str>) -> Self {
        Self {
            bytes: compress_with_dict(text.as_bytes(), beside.as_bytes()).into(),
            decompressed_length: text.len(),
            dictionary: beside,
        }
    }

    /// Decompresses the text. Always succeeds, since the compressed bytes are immutable.
    pub(super) fn decompress(&self) -> Option<String> {
        String::from_utf8(decompress_with_dict(&self.bytes, self.decompressed_length, self.dictionary.as_bytes()).ok()?)
            .ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn comes_back(text: String, beside: &str) -> bool {
        CompressedText::compress(&text, beside.into()).decompress() == Some(text)
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
    fn texts_longer_than_the_window_come_back() {
        let long: String = (0..40_000).map(|number| number.to_string()).collect();
        assert!(comes_back(long.clone(), "") && comes_back(long.clone(), &long) && comes_back(long.repeat(2), &long));
    }

    #[test]
    fn repetitions_compress_well() {
        let members = (0..40).map(|number| format!("\"p{number}\":{{\"minimum\":{}}},", number * 7919));
        let schema = members.collect::<Vec<_>>().concat();
        let alone = CompressedText::compress(&schema.repeat(8), "".into()).bytes.len();
        let beside = CompressedText::compress(&schema.repeat(8), schema.as_str().into()).bytes.len();
        assert!(alone * 8 < schema.len() * 8 && beside * 8 < alone, "{} {alone} {beside}", schema.len());
    }
}
