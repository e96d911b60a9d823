//! Functions in which threads wait for each other: which threads reach them together, and which of them get the same result.

use super::effects::{AwaitedCall, Collective, CollectiveScope};
use super::walker::Walker;
use crate::check::values::form::Uniformity;
use crate::check::values::interval::Interval;
use crate::check::values::value::Value;
use crate::model::*;
use proc_macro2::Span;

impl<'f> Walker<'f> {
    /// The call `whole` of a function of the runtime.
    pub(super) fn builtin(&mut self, builtin: Builtin, args: &'f [Expr], whole: &'f Expr) -> Value {
        let args: Vec<Value> = args.iter().map(|arg| self.expr(arg)).collect();
        let scope = match builtin.effect {
            Effect::Reads | Effect::Writes | Effect::Yields => None,
            Effect::Collective => Some(CollectiveScope::Block),
            Effect::GridCollective => Some(CollectiveScope::Grid),
            Effect::WarpCollective => Some(CollectiveScope::Warp),
            Effect::LanesCollective => match args.last().and_then(|lanes| lanes.form.as_constant()) {
                Some(lanes) if lanes == u32::MAX.into() => Some(CollectiveScope::Warp),
                _ => Some(CollectiveScope::Lanes),
            },
        };
        if let Some(scope) = scope {
            self.collective(builtin.name.to_owned(), whole.span, scope);
        }
        match builtin {
            Builtin::LaneId => return self.lane(),
            Builtin::WarpId => return self.warp(),
            _ => {}
        }
        let spread = match builtin.uniform {
            _ if scope == Some(CollectiveScope::Lanes) => Uniformity::Thread,
            Uniform::No => Uniformity::Thread,
            Uniform::OfLane => self.spread_of_lane(&args[1]),
            Uniform::Warp => Uniformity::Warp,
            Uniform::Block => Uniformity::Block,
        };
        let range = Interval::of_type(whole.ty.as_scalar());
        let most = range.most.min(builtin.ceiling.into());
        self.fresh(spread, Interval { most, ..range })
    }

    /// The call `whole` of a device function in which threads may wait.
    pub(super) fn awaited_call(&mut self, path: &syn::Path, args: &'f [Expr], whole: &'f Expr) -> Value {
        let args = args.iter().map(|arg| self.expr(arg).spread).collect();
        self.findings.awaited.push(AwaitedCall { call: whole, args });
        // All threads of the block must reach the barriers in it: `check_collectives` refuses others.
        let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        // Whether it has a barrier depends on its arguments.
        let before = self.ways.clone();
        self.collective(name, whole.span, CollectiveScope::Block);
        self.ways.join(before);
        let is_uniform = self.uniform_calls.contains(&std::ptr::from_ref(whole));
        self.unknown(if is_uniform { Uniformity::Block } else { Uniformity::Thread }, &whole.ty)
    }

    fn collective(&mut self, name: String, span: Span, scope: CollectiveScope) {
        self.findings.collectives.push(Collective { name, span, together: self.control, scope });
        if matches!(scope, CollectiveScope::Block | CollectiveScope::Grid) {
            self.pass_barrier();
        }
    }

    /// Threads return `value`.
    pub(super) fn end(&mut self, value: &Value) {
        if !self.dead {
            self.findings.result = self.findings.result.max(value.spread).max(self.control);
            self.note_end();
        }
    }
}

/// The awaited calls with these numbers.
pub(super) fn calls_with_uniform_results(function: &Function, results: ParameterSet) -> Vec<*const Expr> {
    if results.is_empty() {
        return Vec::new();
    }
    let calls = awaited_calls(&function.body);
    results.numbers().filter_map(|number| calls.get(number)).map(|call| std::ptr::from_ref(*call)).collect()
}
