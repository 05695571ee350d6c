//! Canonical numbers along the published sequence of doubles, by the published digests of its first lines.
//!
//! Source: `testdata/README.md` of <https://github.com/cyberphone/json-canonicalization>, the reference of RFC 8785. The
//! sequence is a table, then 2000 doubles from the smallest normal one on, then whatever SHA-256 gives, hashed over and over
//! from 32 zero bytes, without zeros, infinities and NaN.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use toolgate::json::write_number;

/// The table that the sequence begins with: the bits of a double in a line.
const FIRST: &str = include_str!("fixtures/rfc8785/first-doubles.txt");

/// The SHA-256 of so many lines `bits,number`, bits in hexadecimal.
const PUBLISHED: [(usize, &str); 4] = [
    (1_000, "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687"),
    (10_000, "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892"),
    (100_000, "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7"),
    (1_000_000, "49415fee2c56c77864931bd3624faad425c3c577d6d74e89a83bc725506dad16"),
];

fn sequence() -> impl Iterator<Item = f64> {
    const SMALLEST_NORMAL: u64 = 0x0010_0000_0000_0000;
    let first = FIRST.lines().map(|bits| u64::from_str_radix(bits, 16).unwrap());
    let serial = (0..2000).map(|step| SMALLEST_NORMAL + step);
    let blocks = std::iter::successors(Some([0_u8; 32]), |block| Some(Sha256::digest(block).into())).skip(1);
    let hashed = blocks.flat_map(|block| {
        let (doubles, _) = block.as_chunks::<8>();
        doubles.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect::<Vec<_>>()
    });
    first.chain(serial).map(f64::from_bits).chain(hashed.filter(|double| *double != 0.0 && double.is_finite()))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

#[test]
fn the_published_sequence_is_written_as_published() {
    let mut digest = Sha256::new();
    let mut line = String::new();
    let mut published = PUBLISHED.into_iter().peekable();
    for (double, count) in sequence().zip(1..) {
        line.clear();
        write!(line, "{:x},", double.to_bits()).unwrap();
        write_number(&mut line, double);
        line.push('\n');
        digest.update(&line);
        if let Some((_, expected)) = published.next_if(|(lines, _)| *lines == count) {
            assert_eq!(hex(&digest.clone().finalize()), expected, "the first {count} lines");
            if published.peek().is_none() {
                return;
            }
        }
    }
}
