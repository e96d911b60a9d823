//! The arguments of `#[gpu_kernel(…)]` that say how it is compiled.

use super::length::{integer, is_other_literal, listed, lower_length};
use crate::errors::Errors;
use crate::model::{KernelOptions, LaunchBounds, Length, Stages, Suffix};
use proc_macro2::Span;
use std::ops::RangeInclusive;
use syn::spanned::Spanned;

/// The minimum and the maximum number of registers of a thread.
const REGISTERS: RangeInclusive<u32> = 16..=255;

/// The steps of a loop over tiles that can be in shared memory at once.
const STAGES: RangeInclusive<u32> = 1..=8;

/// The maximum number of blocks of any multiprocessor.
const MOST_BLOCKS: u64 = 32;

/// `launch_bounds = 256` or `launch_bounds = (256, 2)`.
pub(super) fn parse_launch_bounds(value: &syn::Expr, errors: &Errors) -> Option<LaunchBounds> {
    let listed = listed(value);
    if !(1..=2).contains(&listed.len()) || listed.iter().any(|number| is_other_literal(number)) {
        errors.push(
            value.span(),
            "expected the maximum number of threads per block, and optionally the number of blocks per multiprocessor\nhelp: write `launch_bounds = 256` or `launch_bounds = (256, 2)`",
        );
        return None;
    }
    let mut numbers: Vec<Length> = listed.into_iter().map(lower_length).collect();
    let blocks = (numbers.len() == 2).then(|| numbers.remove(1));
    let threads = numbers.remove(0);
    if let Some(value) = threads.value().filter(|value| !(1..=1024).contains(value)) {
        errors.push(
            threads.span(),
            format!("a block has 1 to 1024 threads, not {value}\nhelp: write a smaller number, such as `launch_bounds = (256, 2)`"),
        );
        return None;
    }
    if let Some(blocks) = &blocks
        && let Some(value) = blocks.value().filter(|value| !(1..=MOST_BLOCKS).contains(value))
    {
        let message =
            format!("the second value of `launch_bounds`, the blocks of a multiprocessor, is from 1 to {MOST_BLOCKS}, not {value}");
        errors.push(blocks.span(), format!("{message}\nhelp: write `launch_bounds = (256, 2)`, or `launch_bounds = 256`"));
        return None;
    }
    Some(LaunchBounds { threads, blocks })
}

/// `max_registers = 32`.
pub(super) fn parse_max_registers(value: &syn::Expr, errors: &Errors) -> Option<u32> {
    let number = integer(value).and_then(|number| u32::try_from(number).ok()).filter(|number| REGISTERS.contains(number));
    if number.is_none() {
        let (least, most) = (REGISTERS.start(), REGISTERS.end());
        errors.push(value.span(), format!("expected a number of registers from {least} to {most}, such as `max_registers = 32`"));
    }
    number
}

/// `stages = 3`.
pub(super) fn parse_stages(value: &syn::Expr, errors: &Errors) -> Option<Stages> {
    let count = integer(value).and_then(|count| u32::try_from(count).ok()).filter(|count| STAGES.contains(count));
    if count.is_none() {
        let (least, most) = (STAGES.start(), STAGES.end());
        errors.push(
            value.span(),
            format!("expected how many steps are in shared memory at once, from {least} to {most}, such as `stages = 3`"),
        );
    }
    count.map(|count| Stages { count, span: value.span() })
}

/// `opt = 3`.
pub(super) fn parse_opt(value: &syn::Expr, errors: &Errors) -> Option<u8> {
    let level = integer(value).and_then(|number| u8::try_from(number).ok()).filter(|number| *number <= 3);
    if level.is_none() {
        errors.push(value.span(), "expected an optimization level from `opt = 0` (none) to `opt = 3` (the default)");
    }
    level
}

/// `suffix = "a"`.
pub(super) fn parse_suffix(value: &syn::Expr, errors: &Errors) -> Option<Suffix> {
    let text = match value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => text.value(),
        _ => String::new(),
    };
    match text.as_str() {
        "a" => Some(Suffix::Architecture),
        "f" => Some(Suffix::Family),
        _ => {
            errors.push(
                value.span(),
                "expected the suffix of an architecture: `suffix = \"a\"` for `sm_90a`, or `suffix = \"f\"` for `sm_100f`",
            );
            None
        }
    }
}

/// Refuses options if the compiler would ignore one of them.
pub(super) fn check_registers(options: &KernelOptions, max_registers: Option<Span>, errors: &Errors) {
    if let (Some(span), Some(_), Some(_)) = (max_registers, &options.max_registers, &options.launch_bounds) {
        errors.push(
            span,
            "`max_registers` and `launch_bounds` cannot be used together: each limits the registers of a thread\nhelp: remove one of them",
        );
    }
}
