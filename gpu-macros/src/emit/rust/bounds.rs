//! The conditions of a launch: for redundant bounds checks (`fn shown`), and for the race proof (`fn race_free`).
//!
//! The inequalities hold over the integers; the generated code evaluates them in `i128` and treats an overflow as "not proved". Most sums
//! cannot overflow, whatever the launch: those are plain arithmetic, as every launch computes them.

use super::proof::launch_conditions;
use super::source_unit::expand_constants;
use super::tokens::argument;
use crate::check::Analysis;
use crate::model::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::cell::RefCell;

/// `fn shown()`: which conditions a launch satisfies that make bounds checks redundant, and whether it computes the same with a `usize` of
/// 32 bits if it satisfies all, or in any case. A launch has no conditions by default, and is not narrow.
pub(super) fn expand_shown(function: &Function, analysis: &Analysis) -> Option<TokenStream> {
    let Analysis { conditions, narrow, narrow_with_checks, .. } = analysis;
    let groups: Vec<Vec<&Inequality>> = conditions.groups().map(|group| group.iter().map(|(condition, _)| condition).collect()).collect();
    let narrow = narrow.as_ref().ok().map(strictest);
    // What it must show besides.
    let with_checks = narrow.as_ref().zip(narrow_with_checks.as_ref()).map(|(narrow, needs)| {
        let is_new = |need: &&Inequality| !narrow.iter().any(|known| known.implies(need));
        strictest(needs.iter().filter(is_new))
    });
    if groups.is_empty() && narrow.is_none() {
        return None;
    }
    let runtime = &function.runtime;
    let all: Vec<&Inequality> = groups.iter().chain(&narrow).chain(&with_checks).flatten().copied().collect();
    let quantities = expand_quantities(function, &all);
    let (holding, narrow) = (groups.into_iter().map(expand_tests), narrow.map_or_else(|| quote!(false), expand_tests));
    let with_checks = with_checks.map(|needs| {
        let suffices = expand_tests(needs);
        quote_spanned!(Span::mixed_site()=> .narrow_with_checks(#suffices))
    });
    Some(quote_spanned! {Span::mixed_site()=>
        #[inline]
        fn shown(__args: &Self::Args<'_>, __dims: &#runtime::__private::LaunchDims) -> #runtime::__private::Shown {
            #quantities
            #runtime::__private::Shown::of([#(#holding),*], #narrow) #with_checks
        }
    })
}

/// Whether all of the inequalities hold.
fn expand_tests<'i>(inequalities: impl IntoIterator<Item = &'i Inequality>) -> TokenStream {
    let tests = inequalities.into_iter().map(|inequality| {
        let test = expand_test(inequality);
        if inequality.or.is_empty() {
            return test;
        }
        let other = expand_tests(&inequality.or);
        quote_spanned!(Span::mixed_site()=> (#test || #other))
    });
    let tests = join(tests, &quote!(&&));
    if tests.is_empty() { quote!(true) } else { tests }
}

fn expand_test(Inequality { most, length, .. }: &Inequality) -> TokenStream {
    if is_small(most) && is_small(length) {
        let (most, length) = (expand_small_sum(most), expand_small_sum(length));
        return quote_spanned!(Span::mixed_site()=> (#most) < (#length));
    }
    let (most, length) = (expand_polynomial(most), expand_polynomial(length));
    quote_spanned!(Span::mixed_site()=> __dims.is_below(#most, #length))
}

/// `fn race_free()`: the conditions of the race proof that the launch decides.
pub(super) fn expand_race_free(function: &Function, proof: &RaceFreedom) -> TokenStream {
    let conditions = launch_conditions(proof);
    // There are none by default.
    if conditions.is_empty() {
        return TokenStream::new();
    }
    let runtime = &function.runtime;
    let inequalities: Vec<&Inequality> = conditions.iter().map(|condition| &condition.inequality).collect();
    let quantities = expand_quantities(function, &inequalities);
    let tests = conditions.iter().map(|condition| {
        let (text, access) = (&condition.text, &condition.access);
        if let Some(param) = condition.inequality.as_exclusive() {
            let argument = argument(param);
            return quote_spanned!(Span::mixed_site()=> __dims.require_exclusive(#argument.is_shared(), #text, #access)?;);
        }
        let (left, right) = expand_sides(&condition.inequality);
        let require = quote_spanned!(Span::mixed_site()=> __dims.require(#left, #right, #text, #access)?;);
        if condition.inequality.or.is_empty() {
            return require;
        }
        let other = expand_tests(&condition.inequality.or);
        quote_spanned!(Span::mixed_site()=> if !(#other) { #require })
    });
    quote_spanned! {Span::mixed_site()=>
        #[inline]
        fn race_free(
            __args: &Self::Args<'_>,
            __dims: &#runtime::__private::LaunchDims,
        ) -> ::core::result::Result<(), #runtime::__private::Unmet> {
            #quantities
            #(#tests)*
            ::core::result::Result::Ok(())
        }
    }
}

/// Whether all of these inequalities of constants hold.
pub(super) fn expand_constant_conditions(inequalities: &[Inequality]) -> TokenStream {
    let conditions = inequalities.iter().map(expand_constant_condition);
    if inequalities.is_empty() { quote!(true) } else { quote_spanned!(Span::mixed_site()=> #(#conditions)&&*) }
}

/// Whether an inequality of constants holds, as a constant expression. rustc refuses one that overflows.
pub(super) fn expand_constant_condition(inequality: &Inequality) -> TokenStream {
    let (left, right) = inequality.sides();
    let (left, right) = (expand_constant_sum(&left), expand_constant_sum(&right));
    quote_spanned!(Span::mixed_site()=> #left <= #right)
}

fn expand_constant_sum(polynomial: &Polynomial) -> TokenStream {
    let terms = polynomial.terms.iter().map(|term| {
        let coefficient = Literal::i128_suffixed(term.coefficient);
        let factors = term.factors.iter().map(expand_value);
        quote_spanned!(Span::mixed_site()=> #coefficient #(* (#factors))*)
    });
    quote_spanned!(Span::mixed_site()=> 0 #(+ #terms)*)
}

/// The sides of `left <= right`.
fn expand_sides(inequality: &Inequality) -> (TokenStream, TokenStream) {
    let (left, right) = inequality.sides();
    (expand_polynomial(&left), expand_polynomial(&right))
}

/// Declares what the inequalities are about: what they ask of the arguments and of the dimensions, each once.
fn expand_quantities(function: &Function, inequalities: &[&Inequality]) -> TokenStream {
    let constants = expand_constants(function);
    let arguments = (0..function.params.len()).map(|index| {
        let argument = argument(index);
        let used = inequalities.iter().any(|inequality| uses_param(inequality, index));
        if used { quote_spanned!(Span::mixed_site()=> #argument) } else { quote_spanned!(Span::mixed_site()=> _) }
    });
    let asked = quantities(inequalities);
    let names = asked.iter().filter_map(quantity_name);
    let values = asked.iter().map(expand_value);
    quote_spanned! {Span::mixed_site()=>
        #constants
        let (#(#arguments,)*) = __args;
        #(let #names = #values;)*
    }
}

/// Each quantity with a name that occurs in the inequalities, once.
fn quantities(inequalities: &[&Inequality]) -> Vec<Atom> {
    let found = RefCell::new(Vec::new());
    let collect = |atom: &Atom| {
        let mut found = found.borrow_mut();
        if quantity_name(atom).is_some() && !found.contains(atom) {
            found.push(atom.clone());
        }
        false
    };
    for inequality in inequalities {
        inequality.any(&collect);
    }
    found.into_inner()
}

/// The variable that holds a quantity of an argument or of the dimensions.
fn quantity_name(atom: &Atom) -> Option<Ident> {
    let at = Span::mixed_site();
    match atom {
        // With the length of each member's name, so that no two values have one name.
        Atom::Param(passed) => {
            let members = passed.members.iter().map(|member| {
                let name = member.to_string();
                format!("_{}{name}", name.len())
            });
            Some(format_ident!("__value{}{}", passed.param, members.collect::<String>(), span = at))
        }
        Atom::Len(index) => Some(format_ident!("__len{index}", span = at)),
        Atom::Extent(index, axis) => Some(format_ident!("__extent{index}_{axis}", span = at)),
        Atom::GridDim(axis) => Some(format_ident!("__grid{}", axis_index(*axis), span = at)),
        Atom::BlockDim(axis) => Some(format_ident!("__block{}", axis_index(*axis), span = at)),
        Atom::Constant(_) | Atom::Quotient(_) | Atom::Word(_) | Atom::TrailingZeros(_) | Atom::Shared(_) | Atom::Scattered(_) => None,
    }
}

/// Those from which the others follow, each once.
fn strictest<'i>(inequalities: impl IntoIterator<Item = &'i Inequality>) -> Vec<&'i Inequality> {
    let mut strictest: Vec<&Inequality> = Vec::new();
    for inequality in inequalities {
        if !strictest.iter().any(|known| known.implies(inequality)) {
            strictest.retain(|known| !inequality.implies(known));
            strictest.push(inequality);
        }
    }
    strictest
}

fn uses_param(inequality: &Inequality, index: usize) -> bool {
    let is_used = |atom: &Atom| match atom {
        Atom::Param(Passed { param: used, .. }) | Atom::Len(used) | Atom::Extent(used, _) | Atom::Shared(used) | Atom::Scattered(used) => {
            *used == index
        }
        Atom::GridDim(_) | Atom::BlockDim(_) | Atom::Constant(_) | Atom::Quotient(_) | Atom::Word(_) | Atom::TrailingZeros(_) => false,
    };
    inequality.any(&is_used)
}

/// An `Option<i128>`. Where a sum may overflow or have a negative factor, the runtime computes it from its terms, each a coefficient, the
/// number of factors, and the factors. One flat array takes rustc less time than one for each term.
fn expand_polynomial(polynomial: &Polynomial) -> TokenStream {
    if is_small(polynomial) {
        let sum = expand_small_sum(polynomial);
        return quote_spanned!(Span::mixed_site()=> ::core::option::Option::Some(#sum));
    }
    let terms = polynomial.terms.iter().map(|term| {
        let coefficient = Literal::i128_unsuffixed(term.coefficient);
        let (count, factors) = (Literal::usize_unsuffixed(term.factors.len()), term.factors.iter().map(expand_factor));
        quote_spanned!(Span::mixed_site()=> #coefficient, #count #(, #factors)*)
    });
    quote_spanned!(Span::mixed_site()=> __dims.sum(&[#(#terms),*]))
}

/// Whether no launch makes its value need more than 127 bits, and no factor is negative.
fn is_small(polynomial: &Polynomial) -> bool {
    let needs_few_bits = |term: &Term| {
        let coefficient = i128::BITS - term.coefficient.unsigned_abs().leading_zeros();
        let bits = term.factors.iter().try_fold(coefficient, |sum, factor| Some(sum + bits(factor)?));
        bits.is_some_and(|bits| bits <= 120)
    };
    polynomial.terms.len() <= 64 && polynomial.terms.iter().all(needs_few_bits)
}

/// How many bits a quantity has at most, if that is known here and it is never negative.
fn bits(atom: &Atom) -> Option<u32> {
    match atom {
        Atom::Shared(_) | Atom::Scattered(_) => Some(1),
        Atom::GridDim(_) | Atom::BlockDim(_) => Some(32),
        Atom::Param(_) | Atom::Len(_) | Atom::Extent(..) => Some(64),
        // The last three may have no value, for which a negative number stands.
        Atom::Constant(_) | Atom::Quotient(_) | Atom::Word(_) | Atom::TrailingZeros(_) => None,
    }
}

fn expand_small_sum(polynomial: &Polynomial) -> TokenStream {
    let terms = polynomial.terms.iter().map(|term| {
        let factors = term.factors.iter().map(expand_factor);
        match term.coefficient {
            1 if !term.factors.is_empty() => join(factors, &quote!(*)),
            coefficient => join([Literal::i128_unsuffixed(coefficient).into_token_stream()].into_iter().chain(factors), &quote!(*)),
        }
    });
    if polynomial.terms.is_empty() { quote!(0) } else { join(terms, &quote!(+)) }
}

fn join(parts: impl Iterator<Item = TokenStream>, separator: &TokenStream) -> TokenStream {
    parts.reduce(|all, part| quote!(#all #separator #part)).unwrap_or_default()
}

fn expand_factor(atom: &Atom) -> TokenStream {
    quantity_name(atom).map_or_else(|| expand_value(atom), Ident::into_token_stream)
}

fn expand_value(atom: &Atom) -> TokenStream {
    let value = match atom {
        // Of a signed integer, its word: two's complement.
        Atom::Param(passed) => {
            let (argument, path) = (argument(passed.param), passed.path());
            let value = if passed.members.is_empty() { quote!(*#argument) } else { quote!(#argument #path) };
            quote_spanned!(Span::mixed_site()=> #value as ::core::primitive::u64)
        }
        Atom::Len(index) => {
            let argument = argument(*index);
            quote_spanned!(Span::mixed_site()=> #argument.len())
        }
        Atom::Extent(index, axis) => {
            let (argument, axis) = (argument(*index), Literal::usize_unsuffixed(*axis));
            return quote_spanned!(Span::mixed_site()=> #argument.extent(#axis));
        }
        Atom::Shared(index) => {
            let argument = argument(*index);
            quote_spanned!(Span::mixed_site()=> #argument.is_shared())
        }
        Atom::Scattered(index) => {
            let argument = argument(*index);
            quote_spanned!(Span::mixed_site()=> #argument.is_scattered())
        }
        Atom::GridDim(axis) => {
            let axis = Literal::usize_unsuffixed(axis_index(*axis));
            return quote_spanned!(Span::mixed_site()=> __dims.blocks_along(#axis));
        }
        Atom::BlockDim(axis) => {
            let axis = Literal::usize_unsuffixed(axis_index(*axis));
            return quote_spanned!(Span::mixed_site()=> __dims.threads_along(#axis));
        }
        // A cast that the proof has added to it names a type that the user may have given another meaning.
        Atom::Constant(constant) if constant.text().contains("as usize") => {
            quote_spanned!(Span::mixed_site()=> { let _: ::core::primitive::usize = 0 as usize; #constant })
        }
        Atom::Constant(constant) => constant.to_token_stream(),
        Atom::Quotient(parts) => {
            let [dividend, divisor] = [&parts[0], &parts[1]].map(expand_polynomial);
            quote_spanned!(Span::mixed_site()=> __dims.quotient(#dividend, #divisor))
        }
        Atom::Word(sum) => {
            let sum = expand_polynomial(sum);
            quote_spanned!(Span::mixed_site()=> __dims.word(#sum))
        }
        Atom::TrailingZeros(sum) => {
            let sum = expand_polynomial(sum);
            quote_spanned!(Span::mixed_site()=> __dims.trailing_zeros(#sum))
        }
    };
    quote_spanned!(Span::mixed_site()=> (#value) as ::core::primitive::i128)
}

fn axis_index(axis: Axis) -> usize {
    match axis {
        Axis::X => 0,
        Axis::Y => 1,
        Axis::Z => 2,
    }
}
