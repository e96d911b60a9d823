//! Kernels that the user wrote in PTX. The driver compiles them when it loads them, so they need no NVRTC and no cache of ours.
//!
//! PTX says how many bytes each parameter has, and nothing else of its type. The sizes are compared with those that the launcher passes: the
//! driver would read beyond the arguments of a launch that has too few.

use super::{Code, CodeFormat, CompileError, Program};

/// The code of a kernel that is `module`, after a look at its parameters.
pub(super) fn code(program: &Program, module: &str) -> Result<Code, CompileError> {
    check(program, module)?;
    // The driver takes a C string.
    Ok(Code { format: CodeFormat::Ptx, bytes: [module.as_bytes(), b"\0"].concat() })
}

/// Only the driver of a GPU makes machine code of PTX.
pub(super) fn refuse_without_gpu(program: &Program) -> Result<(), CompileError> {
    match program.ptx {
        None => Ok(()),
        Some(_) => Err(refused(program, "only the driver of a GPU compiles it, when it loads the kernel".to_owned())),
    }
}

/// Compares the parameters of `module` with those of the program's declaration.
pub(super) fn check(program: &Program, module: &str) -> Result<(), CompileError> {
    let passed = parameter_sizes(&program.text, &program.entry);
    let taken = parameter_sizes(module, &program.entry);
    match (taken, passed) {
        _ if module.contains('\0') => Err(refused(program, "the text has a null byte".to_owned())),
        (None, _) => {
            let found = entries(&without_comments(module)).map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let found = if found.is_empty() { "nothing".to_owned() } else { found };
            Err(refused(program, format!("the text has no `.entry` of this name\n  found: {found}")))
        }
        (Some(taken), Some(passed)) if taken != passed => {
            let reason = format!(
                "the parameters have {taken:?} bytes in the PTX, and {passed:?} in the Rust signature, in which a slice is a pointer"
            );
            Err(refused(program, reason))
        }
        _ => Ok(()),
    }
}

fn refused(program: &Program, reason: String) -> CompileError {
    CompileError::Ptx { kernel: program.entry.clone(), reason }
}

/// The bytes of each parameter of the kernel `name`: `None` if there is no such kernel. A parameter of an unknown type has none.
fn parameter_sizes(ptx: &str, name: &str) -> Option<Vec<u32>> {
    let text = without_comments(ptx);
    let (_, rest) = entries(&text).find(|(found, _)| *found == name)?;
    // A kernel without parameters need not have a list.
    let list = rest.trim_start().strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or("", |(list, _)| list);
    Some(list.split(',').filter(|parameter| !parameter.trim().is_empty()).map(parameter_size).collect())
}

/// The names of the kernels, each with the text behind it.
fn entries(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(".entry").skip(1).map(|entry| {
        let entry = entry.trim_start();
        let end = entry.find(|c: char| !c.is_alphanumeric() && !"_$%".contains(c)).unwrap_or(entry.len());
        entry.split_at(end)
    })
}

/// The bytes of `.param .u64 .ptr .global .align 4 x` or of `.param .align 8 .b8 point[16]`.
fn parameter_size(parameter: &str) -> u32 {
    let (declaration, count) = match parameter.split_once('[') {
        None => (parameter, Some(1)),
        Some((declaration, count)) => (declaration, count.trim_end_matches(|c: char| c == ']' || c.is_whitespace()).parse().ok()),
    };
    let bits = |word: &str| word.strip_prefix(['b', 'u', 's', 'f'])?.parse::<u32>().ok();
    let bytes = declaration.split_whitespace().find_map(|word| bits(word.strip_prefix('.')?)).unwrap_or(0) / 8;
    bytes * count.unwrap_or(0)
}

fn without_comments(ptx: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(ptx.len()), ptx);
    while let Some(start) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let (before, comment) = rest.split_at(start);
        let end = if comment.starts_with("//") { comment.find('\n') } else { comment.find("*/").map(|end| end + 2) };
        kept.push_str(before);
        kept.push(' ');
        rest = end.map_or("", |end| &comment[end..]);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_of_parameters_are_read_from_the_kernel_of_that_name() {
        let ptx = "
            .version 8.0 // .entry none(.param .u64 x)
            .visible .func other(.param .b64 x) { ret; }
            .visible .entry first(.param .u32 a) { ret; }
            /* .entry second(.param .u8 a) */
            .visible .entry second(
                .param .u64 .ptr .global .align 4 second_param_0, // the elements
                .param .f32 second_param_1,
                .param .align 8 .b8 second_param_2[16], .param .s8 second_param_3
            ) .maxntid 256, 1, 1 { ret; }
            .entry third { ret; }
            .entry fourth () { ret; }";
        assert_eq!(parameter_sizes(ptx, "second"), Some(vec![8, 4, 16, 1]));
        assert_eq!(parameter_sizes(ptx, "first"), Some(vec![4]));
        assert_eq!(parameter_sizes(ptx, "third"), Some(vec![]));
        assert_eq!(parameter_sizes(ptx, "fourth"), Some(vec![]));
        assert_eq!(parameter_sizes(ptx, "other"), None);
        assert_eq!(parameter_sizes(ptx, "none"), None);
        assert_eq!(parameter_sizes(".entry odd(.param .texref x)", "odd"), Some(vec![0]), "what is unknown equals nothing");
    }
}
