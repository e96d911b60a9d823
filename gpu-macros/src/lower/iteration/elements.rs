//! The elements of a chain, and what adapters make of their number and positions.

use super::counted_ranges::CountedRange;
use super::items::Item;
use super::parts::Part;
use super::stages::Stage;
use proc_macro2::{Ident, Span};
use syn::parse_quote;

/// Elements with a length, as far as the syntax shows.
pub(super) enum Elements {
    /// The elements of `place`: themselves, or references to them.
    Of {
        place: syn::Expr,
        by_reference: bool,
    },
    Range {
        start: syn::Expr,
        end: syn::Expr,
        inclusive: bool,
    },
    Counted(CountedRange),
    /// The elements of a part of a slice, by reference.
    OfPart(Part),
    /// Elements of one of both, by mutable reference.
    Mutable(Box<Elements>),
    Parts {
        whole: Part,
        size: syn::Expr,
        kind: Parts,
    },
    Enumerated(Box<Elements>),
    Zipped(Box<Elements>, Box<Elements>),
    Reversed(Box<Elements>, Ident),
    Skipped(Box<Elements>, syn::Expr),
    Taken(Box<Elements>, syn::Expr),
    Stepped(Box<Elements>, syn::Expr, Ident),
    Mapped(Box<Elements>, syn::Expr),
    Copied(Box<Elements>),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Parts {
    /// One from each element on.
    Windows,
    /// One after the other, and no rest.
    ChunksExact,
    /// The same, of which the last may be shorter.
    Chunks,
}

/// An adapter that is left to the range.
#[expect(clippy::large_enum_variant, reason = "a chain has few, which live while it is lowered")]
pub(super) enum Order {
    Reversed(Ident),
    Stepped(Ident, syn::Expr),
}

impl Order {
    pub(super) fn around(self, range: syn::Expr) -> syn::Expr {
        match self {
            Order::Reversed(name) => parse_quote!(#range.#name()),
            Order::Stepped(name, step) => parse_quote!(#range.#name(#step)),
        }
    }
}

impl Elements {
    /// How many there are, as an expression.
    pub(super) fn length(&self) -> syn::Expr {
        match self {
            Elements::Of { place, .. } => parse_quote!(#place.len()),
            Elements::OfPart(part) => part.length.clone(),
            Elements::Parts { whole: Part { length, .. }, size, kind: Parts::Windows } => match crate::lower::length::integer(size) {
                Some(1) => length.clone(),
                Some(size) => {
                    let less = number(size - 1);
                    parse_quote!(#length.saturating_sub(#less))
                }
                None => parse_quote!(#length.saturating_sub(#size - 1)),
            },
            Elements::Parts { whole: Part { length, .. }, size, kind: Parts::ChunksExact } => parse_quote!((#length / #size)),
            Elements::Parts { whole: Part { length, .. }, size, kind: Parts::Chunks } => parse_quote!(#length.div_ceil(#size)),
            Elements::Range { start, end, inclusive: false } if is_zero(start) => end.clone(),
            Elements::Range { start, end, inclusive: false } => parse_quote!(#end.saturating_sub(#start)),
            Elements::Range { start, end, inclusive: true } => inclusive_length(start, end),
            Elements::Counted(range) => range.length.clone(),
            Elements::Enumerated(inner)
            | Elements::Mutable(inner)
            | Elements::Reversed(inner, _)
            | Elements::Mapped(inner, _)
            | Elements::Copied(inner) => inner.length(),
            Elements::Zipped(left, right) => {
                let (left, right) = (left.length(), right.length());
                parse_quote!(#left.min(#right))
            }
            Elements::Skipped(inner, count) => {
                let length = inner.length();
                parse_quote!(#length.saturating_sub(#count))
            }
            Elements::Taken(inner, count) => {
                let length = inner.length();
                parse_quote!(#length.min(#count))
            }
            Elements::Stepped(inner, step, _) => {
                let length = inner.length();
                parse_quote!(#length.div_ceil(#step))
            }
        }
    }

    /// When there are elements, and how many there are then, where `length` would ask both at once: the proofs follow a condition.
    pub(super) fn guarded_length(&self) -> Option<(syn::Expr, syn::Expr)> {
        match self {
            Elements::Parts { whole: Part { length, .. }, size, kind: Parts::Windows } => {
                let less: syn::Expr = match crate::lower::length::integer(size) {
                    Some(1) => return None,
                    Some(size) => number(size - 1),
                    None => parse_quote!((#size - 1)),
                };
                Some((parse_quote!(#length >= #size), parse_quote!(#length - #less)))
            }
            Elements::Enumerated(inner) => inner.guarded_length(),
            _ => None,
        }
    }

    /// The item at `position`.
    pub(super) fn item(&self, position: &syn::Expr) -> Item {
        match self {
            Elements::Of { place, by_reference } => {
                Item::Element { place: place.clone(), position: position.clone(), by_reference: *by_reference }
            }
            Elements::OfPart(part) => Item::Element { place: part.place.clone(), position: part.index(position), by_reference: true },
            Elements::Mutable(inner) => match inner.item(position) {
                Item::Element { place, position, .. } => Item::Mutable { place, position },
                Item::Part(part) => Item::Part(Part { mutable: true, ..part }),
                other => other,
            },
            Elements::Parts { whole, size, kind } => {
                let first: syn::Expr = if *kind == Parts::Windows { position.clone() } else { parse_quote!((#position * #size)) };
                let rest = &whole.length;
                let length = if *kind == Parts::Chunks { parse_quote!(#size.min(#rest - #first)) } else { size.clone() };
                Item::Part(Part { mutable: false, start: whole.index(&first), length, place: whole.place.clone() })
            }
            Elements::Range { start, .. } if is_zero(start) => Item::Number(position.clone()),
            Elements::Range { start, .. } => Item::Number(parse_quote!((#start + #position))),
            Elements::Counted(range) => range.item(position),
            Elements::Enumerated(inner) => Item::Pair(Box::new(Item::Number(position.clone())), Box::new(inner.item(position))),
            Elements::Zipped(left, right) => Item::Pair(Box::new(left.item(position)), Box::new(right.item(position))),
            Elements::Reversed(inner, _) => match &**inner {
                // Its length may be saturated.
                Elements::Range { end, inclusive: true, .. } => Item::Number(parse_quote!((#end - #position))),
                Elements::Counted(range) => range.item_from_end(position),
                inner => {
                    let length = inner.length();
                    inner.item(&parse_quote!((#length - 1 - #position)))
                }
            },
            Elements::Skipped(inner, count) => inner.item(&parse_quote!((#position + #count))),
            Elements::Taken(inner, _) => inner.item(position),
            Elements::Stepped(inner, step, _) => inner.item(&parse_quote!((#position * #step))),
            Elements::Mapped(inner, function) => Item::Mapped(Box::new(inner.item(position)), function.clone()),
            Elements::Copied(inner) => Item::Copied(Box::new(inner.item(position))),
        }
    }

    /// Calls `change` for each range in it.
    pub(super) fn for_each_range(&mut self, change: &mut dyn FnMut(&mut Elements)) {
        match self {
            Elements::Range { .. } => change(self),
            Elements::Of { .. } | Elements::OfPart(_) | Elements::Parts { .. } | Elements::Counted(_) => {}
            Elements::Zipped(left, right) => {
                left.for_each_range(change);
                right.for_each_range(change);
            }
            Elements::Mutable(inner)
            | Elements::Enumerated(inner)
            | Elements::Reversed(inner, _)
            | Elements::Skipped(inner, _)
            | Elements::Taken(inner, _)
            | Elements::Stepped(inner, ..)
            | Elements::Mapped(inner, _)
            | Elements::Copied(inner) => inner.for_each_range(change),
        }
    }

    /// Whether these are the numbers of a range, in some order.
    pub(super) fn is_range(&self) -> bool {
        match self {
            Elements::Range { .. } | Elements::Counted(_) => true,
            Elements::Reversed(inner, _) | Elements::Stepped(inner, ..) | Elements::Mapped(inner, _) | Elements::Copied(inner) => {
                inner.is_range()
            }
            _ => false,
        }
    }

    /// The outermost maps as stages, which have no length.
    pub(super) fn without_maps(self, mut stages: Vec<Stage>) -> (Elements, Vec<Stage>) {
        match self {
            Elements::Mapped(inner, function) => {
                stages.insert(0, Stage::Map(function));
                inner.without_maps(stages)
            }
            Elements::Copied(inner) => {
                stages.insert(0, Stage::Copied);
                inner.without_maps(stages)
            }
            other => (other, stages),
        }
    }

    /// What a range can say at the end is left to it: at most a `.rev()`, and then a `.step_by(k)`.
    pub(super) fn without_order(self) -> (Elements, Vec<Order>) {
        match self {
            Elements::Stepped(inner, step, name) => match *inner {
                Elements::Reversed(inner, reversed) => (*inner, vec![Order::Reversed(reversed), Order::Stepped(name, step)]),
                inner => (inner, vec![Order::Stepped(name, step)]),
            },
            Elements::Reversed(inner, name) => (*inner, vec![Order::Reversed(name)]),
            other => (other, Vec::new()),
        }
    }

    /// Changes the elements below maps, which an adapter of positions does not see.
    pub(super) fn below_maps(self, adapter: impl FnOnce(Box<Elements>) -> Elements) -> Elements {
        match self {
            Elements::Mapped(inner, function) => Elements::Mapped(Box::new(inner.below_maps(adapter)), function),
            Elements::Copied(inner) => Elements::Copied(Box::new(inner.below_maps(adapter))),
            other => adapter(Box::new(other)),
        }
    }

    /// The elements in place of references to them.
    pub(super) fn copied(self) -> Elements {
        match self {
            Elements::Of { place, .. } => Elements::Of { place, by_reference: false },
            parts @ Elements::Parts { .. } => parts,
            Elements::Reversed(inner, name) => Elements::Reversed(Box::new(inner.copied()), name),
            Elements::Skipped(inner, count) => Elements::Skipped(Box::new(inner.copied()), count),
            Elements::Taken(inner, count) => Elements::Taken(Box::new(inner.copied()), count),
            Elements::Stepped(inner, step, name) => Elements::Stepped(Box::new(inner.copied()), step, name),
            other => Elements::Copied(Box::new(other)),
        }
    }
}

/// How many numbers are in `start..=end`. The length of `0..=usize::MAX`, which no `usize` holds, is `usize::MAX`: no loop gets that far.
fn inclusive_length(start: &syn::Expr, end: &syn::Expr) -> syn::Expr {
    match crate::lower::length::integer(start) {
        Some(0) => parse_quote!(#end.saturating_add(1)),
        Some(start) => {
            let less = syn::LitInt::new(&(start - 1).to_string(), Span::mixed_site());
            parse_quote!(#end.saturating_sub(#less))
        }
        None => parse_quote!(#end.saturating_sub(#start).saturating_add(if #start <= #end { 1 } else { 0 })),
    }
}

/// A length, with its type.
pub(super) fn number(value: u64) -> syn::Expr {
    let literal = syn::LitInt::new(&format!("{value}usize"), Span::mixed_site());
    parse_quote!(#literal)
}

fn is_zero(number: &syn::Expr) -> bool {
    crate::lower::length::integer(number) == Some(0)
}
