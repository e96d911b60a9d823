//! rustc's messages, as text that is the same on every machine, and stays the same when other mistakes are put before one.

use std::path::Path;

/// An error or a warning.
pub(crate) struct Message {
    /// With file names that do not depend on the machine, and `LL` in place of the numbers of lines.
    pub(crate) text: String,
    /// The line of the program that it is about. `None` if it is about another file.
    pub(crate) line: Option<usize>,
}

/// What follows the messages: how many there were.
const SUMMARIES: &[&str] = &["error: aborting due to", "Some errors have detailed explanations", "For more information about"];

/// The messages in what rustc prints about `program`.
pub(crate) fn read(output: &str, program: &Path) -> Vec<Message> {
    let paragraphs = output.split("\n\n").map(|paragraph| paragraph.trim_matches('\n'));
    let messages = paragraphs.filter(|text| !text.is_empty() && !SUMMARIES.iter().any(|summary| text.starts_with(summary)));
    messages.map(|text| Message { text: normalize(text, program), line: line_of(text, program) }).collect()
}

/// A line of a message that says where something is: `  --> src/main.rs:12:8`.
struct Location<'a> {
    /// `-->` or `:::`.
    arrow: &'a str,
    /// How far it is indented, which is by the digits of the largest number of a line in this message.
    indent: usize,
    path: &'a str,
    line: usize,
}

impl<'a> Location<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let trimmed = line.trim_start();
        let (arrow, place) = trimmed.split_once(' ').filter(|(arrow, _)| ["-->", ":::"].contains(arrow))?;
        let mut parts = place.rsplitn(3, ':').skip(1);
        let (number, path) = (parts.next()?, parts.next()?);
        Some(Self { arrow, indent: line.len() - trimmed.len(), path, line: number.parse().ok()? })
    }
}

fn line_of(message: &str, program: &Path) -> Option<usize> {
    let location = message.lines().find_map(Location::read)?;
    (Path::new(location.path) == program).then_some(location.line)
}

/// The name of a quoted file that is the same on every machine, and whether the quote is. std and dependencies have another text in
/// another version, or are not there; paths in the workspace are relative.
fn name_of(path: &str, program: &Path) -> (String, bool) {
    let path = Path::new(path);
    match path.file_name() {
        Some(name) if path == program => (name.display().to_string(), true),
        _ if path.is_relative() => (path.display().to_string(), true),
        _ => (without_version(&path.display().to_string()), false),
    }
}

/// `/there/library/core/src/option.rs` as `core/src/option.rs`, and `/there/half-2.7.1/src/binary16.rs` as `half/src/binary16.rs`.
fn without_version(path: &str) -> String {
    let (folder, file) = path.rsplit_once("/src/").unwrap_or(("", path));
    let package = folder.rsplit('/').next().unwrap_or(folder);
    let name = package.rsplit_once('-').filter(|(_, version)| version.starts_with(|c: char| c.is_ascii_digit()));
    format!("{}/src/{file}", name.map_or(package, |(name, _)| name))
}

/// What the lines of a message depend on, as they are read one after the other.
struct Normalizer<'a> {
    program: &'a Path,
    /// How far quotes are indented, once there was one.
    indent: Option<usize>,
    /// Whether the file that was named last may be quoted.
    is_quoted: bool,
    /// Whether the last line belongs to a `= note:` below a quote.
    is_note: bool,
    /// Whether a note that comes next is the label of a place in a file that may not be quoted. Where that file is there, the label is in a
    /// quote instead.
    is_label: bool,
}

fn normalize(message: &str, program: &Path) -> String {
    let mut normalizer = Normalizer { program, indent: None, is_quoted: true, is_note: false, is_label: false };
    let lines: Vec<String> = message.lines().filter_map(|line| normalizer.line(line)).collect();
    lines.join("\n")
}

impl Normalizer<'_> {
    /// The line with the indentation of two digits. `None` for one that is left out.
    fn line(&mut self, line: &str) -> Option<String> {
        if let Some(Location { arrow, indent, path, .. }) = Location::read(line) {
            let (name, is_quoted) = name_of(path, self.program);
            (self.indent, self.is_quoted, self.is_note) = (Some(indent), is_quoted, false);
            self.is_label = !is_quoted;
            return (is_quoted || arrow == "-->").then(|| format!("  {arrow} {name}"));
        }
        if line.starts_with("...") {
            return self.is_quoted.then(|| line.to_owned());
        }
        if let Some((number, rest)) = self.margin(line) {
            self.is_note = rest.starts_with(" =");
            self.is_label &= number.is_empty();
            let number = if number.is_empty() { "  " } else { "LL" };
            let is_label = self.is_note && std::mem::take(&mut self.is_label) && rest.starts_with(" = note");
            let is_kept = if self.is_note { !is_label && !is_about_a_long_type(rest) } else { self.is_quoted };
            return is_kept.then(|| format!("{number}{rest}").trim_end().to_owned());
        }
        match self.indent.filter(|_| self.is_note && line.starts_with(' ')) {
            Some(_) if is_about_an_operator(line) => None,
            Some(indent) => Some(without_count(&format!("  {}", &line[indent..]))),
            None => {
                (self.is_quoted, self.is_note) = (true, false);
                Some(without_count(line))
            }
        }
    }

    /// The number of a line of a quote, or nothing, and what follows it. `None` if the line is no quote and no note below one.
    fn margin<'a>(&self, line: &'a str) -> Option<(&'a str, &'a str)> {
        let (margin, rest) = line.split_at_checked(self.indent?)?;
        let number = margin.trim();
        let is_number = number.chars().all(|c| c.is_ascii_digit());
        // `12 +` and `12 -` are lines of a suggestion.
        let marks: &[&str] = if number.is_empty() { &[" |", " ="] } else { &[" |", " +", " -", " ~"] };
        (is_number && marks.iter().any(|mark| rest.starts_with(mark))).then_some((number, rest))
    }
}

/// rustc writes types that are too long for a line to a file, whose name is another one each time.
fn is_about_a_long_type(note: &str) -> bool {
    ["the full name for the type has been written to", "consider using `--verbose` to print"].iter().any(|text| note.contains(text))
}

/// Which implementations of an operator rustc lists depends on the crates that are built for other packages.
fn is_about_an_operator(line: &str) -> bool {
    let operator =
        |(_, rest): (&str, &str)| rest.split(['<', '`']).next().is_some_and(|name| ["Add", "Sub", "Mul", "Div", "Rem"].contains(&name));
    line.split_once("` implements `").is_some_and(operator)
}

/// `and 12 others`, as `and $N others`: how many implementations a trait has is not what a message is about.
fn without_count(line: &str) -> String {
    match line.trim_start().strip_prefix("and ").and_then(|rest| rest.strip_suffix(" others")) {
        Some(count) => line.replace(count, "$N"),
        None => line.to_owned(),
    }
}
