//! Operations on atomics in CUDA C.
//!
//! The operation itself is relaxed, and uses CUDA's own function if there is one. An ordering adds a fence before it, so that every thread
//! that sees the operation also sees the thread's earlier writes, and a fence after it, so that the thread's later accesses see what other
//! threads wrote before the value that it read.

use super::Emitter;
use super::code::Code;
use super::expr::nothing;
use super::text::c;
use crate::model::*;

impl Emitter<'_> {
    /// The atomic operation `expr`. `wanted`: somebody reads its value.
    pub(super) fn atomic(&mut self, expr: &Expr, wanted: bool) -> Code {
        let ExprKind::Atomic { method, place, args, orderings, scope, answer, .. } = &expr.kind else {
            unreachable!("only atomic operations come here")
        };
        let is_half = matches!(place.ty, Type::Atomic(AtomicValue::F16 | AtomicValue::Bf16));
        self.need(if is_half { "half_atomic" } else { "atomic" });
        let scope = if is_shared(place) && *scope == AtomicScope::Device { AtomicScope::Block } else { *scope };
        let fences = Fences::new(orderings);
        let target = self.base_place(place, args.iter().any(Expr::writes));
        let mut values = self.operands(&args.iter().collect::<Vec<_>>());
        if fences.before.is_some() {
            // They are read before the fence, as they are in Rust.
            values = values.into_iter().zip(args).map(|(value, arg)| self.spill_unless_word(value, &arg.ty, "value")).collect();
        }
        if let Some(fence) = fences.before {
            self.writer.line(format!("{fence}<{}>();", scope_name(scope)));
        }
        let template =
            if scope == AtomicScope::Device || *method == AtomicMethod::Load { String::new() } else { format!("<{}>", scope_name(scope)) };
        let mut arguments = c!["&", target];
        values.iter().for_each(|value| arguments.push(c![", ", value.text]));
        let operation = match (answer, method.result) {
            (AtomicAnswer::Whole, AtomicResult::Outcome) => "exchange_result",
            _ => operation(*method),
        };
        let call = c!["gr_atomic_", operation, template, "(", arguments, ")"];
        let code = match answer {
            AtomicAnswer::IsErr(_) => Code::call(c!["(!", call, ")"]),
            AtomicAnswer::Whole | AtomicAnswer::IsOk(_) => Code::call(call),
        };
        if !fences.after {
            return code;
        }
        let value = if wanted {
            self.spill(code, &expr.ty, "value")
        } else {
            self.writer.line(c![code.text, ";"]);
            nothing()
        };
        self.writer.line(format!("gr_fence<{}>();", scope_name(scope)));
        value
    }
}

/// Shared memory belongs to one block, whatever the scope.
fn is_shared(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Index { base, .. } => matches!(base.ty, Type::Shared(_)) || is_shared(base),
        _ => false,
    }
}

fn scope_name(scope: AtomicScope) -> &'static str {
    match scope {
        AtomicScope::Block => "gr_block",
        AtomicScope::Device => "gr_device",
        AtomicScope::System => "gr_system",
    }
}

struct Fences {
    before: Option<&'static str>,
    after: bool,
}

impl Fences {
    /// An ordering that covers all of `orderings`: an exchange has one for success and one for failure, and the fence before it cannot know
    /// the result.
    fn new(orderings: &[AtomicOrdering]) -> Self {
        let any = |test: fn(Order) -> bool| orderings.iter().any(|ordering| test(ordering.order));
        let before = if any(|order| order == Order::SeqCst) { Some("gr_fence_sc") } else { any(Order::releases).then_some("gr_fence") };
        Fences { before, after: any(Order::acquires) }
    }
}

/// The end of the C function's name, after `gr_atomic_`.
fn operation(method: AtomicMethod) -> &'static str {
    match method {
        AtomicMethod::Load => "load",
        AtomicMethod::Store => "store",
        AtomicMethod::Swap => "swap",
        AtomicMethod::FetchAdd => "add",
        AtomicMethod::FetchSub => "sub",
        AtomicMethod::FetchAnd => "and",
        AtomicMethod::FetchOr => "or",
        AtomicMethod::FetchXor => "xor",
        AtomicMethod::FetchNand => "nand",
        AtomicMethod::FetchMin => "min",
        AtomicMethod::FetchMax => "max",
        AtomicMethod::CompareExchange | AtomicMethod::CompareExchangeWeak => "compare_exchange",
        AtomicMethod::FetchCompareExchange => "cas",
        AtomicMethod::FetchIncWrapping => "inc",
        AtomicMethod::FetchDecWrapping => "dec",
    }
}
