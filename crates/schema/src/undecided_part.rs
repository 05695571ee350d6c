//! The part of a value that the fast path left undetermined: the value without array elements that are certainly valid.
//!
//! The errors of the part are those of the value, at other places. Of a long list with one wrong element, only that
//! element is validated again.

use std::borrow::Cow;

use toolgate_json::{Edit, Node, Tape, pointer};

/// An array in which only some elements are undetermined, and to which only its own schema applies.
#[derive(Debug)]
pub(super) struct UndecidedArray<'t> {
    pub(super) array: Node<'t>,
    /// The indexes of the elements that are not certainly valid as received, in order.
    pub(super) kept: Vec<usize>,
    /// The smallest number of elements that the schema allows.
    pub(super) min_items: u64,
}

/// The undetermined part of a value.
#[derive(Debug)]
pub(super) struct UndecidedPart {
    pub(super) tape: Tape,
    pub(super) places: ElementPlaces,
}

/// Maps element positions in the part to positions in the whole value.
#[derive(Debug, Default)]
pub(super) struct ElementPlaces {
    /// JSON Pointer of each shortened array, and the indexes of its elements in the whole array.
    arrays: Vec<(String, Vec<usize>)>,
}

impl ElementPlaces {
    /// The places of a value that is whole.
    pub(super) const WHOLE: Self = Self { arrays: Vec::new() };

    /// Converts a JSON Pointer into the part to one into the whole value.
    pub(super) fn in_whole_value<'p>(&self, path: &'p str) -> Cow<'p, str> {
        let converted = self.arrays.iter().find_map(|(array, indexes)| {
            let below = path.strip_prefix(array.as_str())?.strip_prefix('/')?;
            let token = below.split('/').next().unwrap_or_default();
            let index = indexes.get(pointer::parse_index(token)?)?;
            Some(format!("{array}/{index}{}", below.get(token.len()..).unwrap_or_default()))
        });
        converted.map_or(Cow::Borrowed(path), Cow::Owned)
    }
}

impl UndecidedPart {
    /// Cuts the certainly valid elements out of the value. `None` if less than half of the text goes: validating the
    /// part, and the value after it if need be, would take longer than validating the value.
    pub(super) fn cut(tape: &Tape, arrays: Vec<UndecidedArray<'_>>) -> Option<Self> {
        let mut edits = Vec::new();
        let mut places = ElementPlaces::default();
        for mut undecided in arrays {
            undecided.keep_min_items();
            undecided.push_removals(&mut edits);
            places.arrays.push((pointer_to(tape, undecided.array)?, undecided.kept));
        }
        let part = tape.edited(edits)?;
        (part.text().len() <= tape.text().len() / 2).then_some(Self { tape: part, places })
    }
}

impl UndecidedArray<'_> {
    /// Keeps some valid elements if there would be too few: their absence would be an error.
    fn keep_min_items(&mut self) {
        let needed = usize::try_from(self.min_items).unwrap_or(usize::MAX).min(self.array.len());
        let missing = needed.saturating_sub(self.kept.len());
        if missing > 0 {
            let others = (0..self.array.len()).filter(|index| self.kept.binary_search(index).is_err());
            let added: Vec<usize> = others.take(missing).collect();
            self.kept.extend(added);
            self.kept.sort_unstable();
        }
    }

    /// Removes the other elements with their commas.
    fn push_removals(&self, edits: &mut Vec<Edit>) {
        let mut kept = self.kept.iter().copied().peekable();
        let first = self.array.elements().next().map_or(0, |element| element.span().0);
        let mut end_of_kept = None;
        let mut end_of_removed = None;
        for (index, element) in self.array.elements().enumerate() {
            let (start, end) = element.span();
            if kept.next_if_eq(&index).is_none() {
                end_of_removed = Some(end);
                continue;
            }
            match (end_of_kept, end_of_removed.take()) {
                (Some(from), Some(to)) => edits.push(Edit::remove(from, to)),
                (None, Some(_)) => edits.push(Edit::remove(first, start)),
                (_, None) => {}
            }
            end_of_kept = Some(end);
        }
        if let Some(to) = end_of_removed {
            edits.push(Edit::remove(end_of_kept.unwrap_or(first), to));
        }
    }
}

/// The JSON Pointer of a value inside objects only.
fn pointer_to(tape: &Tape, sought: Node<'_>) -> Option<String> {
    let mut path = String::new();
    let mut node = tape.root();
    while node.index() != sought.index() {
        let (key, value) = node.member_nodes().find(|(_, value)| value.end_index() > sought.index())?;
        pointer::push(&mut path, &key.as_str()?);
        node = value;
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate_json::Limits;

    fn cut(text: &str, kept: &[(&str, &[usize], u64)]) -> Option<UndecidedPart> {
        let tape = Tape::parse(text, &Limits::widest()).unwrap();
        let undecided = |(path, kept, min_items): &(&str, &[usize], u64)| UndecidedArray {
            array: tape.root().at(path).unwrap(),
            kept: kept.to_vec(),
            min_items: *min_items,
        };
        UndecidedPart::cut(&tape, kept.iter().map(undecided).collect())
    }

    #[test]
    fn keeps_the_undetermined_elements_and_their_places() {
        let text = r#"{"a~":{"b":[ 0 , 1 , [2] ,3, 4,5,6,7,8,9,10,11,12]},"c":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]}"#;
        let part = cut(text, &[("/a~0/b", &[2, 3, 12], 0), ("/c", &[], 2)]).unwrap();
        assert_eq!(part.tape.text(), r#"{"a~":{"b":[ [2] ,3,12]},"c":[1,2]}"#);
        let path = |path| part.places.in_whole_value(path).into_owned();
        assert_eq!(path("/a~0/b/0/0"), "/a~0/b/2/0");
        assert_eq!(
            (path("/a~0/b/2"), path("/c/1"), path("/c"), path("")),
            ("/a~0/b/12".to_owned(), "/c/1".to_owned(), "/c".to_owned(), String::new())
        );
        let all = cut("[10,20,30,40,50]", &[("", &[], 0)]).unwrap();
        assert_eq!(all.tape.text(), "[]");
        let last = cut("[ 10,20,30,40,50 ]", &[("", &[4], 0)]).unwrap();
        assert_eq!((last.tape.text(), &*last.places.in_whole_value("/0/x")), ("[ 50 ]", "/4/x"));
    }

    #[test]
    fn a_part_is_at_most_half_of_the_value() {
        assert!(cut("[10,20,30]", &[("", &[0, 1], 0)]).is_none());
        assert!(cut("[10,20,30]", &[("", &[], 9)]).is_none());
    }
}
