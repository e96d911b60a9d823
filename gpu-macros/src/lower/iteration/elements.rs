//! Where the elements of a chain are, and what adapters make of their number and positions.

use super::items::Item;
use super::parts::Part;
use super::stages::Stage;
use super::{Chain, Preparation};
use crate::lower::reference::Shape;
use crate::lower::{Lowerer, without_parentheses};
use crate::model::*;
use proc_macro2::{Ident, Span};
use syn::parse_quote;
use syn::spanned::Spanned;

/// Elements with a length, as far as the syntax shows.
#[expect(clippy::large_enum_variant, reason = "a chain has few, which live while it is lowered")]
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
    /// The elements of a part of a slice, by reference.
    OfPart(Part),
    /// `windows`, which overlap, or `chunks_exact`.
    Parts {
        whole: Part,
        size: syn::Expr,
        overlap: bool,
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
            Elements::Parts { whole: Part { length, .. }, size, overlap: true } => match crate::lower::length::integer(size) {
                Some(1) => length.clone(),
                Some(size) => {
                    let less = syn::LitInt::new(&(size - 1).to_string(), Span::mixed_site());
                    parse_quote!(#length.saturating_sub(#less))
                }
                None => parse_quote!(#length.saturating_sub(#size - 1)),
            },
            Elements::Parts { whole: Part { length, .. }, size, overlap: false } => parse_quote!((#length / #size)),
            Elements::Range { start, end, inclusive: false } if is_zero(start) => end.clone(),
            Elements::Range { start, end, inclusive: false } => parse_quote!(#end.saturating_sub(#start)),
            Elements::Range { start, end, inclusive: true } => parse_quote!((#end + 1).saturating_sub(#start)),
            Elements::Enumerated(inner) | Elements::Reversed(inner, _) | Elements::Mapped(inner, _) | Elements::Copied(inner) => {
                inner.length()
            }
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

    /// The item at `position`.
    pub(super) fn item(&self, position: &syn::Expr) -> Item {
        match self {
            Elements::Of { place, by_reference } => {
                Item::Element { place: place.clone(), position: position.clone(), by_reference: *by_reference }
            }
            Elements::OfPart(part) => Item::Element { place: part.place.clone(), position: part.index(position), by_reference: true },
            Elements::Parts { whole, size, overlap } => {
                let first: syn::Expr = if *overlap { position.clone() } else { parse_quote!((#position * #size)) };
                Item::Part(Part { place: whole.place.clone(), start: whole.index(&first), length: size.clone() })
            }
            Elements::Range { start, .. } if is_zero(start) => Item::Number(position.clone()),
            Elements::Range { start, .. } => Item::Number(parse_quote!((#start + #position))),
            Elements::Enumerated(inner) => Item::Pair(Box::new(Item::Number(position.clone())), Box::new(inner.item(position))),
            Elements::Zipped(left, right) => Item::Pair(Box::new(left.item(position)), Box::new(right.item(position))),
            Elements::Reversed(inner, _) => {
                let length = inner.length();
                inner.item(&parse_quote!((#length - 1 - #position)))
            }
            Elements::Skipped(inner, count) => inner.item(&parse_quote!((#position + #count))),
            Elements::Taken(inner, _) => inner.item(position),
            Elements::Stepped(inner, step, _) => inner.item(&parse_quote!((#position * #step))),
            Elements::Mapped(inner, function) => Item::Mapped(Box::new(inner.item(position)), function.clone()),
            Elements::Copied(inner) => Item::Copied(Box::new(inner.item(position))),
        }
    }

    /// Whether these are the numbers of a range, in some order.
    fn is_range(&self) -> bool {
        match self {
            Elements::Range { .. } => true,
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
    fn below_maps(self, adapter: impl FnOnce(Box<Elements>) -> Elements) -> Elements {
        match self {
            Elements::Mapped(inner, function) => Elements::Mapped(Box::new(inner.below_maps(adapter)), function),
            Elements::Copied(inner) => Elements::Copied(Box::new(inner.below_maps(adapter))),
            other => adapter(Box::new(other)),
        }
    }

    /// The elements in place of references to them.
    fn copied(self) -> Elements {
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

/// Whether `name` makes an iterator of another one, in std.
pub(super) fn is_adapter(name: &str) -> bool {
    matches!(
        name,
        "map"
            | "filter"
            | "filter_map"
            | "enumerate"
            | "zip"
            | "rev"
            | "skip"
            | "take"
            | "step_by"
            | "copied"
            | "cloned"
            | "take_while"
            | "map_while"
    ) || adapter_help(name).is_some()
}

/// What to write instead of an unsupported adapter.
fn adapter_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "chunks" | "rchunks" | "split" => "write `for start in (0..x.len()).step_by(n)`, and `x[start + k]` in the loop",
        "inspect" => "use the value in the closure that computes it",
        "skip_while" => "use `.filter(…)` with a variable, or a loop over indices",
        "chain" | "cycle" | "peekable" | "flat_map" | "flatten" | "scan" => {
            "write `for i in 0..x.len()` and index; ranges take `.rev()` and `.step_by(k)`"
        }
        _ => return None,
    })
}

impl Lowerer<'_> {
    /// A chain without its consumer.
    pub(super) fn lower_chain(&mut self, source: &syn::Expr, before: &mut Preparation) -> Option<Chain> {
        let call = match without_parentheses(source) {
            syn::Expr::Reference(reference) => {
                return match &reference.mutability {
                    Some(token) => self.refuse_mutable_elements(token.span(), &reference.expr),
                    None => Some(Chain::of(self.lower_source(&reference.expr, Some(true), before)?)),
                };
            }
            syn::Expr::Range(range) => return Some(Chain::of(self.lower_range_of_elements(range, before)?)),
            syn::Expr::MethodCall(call) => call,
            other => return Some(Chain::of(self.lower_source(other, None, before)?)),
        };
        let receiver = &*call.receiver;
        let name = call.method.to_string();
        match (name.as_str(), call.args.len()) {
            ("iter", 0) => Some(Chain::of(self.lower_source(receiver, Some(true), before)?)),
            ("into_iter", 0) if !super::is_chain(receiver) => Some(Chain::of(self.lower_source(receiver, None, before)?)),
            ("into_iter", 0) => self.lower_chain(receiver, before),
            ("windows" | "chunks_exact", 1) => Some(Chain::of(self.lower_parts(call, before)?)),
            ("iter_mut", 0) => self.refuse_mutable_elements(call.method.span(), receiver),
            (known, _) if adapter_help(known).is_some() => {
                let help = adapter_help(known).unwrap_or_default();
                self.errors.push(call.method.span(), format!("`.{known}(…)` is not supported in kernels\nhelp: {help}"));
                None
            }
            // A method of a struct, which returns an array.
            (other, _) if !is_adapter(other) => Some(Chain::of(self.lower_source(source, None, before)?)),
            _ => {
                let chain = self.lower_chain(receiver, before)?;
                self.adapt(chain, call, before)
            }
        }
    }

    /// `chain` with the adapter `call`.
    fn adapt(&mut self, chain: Chain, call: &syn::ExprMethodCall, before: &mut Preparation) -> Option<Chain> {
        let name = call.method.to_string();
        let Chain { elements, mut stages } = chain;
        let elements = match (name.as_str(), call.args.len()) {
            ("map", 1) if stages.is_empty() => Elements::Mapped(Box::new(elements), call.args[0].clone()),
            ("copied" | "cloned", 0) if stages.is_empty() => elements.copied(),
            ("enumerate", 0) => return Some(Chain { elements, stages }.enumerated()),
            ("zip", 1) if stages.is_empty() => {
                let other = self.lower_chain(&call.args[0], before)?;
                if !other.stages.is_empty() {
                    return self.refuse_order(call, "the other elements have no length");
                }
                Elements::Zipped(Box::new(elements), Box::new(other.elements))
            }
            ("rev", 0) if stages.iter().all(Stage::is_of_one_item) => {
                elements.below_maps(|inner| Elements::Reversed(inner, call.method.clone()))
            }
            ("skip" | "take", 1) if stages.is_empty() => {
                let count = self.evaluate_first(&call.args[0], &name, &mut before.lets)?;
                elements.below_maps(|inner| if name == "skip" { Elements::Skipped(inner, count) } else { Elements::Taken(inner, count) })
            }
            ("step_by", 1) if stages.is_empty() => {
                let step = self.evaluate_first(&call.args[0], "step", &mut before.lets)?;
                elements.below_maps(|inner| Elements::Stepped(inner, step, call.method.clone()))
            }
            ("zip" | "rev" | "step_by", _) if call.args.len() == usize::from(name != "rev") => {
                return self.refuse_order(call, "the elements have no length after a `filter` or a similar adapter");
            }
            _ => {
                let Some(stage) = self.lower_stage(call, before)? else {
                    let takes =
                        crate::missing::count_arguments(usize::from(!matches!(name.as_str(), "enumerate" | "rev" | "copied" | "cloned")));
                    self.errors.push_invalid(call.method.span(), format!("`{name}` takes {takes}, not {}", call.args.len()));
                    return None;
                };
                stages.push(stage);
                elements
            }
        };
        Some(Chain { elements, stages })
    }

    fn refuse_order<T>(&mut self, call: &syn::ExprMethodCall, why: &str) -> Option<T> {
        let name = &call.method;
        self.errors.push(
            name.span(),
            format!("`.{name}(…)` is not supported here in kernels, because {why}\nhelp: write `.{name}(…)` before the `filter`"),
        );
        None
    }

    /// `a..b` or `a..=b`, with ends that are evaluated once.
    fn lower_range_of_elements(&mut self, range: &syn::ExprRange, before: &mut Preparation) -> Option<Elements> {
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            self.errors.push(range.span(), "a range in a kernel needs both ends\nhelp: use `loop` with a counter for an open end");
            return None;
        };
        let start = self.evaluate_first(start, "start", &mut before.lets)?;
        let end = self.evaluate_first(end, "end", &mut before.lets)?;
        Some(Elements::Range { start, end, inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)) })
    }

    /// Where the elements are. `by_reference` is `None` where Rust decides by the type.
    fn lower_source(&mut self, source: &syn::Expr, by_reference: Option<bool>, before: &mut Preparation) -> Option<Elements> {
        let source = match source {
            syn::Expr::Paren(paren) => return self.lower_source(&paren.expr, by_reference, before),
            syn::Expr::Group(group) => return self.lower_source(&group.expr, by_reference, before),
            source => source,
        };
        if let Some(part) = self.part_named(source) {
            return Some(Elements::OfPart(part));
        }
        if by_reference == Some(true)
            && let Some((part, root)) = self.lower_part(source, &mut before.lets)
        {
            before.borrowed.extend(root);
            return Some(Elements::OfPart(part));
        }
        if let syn::Expr::Path(path) = source {
            let Some(local) = path.path.get_ident().and_then(|name| self.lookup(name)) else {
                // A constant.
                return Some(Elements::Of { place: source.clone(), by_reference: by_reference.unwrap_or(false) });
            };
            return self.lower_source_of_local(source, local, by_reference, before);
        }
        if let syn::Expr::Call(syn::ExprCall { func, .. }) = source
            && let syn::Expr::Path(function) = &**func
            && function.path.is_ident("range")
        {
            self.errors.push_invalid(
                function.span(),
                "there is no function `range` in kernels\nhelp: write `for i in 0..n`, or `(a..b).step_by(k)`",
            );
            return None;
        }
        if by_reference == Some(true)
            && let Some((place, root)) = self.lower_place(source, &mut before.lets)
        {
            before.borrowed.extend(root);
            return Some(Elements::Of { place, by_reference: true });
        }
        let place = self.evaluate_first(source, "elements", &mut before.lets)?;
        Some(Elements::Of { place, by_reference: by_reference.unwrap_or(false) })
    }

    fn lower_source_of_local(
        &mut self,
        source: &syn::Expr,
        local: LocalId,
        by_reference: Option<bool>,
        before: &mut Preparation,
    ) -> Option<Elements> {
        let Local { name, mutable, ty, .. } = &self.locals[local.0];
        let element = match ty {
            Type::Slice { element, .. } => Some(&**element),
            Type::Shared(array) => match &**array {
                Type::Array(element, _) => Some(&**element),
                _ => None,
            },
            _ => None,
        };
        let message = match (ty, by_reference) {
            (Type::Scalar(_), _) => Some(format!("`{name}` is a number, which has no elements\nhelp: write `for i in 0..{name}`")),
            (Type::View { .. }, _) => Some(format!(
                "`{name}` is a view, whose elements need one index for each axis\nhelp: write `for i in 0..{name}.shape()[0]`, and `{name}[[i, j]]` in the loop"
            )),
            _ if matches!(element, Some(Type::Atomic(_))) => Some(format!(
                "a loop over the elements of `{name}` would copy them, but atomics cannot be copied\nhelp: write `for i in 0..{name}.len()`, and `{name}[i].load(Ordering::Relaxed)` in the loop"
            )),
            (Type::Shared(_), None) => {
                Some(format!("`{name}` is a shared array, which cannot be moved into a loop\nhelp: write `{name}.iter()`"))
            }
            (Type::Slice { mutable: true, .. }, None) => Some(format!(
                "a loop over the elements of a `&mut` slice is not supported in kernels\nhelp: write `{name}.iter()` to read them; to change them, `for i in 0..{name}.len()` and `{name}[i] = …`"
            )),
            _ => None,
        };
        if let Some(message) = message {
            // Nor has Rust elements of these.
            if matches!(ty, Type::Scalar(_) | Type::View { .. } | Type::Shared(_)) {
                self.errors.mark_invalid();
            }
            self.errors.push(source.span(), message);
            return None;
        }
        let is_reference = matches!(ty, Type::Slice { .. }) || self.shape_of(source) != Shape::Value;
        let mutable = *mutable;
        match by_reference {
            Some(true) => before.borrowed.push(local),
            // The body may change the variable, and not what the loop runs over.
            _ if !is_reference && mutable => {
                let place = self.evaluate_first(source, "elements", &mut before.lets)?;
                return Some(Elements::Of { place, by_reference: false });
            }
            _ => {}
        }
        Some(Elements::Of { place: source.clone(), by_reference: by_reference.unwrap_or(is_reference) })
    }

    fn refuse_mutable_elements<T>(&mut self, span: Span, array: &syn::Expr) -> Option<T> {
        let name = match array {
            syn::Expr::Path(path) => path.path.get_ident().map_or_else(|| "x".to_owned(), ToString::to_string),
            _ => "x".to_owned(),
        };
        self.errors.push(
            span,
            format!("a loop that changes elements by reference is not supported in kernels\nhelp: write `for i in 0..{name}.len()`, and `{name}[i] = …` in the loop"),
        );
        None
    }
}

impl Chain {
    fn of(elements: Elements) -> Chain {
        Chain { elements, stages: Vec::new() }
    }

    /// The items with their positions. Those of a range are counted apart, because its numbers may be of any type.
    pub(super) fn enumerated(self) -> Chain {
        let Chain { elements, mut stages } = self;
        if stages.is_empty() && !elements.is_range() {
            return Chain::of(Elements::Enumerated(Box::new(elements)));
        }
        stages.push(Stage::Enumerate(None));
        Chain { elements, stages }
    }
}

fn is_zero(number: &syn::Expr) -> bool {
    crate::lower::length::integer(number) == Some(0)
}
