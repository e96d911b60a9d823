//! `match` and similar expressions, as values.

use super::Generator;
use super::patterns::Bound;
use super::types::Type;

impl Generator<'_> {
    /// Something to match, and its type.
    pub(super) fn matched(&mut self, depth: u32) -> (String, Type) {
        let ty = self.any_type(2);
        let value = self.expr(&ty, depth, false);
        // The attribute sees the type of what is matched from its variable, or from the patterns.
        let text = if self.chance(0.5) { format!("({{ let matched: {} = {value}; matched }})", ty.name()) } else { value };
        (text, ty)
    }

    /// What `inner` makes where the variables of a pattern are known.
    pub(super) fn with_bound<R>(&mut self, bound: &Bound, inner: impl FnOnce(&mut Self) -> R) -> R {
        self.scoped(|this| {
            for variable in &bound.variables {
                this.declare_variable(variable.clone());
            }
            inner(this)
        })
    }

    /// ` if …`, which changes nothing.
    pub(super) fn guard(&mut self, probability: f32) -> String {
        if !self.chance(probability) {
            return String::new();
        }
        let condition = self.read_only(|inner| inner.condition(2));
        format!(" if {condition}")
    }

    pub(super) fn match_value(&mut self, ty: &Type, depth: u32, known: bool) -> String {
        let (value, of) = self.matched(depth - 1);
        let (bounds, optional) = self.patterns_of_all(&of);
        let mut arms = Vec::new();
        for (i, bound) in bounds.iter().enumerate() {
            arms.push(self.with_bound(bound, |inner| {
                let guard = inner.guard(if i < optional { 0.3 } else { 0.0 });
                let arm = inner.arm(ty, depth, known);
                format!("{}{guard} => {{ {arm} }}", bound.pattern)
            }));
        }
        format!("(match {value} {{ {} }})", arms.join(" "))
    }

    /// `let pattern = value`, perhaps with conditions around it, and what it binds.
    pub(super) fn let_condition(&mut self, depth: u32) -> (String, Bound) {
        let (value, of) = self.matched(depth);
        let bound = self.pattern(&of, true);
        let mut text = format!("let {} = {value}", bound.pattern);
        if self.chance(0.2) {
            text = format!("{} && {text}", self.condition(1));
        }
        if self.chance(0.3) {
            let condition = self.with_bound(&bound, |inner| inner.read_only(|inner| inner.condition(2)));
            text = format!("{text} && {condition}");
        }
        (text, bound)
    }

    pub(super) fn if_let_value(&mut self, ty: &Type, depth: u32, known: bool) -> String {
        let (condition, bound) = self.let_condition(depth - 1);
        let then = self.with_bound(&bound, |inner| inner.arm(ty, depth, known));
        format!("(if {condition} {{ {then} }} else {{ {} }})", self.arm(ty, depth, known))
    }

    pub(super) fn matches(&mut self, depth: u32) -> String {
        let (value, of) = self.matched(depth - 1);
        let bound = self.pattern(&of, true);
        let guard = self.with_bound(&bound, |inner| inner.guard(0.3));
        // The macro of plain Rust takes no pattern that begins with dots.
        let pattern = if bound.pattern.starts_with("..") { format!("({})", bound.pattern) } else { bound.pattern };
        format!("matches!({value}, {pattern}{guard})")
    }

    pub(super) fn may_leave(&self) -> bool {
        !self.safe || self.output.is_some() || !self.labels.is_empty()
    }

    /// A way out of where the statement stands.
    pub(super) fn leave(&mut self) -> String {
        match self.rng.u32(..12) {
            0 if !self.safe => "panic!(\"no way\")".to_owned(),
            1..5 if !self.labels.is_empty() => self.jump(),
            _ if self.safe && self.output.is_none() => self.jump(),
            _ => {
                let output = self.output.clone();
                let value = output.map(|output| self.expr(&output, 2, true)).unwrap_or_default();
                format!("return {value}")
            }
        }
    }

    pub(super) fn jump(&mut self) -> String {
        let label = self.labels[self.rng.usize(..self.labels.len())].clone();
        let jump = if label.is_loop { self.pick(&["break", "continue"]) } else { "break" };
        format!("{jump} {}", label.name)
    }
}
