//! Methods that no value in a kernel has but those of the user's own types, and what to write instead.

use crate::cuda_names::method_instead;
use crate::errors::Errors;
use crate::model::{Method, StdEnum};
use proc_macro2::Ident;

/// Refuses `name` with `given` arguments, as a method of a number or an array.
pub(crate) fn refuse_method(name: &Ident, given: usize, errors: &Errors) {
    let spelling = name.to_string();
    if let Some(method) = Method::find(&spelling) {
        return errors.push_invalid(name.span(), wrong_count(&spelling, "x.", method.args.len(), given));
    }
    if let Some(help) = unsupported_method(&spelling) {
        let refused = match spelling.as_str() {
            "get" | "first" | "last" => format!("`{name}` in kernels reads one element of a slice or an array"),
            "get_unchecked" | "get_unchecked_mut" => {
                format!("`{name}` returns a reference, which kernels must dereference in the same expression")
            }
            _ => format!("the method `{name}` is not supported in kernels"),
        };
        let message = format!("{refused}\nhelp: {help}");
        return match spelling.contains("unchecked") {
            // Outside of an `unsafe` block it is no valid Rust.
            true => errors.push_invalid(name.span(), message),
            false => errors.push(name.span(), message),
        };
    }
    // In a function with a derivative.
    if let Some(method) = spelling.strip_suffix("_of_float") {
        let help = if method == "clamp" { "`n.max(low).min(high)`" } else { "`((n % m) + m) % m`" };
        let message = format!("`{method}` is taken for a method of a float, and this is an integer\nhelp: write {help}");
        return errors.push_invalid(name.span(), message);
    }
    let help = match method_instead(&spelling) {
        _ if ["sqr", "square"].contains(&spelling.as_str()) => "write `x * x` for the square, or `x.sqrt()` for the square root".into(),
        _ if spelling.starts_with("sort") => "sort the array before or after the launch, with `array.sort()` on the host".into(),
        Some(instead) => format!("write `{instead}`"),
        None if spelling.starts_with("par_") => {
            "the threads of a kernel already run in parallel: each computes one element, `out[grid_1d()]`".into()
        }
        None => format!(
            "kernels can call the numeric methods of std, and `len` and the iterators of slices and arrays; call a trait's function on a number by its path, `Shape::{name}(x)`"
        ),
    };
    errors.push_invalid(name.span(), format!("there is no method `{name}` in kernels\nhelp: {help}"));
}

/// Whether `name` is a method of std, in kernels or outside of them.
pub(crate) fn is_of_std(name: &Ident) -> bool {
    Method::find(&name.to_string()).is_some() || is_unsupported(name)
}

/// Whether `name` is a method of std that is not there in kernels.
pub(crate) fn is_unsupported(name: &Ident) -> bool {
    unsupported_method(&name.to_string()).is_some()
}

/// Whether `name` is a method that a struct in a kernel cannot have, so that its type need not be known.
pub(crate) fn is_of_no_struct(name: &Ident) -> bool {
    ["clone", "to_owned", "copied", "get_unchecked", "get_unchecked_mut"].iter().any(|other| name == other)
}

/// What to say of a call with another number of arguments; `receiver` is written before the name of a method.
pub(crate) fn wrong_count(name: &str, receiver: &str, takes: usize, given: usize) -> String {
    let given = if takes == 0 { String::new() } else { format!(", not {given}") };
    let arguments = ["a", "b", "c", "d", "e"].get(..takes).map_or_else(|| "…".to_owned(), |names| names.join(", "));
    format!("`{name}` takes {}{given}\nhelp: write `{receiver}{name}({arguments})`", count_arguments(takes))
}

/// `2 arguments`
pub(crate) fn count_arguments(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        n => format!("{n} arguments"),
    }
}

/// What to write instead of an unsupported method of std. `None` for any other name.
fn unsupported_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "iter" | "into_iter" | "chunks" | "windows" | "zip" | "enumerate" | "fold" | "sum" => {
            "write a loop: `for &v in x.iter()`, or `for i in 0..x.len()` and index"
        }
        "get_mut" | "first_mut" | "last_mut" | "iter_mut" => {
            "write `if let Some(v) = out.get_mut(i) { … }` to change one element, or index: `out[i] = …`"
        }
        "get" | "first" | "last" => "write `x.get(i)`, `x.first()` or `x.last()`; a part of a slice is `&x[a..b]`",
        "map" | "and_then" | "map_or" | "map_or_else" | "filter" | "unwrap_or_else" | "is_some_and" | "is_none_or" => {
            "it is a method of `Option` and `Result`: write its closure in the call, `.map(|x| …)`"
        }
        "as_ref" | "as_mut" | "take" | "replace" => "an `Option` in a kernel is a value: match it, and assign a new one",
        "clone" | "to_owned" | "copied" => "remove the call; values are copied when they are used",
        "get_unchecked" | "get_unchecked_mut" => {
            "write `unsafe { *x.get_unchecked(i) }`, or index with `[]`: a check that the launch shows to be redundant costs nothing"
        }
        "fill" | "copy_from_slice" => "write a loop",
        "try_from" => "it is supported for integers, `u32::try_from(x)`; convert other numbers with `as`, such as `x as i32`",
        "as_ptr" | "as_mut_ptr" => "kernels have no raw pointers: index the slice, `x[i]`, or write `unsafe { *x.get_unchecked(i) }`",
        "parse" => "pass numbers to the kernel",
        "to_vec" | "into_boxed_slice" | "to_string" | "push" | "extend" | "insert" | "append" => {
            "kernels have no allocator: use an array of constant length, `[0.0f32; 8]`, or write to a `&mut [T]` parameter"
        }
        "partial_cmp" | "cmp" | "total_cmp" => "compare with a reference: `a.cmp(&b)`",
        "wrapping_div" | "wrapping_rem" => "use `/` and `%`",
        _ => return None,
    })
}

/// Why device memory cannot hold the `Option` or `Result`.
pub(crate) fn no_layout(owner: StdEnum) -> String {
    let reason = match owner {
        StdEnum::Option => "device memory cannot hold this `Option`: Rust stores `None` as a value that a `bool` or an enum does not have",
        StdEnum::Result => "device memory cannot hold a `Result`: Rust does not define its layout",
    };
    format!(
        "{reason}\nhelp: write your own enum with `#[derive(Clone, Copy, DeviceType)]` and `#[repr(u8)]`, such as `enum Found {{ No, Yes(f32) }}`"
    )
}
