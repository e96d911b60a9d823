//! The text of `print!` and `println!`, as far as the macro must understand it: rustc's own `format!` reads it in the end.

/// A string literal with its placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PrintText {
    /// The literal, with the line's end.
    pub(crate) text: String,
    /// The arguments' names, where they have one. Captured variables are arguments of their name.
    pub(crate) names: Vec<Option<String>>,
    /// The placeholders, in order.
    pub(crate) placeholders: Vec<Placeholder>,
}

/// One `{…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placeholder {
    pub(crate) argument: PlaceholderArgument,
    /// What stands last in it, and picks the trait: `x` of `{:#06x}`.
    pub(crate) format: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlaceholderArgument {
    Position(usize),
    Name(String),
}

/// The placeholders of `text`, or what is wrong with it.
pub(crate) fn parse_placeholders(text: &str) -> Result<Vec<Placeholder>, String> {
    let mut placeholders = Vec::new();
    let mut next = 0;
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let found = &rest[at..];
        if found.starts_with("{{") || found.starts_with("}}") {
            rest = &found[2..];
            continue;
        }
        let inside = found.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let Some((inside, after)) = inside.filter(|(inside, _)| !inside.contains('{')) else {
            return Err("this text has an unmatched `{` or `}`\nhelp: write `{{` or `}}` for the character itself".into());
        };
        rest = after;
        let (argument, format) = inside.split_once(':').unwrap_or((inside, ""));
        if format.contains(['$', '*']) {
            return Err(
                "a width or precision given as an argument is not supported in kernels\nhelp: write the number, such as `{:8.3}`".into()
            );
        }
        let argument = argument.trim();
        let argument = match argument.parse() {
            Ok(position) => PlaceholderArgument::Position(position),
            Err(_) if argument.is_empty() => {
                next += 1;
                PlaceholderArgument::Position(next - 1)
            }
            Err(_) => PlaceholderArgument::Name(argument.to_owned()),
        };
        placeholders.push(Placeholder { argument, format: kind(format.trim_end()) });
    }
    Ok(placeholders)
}

/// The end of a format that is not a number, a fill character or a sign.
fn kind(format: &str) -> String {
    let letters = |c: char| c.is_ascii_alphabetic() || c == '?';
    let start = format.rfind(|c| !letters(c)).map_or(0, |at| at + format[at..].chars().next().map_or(0, char::len_utf8));
    format[start..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formats(text: &str) -> Vec<(PlaceholderArgument, String)> {
        parse_placeholders(text).unwrap().into_iter().map(|placeholder| (placeholder.argument, placeholder.format)).collect()
    }

    #[test]
    fn placeholders_are_numbered_and_named() {
        use PlaceholderArgument::{Name, Position};
        assert_eq!(formats("plain {{}}"), []);
        assert_eq!(
            formats("{} {name:>8.3} {0:#06x} {:?} {:+e}"),
            [
                (Position(0), String::new()),
                (Name("name".into()), String::new()),
                (Position(0), "x".into()),
                (Position(1), "?".into()),
                (Position(2), "e".into()),
            ]
        );
    }

    #[test]
    fn what_is_no_placeholder_is_refused() {
        assert!(parse_placeholders("{").is_err() && parse_placeholders("a } b").is_err() && parse_placeholders("{ {i}").is_err());
        assert!(parse_placeholders("{:1$}").is_err() && parse_placeholders("{:.*}").is_err());
    }
}
