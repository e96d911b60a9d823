//! Reading NVRTC's log: which lines are errors, and where they point.

/// The errors of a log, one line each: `src/main.rs:12: error: … in `the line of C``. If nothing in it looks like an
/// error, every line of the log.
pub(super) fn errors(log: &str) -> Vec<String> {
    let mut lines = log.lines().peekable();
    let mut errors = Vec::new();
    while let Some(line) = lines.next() {
        let Some(mut message) = error(line) else { continue };
        // Below the message stand the line of C, indented, and a caret.
        if let Some(code) = lines.peek().filter(|next| next.starts_with([' ', '\t']) && !next.trim().is_empty()) {
            message.push_str(&format!(" in `{}`", code.trim()));
        }
        errors.push(message);
    }
    if errors.is_empty() {
        errors = log.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    }
    errors
}

/// `file(12): error: text` as `file:12: error: text`; what the assembler says as it is; `None` for any other line.
fn error(line: &str) -> Option<String> {
    let of_assembler = ["ptxas error", "ptxas fatal", "ptxas application ptx input"].iter().any(|start| line.starts_with(start));
    if of_assembler && !line.contains("; warning") {
        return Some(line.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    let (place, message) = line.split_once("): ")?;
    let (file, number) = place.rsplit_once('(')?;
    let severity = message.split(':').next()?;
    if !severity.contains("error") || number.parse::<u32>().is_err() {
        return None;
    }
    Some(format!("{file}:{number}: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_file_line_and_code_and_nothing_else_is_kept() {
        let log = "src/main.rs(12): warning #177-D: variable \"y\" was declared but never referenced\n      i32 y;\n          ^\n\n\
                   src/a(1).rs(40): error: identifier \"foo\" is undefined\n    out[0] = foo;\n             ^\n\n\
                   k.cu(3): catastrophic error: out of memory\n\n\
                   2 errors detected in the compilation of \"k.cu\".\n";
        assert_eq!(
            errors(log),
            ["src/a(1).rs:40: error: identifier \"foo\" is undefined in `out[0] = foo;`", "k.cu:3: catastrophic error: out of memory"]
        );
    }

    #[test]
    fn errors_of_the_assembler_are_kept() {
        let log = "ptxas error   : Entry function 'k' uses too much shared data (0x20000 bytes, 0xc000 max)\n";
        assert_eq!(errors(log), ["ptxas error : Entry function 'k' uses too much shared data (0x20000 bytes, 0xc000 max)"]);
    }

    #[test]
    fn errors_in_assembly_are_kept() {
        let log = "ptxas application ptx input, line 26; error   : Not a name of any known instruction: 'no'\nptxas fatal   : Ptx assembly aborted due to errors\n";
        assert_eq!(
            errors(log),
            [
                "ptxas application ptx input, line 26; error : Not a name of any known instruction: 'no'",
                "ptxas fatal : Ptx assembly aborted due to errors"
            ]
        );
    }

    #[test]
    fn a_log_of_another_form_is_shown_whole() {
        assert_eq!(errors("nvrtc: invalid value\n\nfor --fmad\n"), ["nvrtc: invalid value", "for --fmad"]);
    }
}
