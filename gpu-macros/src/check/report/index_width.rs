//! How many bits the indices of a kernel have, and what keeps them at 64, in words.

use super::describe::{text_of, text_of_inequality};
use super::findings::line;
use crate::check::Analysis;
use crate::check::clients::index_width::KeepsWide;
use crate::model::*;

/// The bits, then what a launch must have for 32. Nothing of kernels that have no `usize` of their own.
pub(crate) fn describe_index_width(function: &Function, analysis: &Analysis) -> Vec<String> {
    match &analysis.narrow {
        Ok(needs) => {
            let texts = needs.iter().filter(|need| !is_about_length(need)).map(|need| format!("`{}`", text_of_inequality(function, need)));
            let texts: Vec<String> = texts.collect();
            let and = if texts.is_empty() { "" } else { ", in launches with" };
            std::iter::once(format!("32 bits, for arrays of at most 2^31 elements{and}")).chain(texts).collect()
        }
        Err(KeepsWide::NotConsidered) => Vec::new(),
        Err(reason) => vec![format!("64 bits: {}", describe(function, reason))],
    }
}

/// Whether it is about the length of one array alone.
fn is_about_length(need: &Inequality) -> bool {
    matches!(&need.most.terms[..], [Term { coefficient: 1, factors }] if matches!(**factors, [Atom::Len(_)])) && need.or.is_empty()
}

fn describe(function: &Function, reason: &KeepsWide) -> String {
    let (expr, why) = match reason {
        KeepsWide::NotConsidered => return "nothing asks".into(),
        KeepsWide::NoGain => return "with 32, the kernel would compute as much".into(),
        KeepsWide::NoLaunch => return "no launch has indices, lengths and numbers below 2^32".into(),
        KeepsWide::Variable(local) => {
            let Local { name, .. } = function.local(*local);
            return format!("line {}: `{name}` may have a `usize` in it, or refer to one; if not, annotate its type", line(name.span()));
        }
        KeepsWide::Checked(site) => return format!("line {}: every launch checks this index of a view", line(function.site(*site).span)),
        KeepsWide::Use(expr) => (*expr, "this use of a `usize` needs 64 bits"),
        KeepsWide::Unbounded(expr) => (*expr, "not known to be below 2^32"),
    };
    let mut place = String::new();
    function.body.for_each_child(&mut |part| find(part, expr, &mut |found| place = place_of(function, found)));
    format!("{place}{why}")
}

fn find<'e>(within: &'e Expr, expr: *const Expr, found: &mut dyn FnMut(&'e Expr)) {
    if std::ptr::eq(within, expr) {
        found(within);
    }
    within.for_each_child(&mut |child| find(child, expr, found));
}

/// ``line 12: `a + b`: ``
fn place_of(function: &Function, expr: &Expr) -> String {
    match text_of(function, expr) {
        text if text.contains('…') => format!("line {}: ", line(expr.span)),
        text => format!("line {}: `{text}`: ", line(expr.span)),
    }
}
