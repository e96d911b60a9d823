//! Whether the result of a function may depend on which thread computes it: a constant that depends on the constants of its callees.
//!
//! The proofs take the result of an operator, and of a method with the name of a number's, for a function of its operands. The macro
//! refuses a body that reads the thread, and does not see what the body calls. So rustc looks that up through the callee's path, like the
//! callee's name in the CUDA C. The constants of functions that call each other in a circle depend on each other: rustc reports a cycle
//! where an operator calls them, and nowhere else, as nothing else evaluates them.

use super::associated::expand_associated_callee;
use super::generics::{expand_callee, is_generic};
use super::method::Home;
use super::source_unit::expand_constants;
use super::tokens::glue;
use crate::emit::{AssociatedCallee, AssociatedFunction, Piece, Source};
use crate::model::{Expr, ExprKind, Function};
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// `const READS_THREAD: bool = …;`, for a function that may read the thread.
pub(super) fn expand_reads_thread(function: &Function, home: Option<&Home<'_>>, source: &Source) -> Option<TokenStream> {
    let value = if function.foreign.is_some() || function.body.any(&Expr::reads_thread) {
        quote_spanned!(Span::mixed_site()=> true)
    } else {
        let reads = callees(function, home, source).into_iter().map(|(_, reads)| reads);
        let constants = expand_constants(function);
        let any = reads.reduce(|a, b| quote_spanned!(Span::mixed_site()=> #a || #b))?;
        quote_spanned!(Span::mixed_site()=> { #constants #any })
    };
    Some(quote_spanned!(Span::mixed_site()=> const READS_THREAD: ::core::primitive::bool = #value;))
}

/// Asserts in the body of the function that nothing that it calls reads the thread. rustc evaluates that with the body or, of one
/// that has `instances`, with each of them.
pub(super) fn expand_thread_assertions(function: &Function, home: &Home<'_>, source: &Source, message: &str) -> TokenStream {
    let has_instances = is_generic(function) || matches!(home, Home::Trait(_));
    let home = Some(home);
    let assertions = callees(function, home, source).into_iter().map(|(at, reads)| {
        let assertion = quote_spanned!(at=> ::core::assert!(!#reads, #message));
        match has_instances {
            true => quote_spanned!(at=> const { #assertion };),
            false => quote_spanned!(at=> const _: () = #assertion;),
        }
    });
    assertions.collect()
}

/// What the function calls, each once: where, and the constant expression that tells whether it reads the thread.
fn callees(function: &Function, home: Option<&Home<'_>>, source: &Source) -> Vec<(Span, TokenStream)> {
    let mut found = Vec::new();
    collect(&Caller { function, calls_itself: calls_itself(function, home), is_method: home.is_some() }, &source.body, &mut found);
    found
}

/// The function whose callees are looked for.
struct Caller<'f> {
    function: &'f Function,
    /// Whether calls of a function, or of a method, with its name are calls of itself.
    calls_itself: bool,
    is_method: bool,
}

impl Caller<'_> {
    fn is_itself(&self, callee: &Piece) -> bool {
        let name = &self.function.name;
        self.calls_itself
            && match callee {
                Piece::Function(callee) => !self.is_method && callee.path.is_ident(name),
                Piece::Associated(AssociatedCallee { function: AssociatedFunction::Method(_, called), .. }) => {
                    self.is_method && called == name
                }
                _ => false,
            }
    }
}

fn collect(caller: &Caller<'_>, pieces: &[Piece], found: &mut Vec<(Span, TokenStream)>) {
    for piece in pieces {
        let inner: &[&[Piece]] = match piece {
            Piece::Checked(inner) | Piece::If(_, inner) | Piece::Cooperative(inner) => &[inner],
            Piece::Overloaded { own, otherwise, .. } => &[own, otherwise],
            Piece::Elements { one, several } => &[one, several],
            Piece::Width { wide, narrow } => &[wide, narrow],
            _ => &[],
        };
        inner.iter().for_each(|pieces| collect(caller, pieces, found));
        let callee = expand_callee_reads_thread(caller, piece);
        let is_new = |(_, reads): &(Span, TokenStream)| found.iter().all(|(_, other)| other.to_string() != reads.to_string());
        found.extend(callee.filter(is_new));
    }
}

/// Operators and methods named like those of numbers are asserted where they are defined.
fn expand_callee_reads_thread(caller: &Caller<'_>, piece: &Piece) -> Option<(Span, TokenStream)> {
    let runtime = &caller.function.runtime;
    match piece {
        // What it calls is what its own body calls.
        _ if caller.is_itself(piece) => None,
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

/// Whether what the function, or method, calls by its own name is itself. An item of the body could have a function's name, and a generic
/// function may call another of its instances. A method is the same one where it is called on `self`, if it is inherent: such methods
/// precede those of traits.
fn calls_itself(function: &Function, home: Option<&Home<'_>>) -> bool {
    let is_other = |expr: &Expr| match &expr.kind {
        ExprKind::Associated { receiver: Some(receiver), name, .. } if *name == function.name => {
            !matches!(receiver.kind, ExprKind::Local(local) if function.params.first().is_some_and(|param| param.local == local))
        }
        _ => false,
    };
    match home {
        None => function.items.is_empty() && !is_generic(function),
        Some(Home::Type) => function.has_receiver && !function.body.any(&is_other),
        Some(_) => false,
    }
}
