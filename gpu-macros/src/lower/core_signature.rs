//! NumPy's signatures of generalized functions: `(m,n),(n)->(m)`.
//!
//! ```text
//! signature = operands "->" operands
//! operands  = operand { "," operand }
//! operand   = "(" [ dimension { "," dimension } ] ")"
//! dimension = name | extent
//! ```

use crate::model::{CoreAxes, CoreDimension, CoreSignature};
use std::iter::Peekable;
use std::str::CharIndices;

/// The maximum number of axes of an array, and of a core array.
const MOST_AXES: usize = 7;

/// The maximum number of outputs of a function.
const MOST_OUTPUTS: usize = 4;

/// Parses `text`; the error is the message.
pub(super) fn parse_core_signature(text: &str) -> Result<CoreSignature, String> {
    if text.trim().is_empty() {
        return Err(
            "the signature is empty\nhelp: write the core axes of each input and output, such as `(m,n),(n)->(m)`, or `()` for a single element"
                .to_owned(),
        );
    }
    let mut parser = Parser { text, rest: text.char_indices().peekable(), dimensions: Vec::new() };
    if parser.peek() == Some('-') {
        return Err("the signature has no inputs, which determine the number of calls\nhelp: write an input before `->`, such as `()->(4)` with a parameter `i: usize`, and pass `iota(n)`".to_owned());
    }
    let inputs = parser.operands()?;
    parser.arrow()?;
    if parser.peek().is_none() {
        return Err(
            "the signature has no outputs\nhelp: write the core axes of each result after `->`, `()` for a single element".to_owned()
        );
    }
    let of_inputs = parser.dimensions.len();
    let outputs = parser.operands()?;
    if parser.peek().is_some() {
        return Err(parser.expected("`,` or the end"));
    }
    let signature = CoreSignature { text: text.to_owned(), dimensions: parser.dimensions, inputs, outputs };
    check_limits(&signature, of_inputs)?;
    Ok(signature)
}

/// Checks signatures that are grammatical but have no meaning, or are too large. The inputs have the first `of_inputs` dimensions.
fn check_limits(signature: &CoreSignature, of_inputs: usize) -> Result<(), String> {
    if let Some(unknown) = signature.dimensions[of_inputs..].iter().find(|dimension| dimension.extent.is_none()) {
        let name = &unknown.name;
        return Err(format!(
            "no input determines the extent of `{name}`\nhelp: use a dimension of an input, or a number; or add an input that has `{name}`"
        ));
    }
    if let Some(axes) = signature.inputs.iter().chain(&signature.outputs).find(|axes| axes.len() > MOST_AXES) {
        return Err(format!(
            "`{}` has {} axes, but an array has at most {MOST_AXES}\nhelp: merge axes that are contiguous in memory",
            signature.axes_text(axes),
            axes.len()
        ));
    }
    if signature.outputs.len() > MOST_OUTPUTS {
        return Err(format!(
            "the signature has {} outputs, but a function has at most {MOST_OUTPUTS}\nhelp: merge outputs of one type into one output with another axis, such as `(3)`",
            signature.outputs.len()
        ));
    }
    Ok(())
}

struct Parser<'t> {
    text: &'t str,
    rest: Peekable<CharIndices<'t>>,
    dimensions: Vec<CoreDimension>,
}

impl Parser<'_> {
    /// The next character that is not a space.
    fn peek(&mut self) -> Option<char> {
        while self.rest.next_if(|(_, character)| character.is_whitespace()).is_some() {}
        self.rest.peek().map(|&(_, character)| character)
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.rest.next();
        }
        is_there
    }

    /// The error for an unexpected character at this place.
    fn expected(&mut self, what: &str) -> String {
        self.peek();
        let (before, at) = match self.rest.peek() {
            Some(&(place, _)) => self.text.split_at(place),
            None => (self.text, ""),
        };
        let before = before.trim_end();
        let place = if before.is_empty() { "at the start".to_owned() } else { format!("after `{before}`") };
        let found = at.chars().next().map_or("the end".to_owned(), |character| format!("`{character}`"));
        format!("expected {what} {place}, found {found}\nhelp: a signature is written like `(m,n),(n)->(m)`")
    }

    fn operands(&mut self) -> Result<Vec<CoreAxes>, String> {
        let mut operands = vec![self.operand()?];
        while self.take(',') {
            operands.push(self.operand()?);
        }
        Ok(operands)
    }

    fn operand(&mut self) -> Result<CoreAxes, String> {
        if !self.take('(') {
            return Err(self.expected("`(`"));
        }
        let mut axes = Vec::new();
        if self.take(')') {
            return Ok(axes);
        }
        loop {
            axes.push(self.dimension(axes.is_empty())?);
            if self.take(')') {
                return Ok(axes);
            }
            if self.peek() == Some('?') {
                return Err(
                    "optional dimensions (`?`) are not supported\nhelp: write one function with the dimension and one without".to_owned()
                );
            }
            if !self.take(',') {
                return Err(self.expected("`,` or `)`"));
            }
        }
    }

    fn dimension(&mut self, may_end: bool) -> Result<usize, String> {
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        if !self.peek().is_some_and(is_part) {
            return Err(self.expected(if may_end {
                "the name or extent of a dimension, or `)`"
            } else {
                "the name or extent of a dimension"
            }));
        }
        let mut word = String::new();
        while let Some((_, character)) = self.rest.next_if(|&(_, character)| is_part(character)) {
            word.push(character);
        }
        let dimension =
            if word.starts_with(|first: char| first.is_numeric()) { fixed(&word)? } else { CoreDimension { name: word, extent: None } };
        let known = self.dimensions.iter().position(|known| *known == dimension);
        Ok(known.unwrap_or_else(|| {
            self.dimensions.push(dimension);
            self.dimensions.len() - 1
        }))
    }

    fn arrow(&mut self) -> Result<(), String> {
        if self.take('-') && self.rest.next_if(|&(_, character)| character == '>').is_some() {
            return Ok(());
        }
        Err(self.expected("`,` or `->`"))
    }
}

