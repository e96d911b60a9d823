//! Which loops of a kernel the compiler has not unrolled, and which accesses it has not joined, from its PTX with the numbers of lines.
//!
//! ```text
//! $L__BB0_2:
//!     .loc    2 19 5
//!     ld.global.nc.f32     %f4, [%rd5];
//!     .loc    2 18 3
//!     @%p6 bra     $L__BB0_2;
//! ```
//!
//! A branch to a label before it ends a loop, and has the line of its `for` or `while`.

use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The most bytes of one access.
const MOST_BYTES: u32 = 16;

/// What the PTX of a kernel shows.
#[derive(Debug, Default, PartialEq)]
pub(super) struct CodeReport {
    /// The loops that are left, each with the reason.
    pub(super) loops: Vec<String>,
    /// The lines with several accesses that are narrower than one could be.
    pub(super) accesses: Vec<String>,
}

/// A line of a file, by its number in the PTX.
type Line<'p> = (&'p str, u32);

impl CodeReport {
    /// Of the kernel `entry`. `reasons`: why a loop in a line may be left; `checks`: what is said of checked indices, after `line 7: `.
    // Compiled only where it is used.
    #[inline]
    pub(super) fn of(ptx: &str, entry: &str, reasons: &[(u32, &str)], checks: &[&str]) -> Self {
        let files: Vec<(&str, &str)> = ptx.lines().filter_map(file).filter(|(_, path)| !path.ends_with(".cu")).collect();
        let start = ptx.find(&format!(".entry {entry}(")).unwrap_or(ptx.len());
        let (mut labels, mut loops, mut accesses) = (HashSet::new(), BTreeSet::new(), BTreeMap::<_, u32>::new());
        let mut at: Option<Line<'_>> = None;
        for text in ptx[start..].lines().take_while(|text| *text != "}").map(str::trim) {
            if let Some(location) = text.strip_prefix(".loc") {
                at = source_line(location).filter(|(file, line)| *line > 0 && files.iter().any(|(number, _)| number == file));
            } else if let Some(label) = text.strip_suffix(':') {
                labels.insert(label);
            } else if let Some(line) = at {
                let target = text.split_once("bra").and_then(|(_, target)| target.split_whitespace().last());
                if target.is_some_and(|target| labels.contains(target.trim_end_matches(';'))) {
                    loops.insert(line);
                }
                if let Some(access) = access(text) {
                    *accesses.entry((line, access)).or_default() += 1;
                }
            }
        }
        let name = |(file, line): Line<'_>| match files.as_slice() {
            [_] => format!("line {line}"),
            _ => format!("{}:{line}", files.iter().find(|(number, _)| *number == file).map_or("", |(_, path)| path)),
        };
        let describe_loop = |line: Line<'_>| {
            let reason = reasons.iter().find(|(of, _)| *of == line.1).map(|(_, reason)| format!(": {reason}"));
            format!("{}{}", name(line), reason.unwrap_or_default())
        };
        let describe_access = |((line, (access, bytes)), count): ((Line<'_>, (String, u32)), u32)| {
            let is_checked = checks.iter().any(|check| check.starts_with(&format!("line {}:", line.1)));
            let reason = if is_checked { ": an index in this line is checked" } else { "" };
            let plural = if bytes == 1 { "" } else { "s" };
            (count > 1 && bytes < MOST_BYTES).then(|| format!("{}: {count} {access}, of {bytes} byte{plural} each{reason}", name(line)))
        };
        let loops = loops.into_iter().map(describe_loop).collect();
        Self { loops, accesses: accesses.into_iter().filter_map(describe_access).collect() }
    }
}

/// The program with the line of the Rust file before each line of C, where it has one: the compiler counts on.
// Compiled only where it is used.
#[inline]
pub(super) fn with_every_line(text: &str) -> String {
    let mut directive = None;
    let mut with_lines = String::new();
    for line in text.lines() {
        if line.starts_with("#line") {
            directive = Some(line).filter(|line| !line.ends_with(".cu\""));
        } else if let Some(directive) = directive {
            with_lines.extend([directive, "\n"]);
        }
        with_lines.extend([line, "\n"]);
    }
    with_lines
}

