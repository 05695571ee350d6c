//! Where a long text can be cut into slices that are parsed one after another, such as in turns of an event loop.

use std::fmt::Write as _;

use super::{Kind, Node, Tape};

/// The steps that build the value of a text from slices of it.
///
/// A step is a character, and for most the start and end of a slice in UTF-16 units, each with a comma:
///
/// | step | meaning |
/// |---|---|
/// | `[` and `{` | begins an array or object |
/// | `e` | some of its elements, with the commas between them |
/// | `m` | some of its members, with the commas between them |
/// | `k` | the name of the member that begins next |
/// | `]` | ends the array or object |
///
/// ```
/// use toolgate_json::{Limits, Tape, slice_steps};
///
/// let tape = Tape::parse(r#"{"a":1,"b":[10,20,30]}"#, &Limits::widest()).unwrap();
/// assert_eq!(slice_steps(&tape, 6).unwrap(), "{m1,6,k7,10,[e12,17,e18,20,]]");
/// assert_eq!(slice_steps(&tape, 100), None, "the text is one slice");
/// ```
///
/// Slices have at most `max_bytes` bytes, except for a single scalar with its name. `None` if the text is one slice.
#[must_use]
pub fn slice_steps(tape: &Tape, max_bytes: usize) -> Option<String> {
    let root = tape.root();
    if !is_divided(root, max_bytes) {
        return None;
    }
    let mut steps = StepWriter { steps: String::new(), units: UnitCounter::new(tape.text()), max_bytes };
    steps.divide(root);
    Some(steps.steps)
}

fn is_divided(node: Node<'_>, max_bytes: usize) -> bool {
    let (start, end) = node.span();
    end - start > max_bytes && !node.is_empty()
}

struct StepWriter<'t> {
    steps: String,
    units: UnitCounter<'t>,
    max_bytes: usize,
}

impl StepWriter<'_> {
    /// Recurses as deep as long values are nested, which the parser bounds.
    fn divide(&mut self, container: Node<'_>) {
        if container.kind() == Kind::Object {
            self.steps.push('{');
            let mut run = None;
            for (key, value) in container.member_nodes() {
                self.add_child('m', &mut run, Some(key), value);
            }
            self.end_run('m', &mut run);
        } else {
            self.steps.push('[');
            let mut run = None;
            for element in container.elements() {
                self.add_child('e', &mut run, None, element);
            }
            self.end_run('e', &mut run);
        }
        self.steps.push(']');
    }

    /// Adds an element, or a member with its key, to the run; or divides it.
    fn add_child(&mut self, step: char, run: &mut Option<(usize, usize)>, key: Option<Node<'_>>, value: Node<'_>) {
        let (start, end) = (key.unwrap_or(value).span().0, value.span().1);
        if is_divided(value, self.max_bytes) {
            self.end_run(step, run);
            if let Some(key) = key {
                self.write('k', key.span());
            }
            return self.divide(value);
        }
        if run.is_some_and(|(run_start, _)| end - run_start > self.max_bytes) {
            self.end_run(step, run);
        }
        *run = Some((run.map_or(start, |(run_start, _)| run_start), end));
    }

    fn end_run(&mut self, step: char, run: &mut Option<(usize, usize)>) {
        if let Some(span) = run.take() {
            self.write(step, span);
        }
    }

    fn write(&mut self, step: char, (start, end): (usize, usize)) {
        let start = self.units.up_to(start);
        let end = self.units.up_to(end);
        // Writing into a String cannot fail.
        let _ = write!(self.steps, "{step}{start},{end},");
    }
}

/// Converts increasing byte offsets to UTF-16 units.
struct UnitCounter<'t> {
    text: &'t str,
    bytes: usize,
    units: usize,
    is_ascii: bool,
}

impl<'t> UnitCounter<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, bytes: 0, units: 0, is_ascii: text.is_ascii() }
    }

    fn up_to(&mut self, offset: usize) -> usize {
        if self.is_ascii {
            return offset;
        }
        let between = self.text.as_bytes().get(self.bytes..offset).unwrap_or_default();
        // A character begins with a byte that continues none; one of four bytes is a surrogate pair.
        let units = |byte: &u8| usize::from(byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0);
        self.units += between.iter().map(units).sum::<usize>();
        self.bytes = offset;
        self.units
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    fn steps(text: &str, max_bytes: usize) -> Option<String> {
        slice_steps(&Tape::parse(text, &Limits::widest()).unwrap(), max_bytes)
    }

    #[test]
    fn runs_are_cut_between_children() {
        assert_eq!(steps("[1, 22 ,333,4]", 3).as_deref(), Some("[e1,2,e4,6,e8,11,e12,13,]"));
        assert_eq!(steps("[1, 22 ,333,4]", 5).as_deref(), Some("[e1,6,e8,13,]"));
        assert_eq!(
            steps(r#"{"a":{"b":["long enough",[]]},"c":0}"#, 14).as_deref(),
            Some("{k1,4,{k6,9,[e11,24,e25,27,]]m30,35,]")
        );
    }

    #[test]
    fn scalars_and_empty_containers_are_whole() {
        assert_eq!(steps("\"a long string\"", 2), None);
        assert_eq!(steps("[      ]", 2), None);
        assert_eq!(steps(r#"[ { } ,"abcdef"]"#, 2).as_deref(), Some("[e2,5,e7,15,]"));
    }

    #[test]
    fn offsets_are_in_utf_16_units() {
        // é: two bytes, one unit; 😀: four bytes, two units; 記: three bytes, one unit.
        assert_eq!(steps(r#"["é","😀","記",1]"#, 6).as_deref(), Some("[e1,4,e5,9,e10,13,e14,15,]"));
    }
}