/// A dimension of fixed extent.
fn fixed(word: &str) -> Result<CoreDimension, String> {
    match word.parse::<usize>() {
        Ok(0) => Err("a dimension cannot be fixed at 0\nhelp: give it a name, if it may be empty".to_owned()),
        Ok(extent) => Ok(CoreDimension { name: extent.to_string(), extent: Some(extent) }),
        Err(_) => Err(format!("`{word}` is neither the name nor the extent of a dimension\nhelp: names begin with a letter")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<CoreSignature, String> {
        parse_core_signature(text)
    }

    fn refusal(text: &str) -> String {
        parse(text).expect_err("the signature is refused").lines().next().unwrap_or_default().to_owned()
    }

    #[test]
    fn dimensions_are_numbered_in_the_order_in_which_they_occur() {
        let signature = parse(" ( n , m ),(m,3) , ()->(3,n),() ").unwrap();
        let names: Vec<_> = signature.dimensions.iter().map(|dimension| (dimension.name.as_str(), dimension.extent)).collect();
        assert_eq!(names, [("n", None), ("m", None), ("3", Some(3))]);
        assert_eq!(signature.inputs, [vec![0, 1], vec![1, 2], vec![]]);
        assert_eq!(signature.outputs, [vec![2, 0], vec![]]);
        assert_eq!((signature.returned(), signature.operand_params().count()), (1, 4));
        assert_eq!((signature.dimension("m"), signature.dimension("3")), (Some(1), None));
    }

    #[test]
    fn extents_are_compared_as_numbers() {
        assert_eq!(parse("(3),(03)->()").unwrap().inputs, [vec![0], vec![0]]);
    }

    #[test]
    fn the_place_of_a_mistake_is_said() {
        assert_eq!(refusal("m,n->()"), "expected `(` at the start, found `m`");
        assert_eq!(refusal("(m n)->()"), "expected `,` or `)` after `(m`, found `n`");
        assert_eq!(refusal("(m,)->()"), "expected the name or extent of a dimension after `(m,`, found `)`");
        assert_eq!(refusal("(,)->()"), "expected the name or extent of a dimension, or `)` after `(`, found `,`");
        assert_eq!(refusal("(n),->()"), "expected `(` after `(n),`, found `-`");
        assert_eq!(refusal("(n)(n)->()"), "expected `,` or `->` after `(n)`, found `(`");
        assert_eq!(refusal("(n)"), "expected `,` or `->` after `(n)`, found the end");
        assert_eq!(refusal("(n) - > ()"), "expected `,` or `->` after `(n) -`, found `>`");
        assert_eq!(refusal("(n)->(n"), "expected `,` or `)` after `(n)->(n`, found the end");
        assert_eq!(refusal("(n)->(n)->(n)"), "expected `,` or the end after `(n)->(n)`, found `-`");
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        assert_eq!(refusal("  "), "the signature is empty");
        assert_eq!(refusal("->(n)"), "the signature has no inputs, which determine the number of calls");
        assert_eq!(refusal("(n)->"), "the signature has no outputs");
        assert_eq!(refusal("(n)->(m)"), "no input determines the extent of `m`");
        assert_eq!(refusal("(0)->()"), "a dimension cannot be fixed at 0");
        assert_eq!(refusal("(3d)->()"), "`3d` is neither the name nor the extent of a dimension");
        assert_eq!(refusal("(99999999999999999999)->()"), "`99999999999999999999` is neither the name nor the extent of a dimension");
        assert_eq!(refusal("(a,b,c,d,e,f,g,h)->()"), "`(a,b,c,d,e,f,g,h)` has 8 axes, but an array has at most 7");
        assert_eq!(refusal("()->(),(),(),(),()"), "the signature has 5 outputs, but a function has at most 4");
        assert!(refusal("(n?)->()").contains("`?`"));
    }

    #[test]
    fn an_output_may_have_an_extent_of_its_own() {
        assert_eq!(parse("(n)->(4)").unwrap().outputs, [vec![1]]);
    }
}