/// `.file 2 "src/k.rs"`
#[inline]
fn file(line: &str) -> Option<(&str, &str)> {
    let (number, path) = line.trim().strip_prefix(".file")?.trim().split_once(' ')?;
    Some((number, path.split('"').nth(1)?))
}

/// Of `1 2 41, function_name …, inlined_at 2 16 5`, where that was called.
#[inline]
fn source_line(location: &str) -> Option<Line<'_>> {
    let location = location.rsplit("inlined_at").next()?;
    let mut words = location.split_whitespace();
    Some((words.next()?, words.next()?.parse().ok()?))
}

/// What an instruction does with global or shared memory, and how many bytes it has: `ld.global.nc.v4.f32` reads 16.
#[inline]
fn access(instruction: &str) -> Option<(String, u32)> {
    let operation = instruction.split_whitespace().find(|word| !word.starts_with('@'))?;
    let parts: Vec<&str> = operation.split('.').collect();
    let verb = match *parts.first()? {
        "ld" => "reads",
        "st" => "writes",
        _ => return None,
    };
    let memory = ["global", "shared"].into_iter().find(|memory| parts.contains(memory))?;
    let count = parts.iter().find_map(|part| part.strip_prefix('v')?.parse::<u32>().ok()).unwrap_or(1);
    let bits: u32 = parts.last()?.trim_start_matches(|c: char| c.is_alphabetic()).parse().ok()?;
    Some((format!("{verb} of {memory} memory"), count * bits / 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.visible .entry k(
\t.param .u64 k_param_0
)
{
\t.loc\t1 3 0
\tld.param.u64 \t%rd11, [k_param_0];
\t.loc\t2 11 5
\tld.global.nc.f32 \t%f27, [%rd14+12];
\tld.global.nc.f32 \t%f28, [%rd14+8];
\tst.shared.v4.f32 \t[%rd17], {%f30, %f29, %f28, %f27};
$L__BB0_2:
\t.loc\t2 20 5
\t@%p1 ld.global.u8 \t%rs1, [%rd20];
\t.loc\t1 2 41, function_name $L__info_string0, inlined_at 2 20 9
\tld.global.u8 \t%rs2, [%rd22];
\t@%p3 bra \t$L__BB0_4;
\t.loc\t2 18 3
\t@%p6 bra \t$L__BB0_2;
$L__BB0_4:
\t.loc\t1 40 3
\tbra.uni \t$L__BB0_4;
\tret;
}
.visible .entry other(
\t.loc\t2 30 3
$L__BB1_1:
\tbra.uni \t$L__BB1_1;
}
\t.file\t1 \"k.cu\"
\t.file\t2 \"src/k.rs\"
";

    #[test]
    fn every_line_of_a_statement_has_its_number() {
        let text = "a;\n#line 7 \"k.rs\"\nb(\nc);\n#line 6 \"k.cu\"\nd;\n";
        let expected = "a;\n#line 7 \"k.rs\"\n#line 7 \"k.rs\"\nb(\n#line 7 \"k.rs\"\nc);\n#line 6 \"k.cu\"\nd;\n";
        assert_eq!(with_every_line(text), expected);
    }

    #[test]
    fn loops_and_narrow_accesses_have_the_lines_of_the_kernel() {
        let report = CodeReport::of(PTX, "k", &[(18, "the number of iterations is not constant")], &["line 20: `x`: the index is read"]);
        assert_eq!(report.loops, ["line 18: the number of iterations is not constant"]);
        assert_eq!(
            report.accesses,
            [
                "line 11: 2 reads of global memory, of 4 bytes each",
                "line 20: 2 reads of global memory, of 1 byte each: an index in this line is checked"
            ]
        );
        let twice = PTX.replace("\"k.cu\"", "\"src/f.rs\"");
        assert_eq!(CodeReport::of(&twice, "k", &[], &[]).loops, ["src/f.rs:40", "src/k.rs:18"]);
        assert_eq!(CodeReport::of(PTX, "missing", &[], &[]), CodeReport::default());
    }
}
