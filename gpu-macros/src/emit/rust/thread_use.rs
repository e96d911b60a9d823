//! Whether the result of a function may depend on which thread computes it: a constant that depends on the constants of its callees.
//!
//! The proofs take the result of an operator, and of a method with the name of a number's, for a function of its operands. The macro
//! refuses a body that reads the thread, and does not see what the body calls. So rustc looks that up through the callee's path, like the
//! callee's name in the CUDA C. The constants of functions that call each other in a circle depend on each other: rustc reports a cycle
//! where an operator calls them, and nowhere else, as nothing else evaluates them.

use super::associated::expand_associated_callee;
use super::generics::expand_callee;
use super::source_unit::expand_constants;
use super::tokens::glue;
use crate::emit::{AssociatedFunction, Callee, Piece, Source};
use crate::model::{Expr, Function};
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// `const READS_THREAD: bool = …;`, for a function that may read the thread.
pub(super) fn expand_reads_thread(function: &Function, source: &Source) -> Option<TokenStream> {
    let value = if function.foreign.is_some() || function.body.any(&Expr::reads_thread) {
        quote_spanned!(Span::mixed_site()=> true)
    } else {
        let reads = callees(function, source).into_iter().map(|(_, reads)| reads);
        let constants = expand_constants(function);
        let any = reads.reduce(|a, b| quote_spanned!(Span::mixed_site()=> #a || #b))?;
        quote_spanned!(Span::mixed_site()=> { #constants #any })
    };
    Some(quote_spanned!(Span::mixed_site()=> const READS_THREAD: ::core::primitive::bool = #value;))
}

/// Asserts in the body of the function that nothing that it calls reads the thread. rustc evaluates that with the body or, of one
/// that has `instances`, with each of them.
pub(super) fn expand_thread_assertions(function: &Function, source: &Source, message: &str, has_instances: bool) -> TokenStream {
    let assertions = callees(function, source).into_iter().map(|(at, reads)| {
        let assertion = quote_spanned!(at=> ::core::assert!(!#reads, #message));
        match has_instances {
            true => quote_spanned!(at=> const { #assertion };),
            false => quote_spanned!(at=> const _: () = #assertion;),
        }
    });
    assertions.collect()
}

/// What the function calls, each once: where, and the constant expression that tells whether it reads the thread.
fn callees(function: &Function, source: &Source) -> Vec<(Span, TokenStream)> {
    let mut found = Vec::new();
    collect(function, &source.body, &mut found);
    found
}

fn collect(function: &Function, pieces: &[Piece], found: &mut Vec<(Span, TokenStream)>) {
    for piece in pieces {
        let inner: &[&[Piece]] = match piece {
            Piece::Checked(inner) | Piece::If(_, inner) | Piece::Cooperative(inner) => &[inner],
            Piece::Overloaded { own, otherwise, .. } => &[own, otherwise],
            Piece::Elements { one, several } => &[one, several],
            Piece::Width { wide, narrow } => &[wide, narrow],
            _ => &[],
        };
        inner.iter().for_each(|pieces| collect(function, pieces, found));
        let callee = expand_callee_reads_thread(function, piece);
        let is_new = |(_, reads): &(Span, TokenStream)| found.iter().all(|(_, other)| other.to_string() != reads.to_string());
        found.extend(callee.filter(is_new));
    }
}

/// Operators and methods named like those of numbers are asserted where they are defined.
fn expand_callee_reads_thread(function: &Function, piece: &Piece) -> Option<(Span, TokenStream)> {
    let runtime = &function.runtime;
    match piece {
        // What it calls is what its own body calls.
        Piece::Function(callee) if is_itself(function, callee) => None,
        Piece::Function(callee) => {
            let at = callee.path.segments.last().map_or_else(Span::mixed_site, |last| glue(last.ident.span()));
            let callee = expand_callee(runtime, callee);
            Some((at, quote_spanned!(at=> #runtime::calls::instance_reads_thread::<#callee::Instance>())))
        }
        Piece::Associated(callee) => {
            let at = match &callee.function {
                AssociatedFunction::Method(_, name) => glue(name.span()),
                AssociatedFunction::Path(path) => path.path.segments.last().map_or_else(Span::mixed_site, |last| glue(last.ident.span())),
            };
            let call = expand_associated_callee(runtime, callee);
            Some((at, quote_spanned!(at=> #runtime::calls::reads_thread(|| #call))))
        }
        _ => None,
    }
}

/// A recursive call. (An item of the body could have the function's name.)
fn is_itself(function: &Function, callee: &Callee) -> bool {
    !function.has_receiver && function.items.is_empty() && callee.path.is_ident(&function.name)
}
