//! The adapters of a chain: from its source to its consumer.

use super::elements::Elements;
use super::stages::Stage;
use super::{Chain, Preparation};
use crate::lower::{Lowerer, without_parentheses};
use crate::unsupported_methods::wrong_count;

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
            | "flat_map"
            | "scan"
    ) || adapter_help(name).is_some()
}

/// What to write instead of an unsupported adapter.
fn adapter_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "rchunks" | "split" => "write `for start in (0..x.len()).step_by(n)`, and `x[start + k]` in the loop",
        "inspect" => "use the value in the closure that computes it",
        "skip_while" => "use `.filter(…)` with a variable, or a loop over indices",
        "chain" => "write one loop after the other: `for v in x { … } for v in y { … }`",
        "cycle" | "peekable" | "flatten" => "write `for i in 0..x.len()` and index; ranges take `.rev()` and `.step_by(k)`",
        _ => return None,
    })
}

impl Lowerer<'_> {
    /// A chain without its consumer.
    pub(super) fn lower_chain(&mut self, source: &syn::Expr, before: &mut Preparation) -> Option<Chain> {
        let call = match without_parentheses(source) {
            syn::Expr::Reference(reference) => {
                return match &reference.mutability {
                    Some(_) => Some(Chain::of(self.lower_mutable_source(&reference.expr, before)?)),
                    None => Some(Chain::of(self.lower_source(&reference.expr, Some(true), before)?)),
                };
            }
            syn::Expr::Range(range) => return Some(Chain::of(self.lower_range_of_elements(range, before)?)),
            syn::Expr::MethodCall(call) => call,
            other => return Some(Chain::of(self.lower_source(other, None, before)?)),
        };
        self.remember_slice_method(call);
        let receiver = &*call.receiver;
        let name = call.method.to_string();
        match (name.as_str(), call.args.len()) {
            ("iter", 0) => Some(Chain::of(self.lower_source(receiver, Some(true), before)?)),
            ("into_iter", 0) if !super::is_chain(receiver) => Some(Chain::of(self.lower_source(receiver, None, before)?)),
            ("into_iter", 0) => self.lower_chain(receiver, before),
            ("windows" | "chunks_exact" | "chunks", 1) => Some(Chain::of(self.lower_parts(call, before)?)),
            ("chunks_exact_mut" | "chunks_mut", 1) => Some(Chain::of(self.lower_mutable_parts(call, before)?)),
            ("iter_mut", 0) => Some(Chain::of(self.lower_mutable_source(receiver, before)?)),
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
                let count = self.evaluate_usize(&call.args[0], &name, &mut before.lets)?;
                elements.below_maps(|inner| if name == "skip" { Elements::Skipped(inner, count) } else { Elements::Taken(inner, count) })
            }
            ("step_by", 1) if stages.is_empty() => {
                let step = self.evaluate_usize(&call.args[0], "step", &mut before.lets)?;
                elements.below_maps(|inner| Elements::Stepped(inner, step, call.method.clone()))
            }
            ("zip" | "rev" | "step_by", _) if call.args.len() == usize::from(name != "rev") => {
                return self.refuse_order(call, "the elements have no length after a `filter` or a similar adapter");
            }
            _ => {
                let Some(stage) = self.lower_stage(call, before)? else {
                    let takes = match name.as_str() {
                        "enumerate" | "rev" | "copied" | "cloned" => 0,
                        "scan" => 2,
                        _ => 1,
                    };
                    self.errors.push_invalid(call.method.span(), wrong_count(&name, "chain.", takes, call.args.len()));
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
            format!("`.{name}(…)` is not supported here in kernels, because {why}\nhelp: to number or pair all elements, write `.{name}(…)` before the `filter`; to number or pair those that pass, count them in a `for` loop"),
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
