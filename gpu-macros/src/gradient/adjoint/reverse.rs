//! Statements: what they do, and what brings the gradients back through them.
//!
//! A block becomes a tape of entries, each with what the forward sweep does and what the backward sweep does; the backward sweep is that of the
//! last entry first. Both are in one block of Rust, so the backward sweep names the variables of the forward sweep, which never change: what
//! changes is copied into one where it is read. A block in a block is entered twice: by the forward sweep for what it does to variables outside of it, and by the
//! backward sweep, which computes it again, from copies of the variables that it reads:
//!
//! ```text
//! let t = x[i];                 // forward
//! let mut y = t;
//! let y_before = y;
//! if t < 0.0 { y = y * y; }
//! let mut d_y = d_out[i];       // backward
//! if t < 0.0 {
//!     let y = y_before;
//!     let (d, …) = …
//! }
//! d_x[i] += d_y;
//! ```

use super::activity::Activity;
use super::apart::{Shapes, unknown_parts};
use super::arrays::OwnArray;
use super::arrays::shape_of;
use super::calls::Returned;
use super::memory::Frame;
use super::step::{Code, Place, Step, Var};
use super::values::{Gradient, let_step};
use super::{GradientPart, Parameter, unique};
use crate::errors::Errors;
use crate::idents::{text_of, word};
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;

pub(super) struct Reverse<'f> {
    pub(super) function: &'f Function,
    pub(super) activity: Activity,
    pub(super) parameters: Vec<Parameter>,
    pub(super) errors: &'f Errors,
    /// Items that assert what names mean.
    pub(super) asserted: Vec<TokenStream>,
    /// References to elements.
    pub(super) places: HashMap<LocalId, Place>,
    /// What functions of structs, tuples and arrays returned.
    pub(super) results: HashMap<LocalId, Returned>,
    pub(super) shapes: Shapes,
    /// The variables for the parts of parameters.
    of_parameters: &'f [Stmt],
    pub(super) variables: Vec<Variable>,
    of_locals: HashMap<LocalId, Var>,
    gradients: HashMap<LocalId, Gradient>,
    /// Variables whose values were refused: nothing that follows from it is reported.
    pub(super) refused: HashSet<LocalId>,
    taken: HashSet<String>,
    /// Names of arrays, constants and functions, which variables would hide.
    reserved: HashSet<String>,
    pub(super) tape: Vec<Entry>,
    /// The gradients of variables of this block, which begin with zero.
    pub(super) begun: Vec<Step>,
    /// There is a function that several threads compute together: they must be in the same iteration.
    pub(super) has_collectives: bool,
    /// The loop around may end before its range or condition does.
    pub(super) has_breaks: bool,
    /// The arrays that the kernel declares.
    pub(super) arrays: HashMap<LocalId, OwnArray>,
    /// The variables for what is in those of shared memory.
    pub(super) versions: HashSet<Var>,
    /// The kernel, and the loops around the statement.
    pub(super) frames: Vec<Frame>,
    /// What is read here is not always read, or more often than once.
    pub(super) is_lazy: bool,
}

pub(super) struct Variable {
    pub(super) name: Ident,
    pub(super) is_mutable: bool,
    /// The user's variable of which it has the value or the gradient.
    pub(super) of: Option<LocalId>,
    pub(super) is_gradient: bool,
}

/// What one statement or operation does, in both sweeps.
pub(super) struct Entry {
    pub(super) forward: Vec<Step>,
    pub(super) reverse: Vec<Step>,
}

/// What follows a block: leaving it at its end is leaving that.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Tail {
    /// Of the function, or with `false` of a block at its end.
    Function(bool),
    /// Of the body of that loop, or with `false` of a block at its end.
    Loop(LabelId, bool),
    None,
}

impl Tail {
    /// Of a block at the end of this one.
    pub(super) fn inner(self) -> Tail {
        match self {
            Tail::Function(_) => Tail::Function(false),
            Tail::Loop(label, _) => Tail::Loop(label, false),
            Tail::None => Tail::None,
        }
    }

    pub(super) fn is_outermost(self) -> bool {
        matches!(self, Tail::Function(true) | Tail::Loop(_, true))
    }
}

impl<'f> Reverse<'f> {
    pub(super) fn new(
        function: &'f Function,
        shapes: Shapes,
        of_parameters: &'f [Stmt],
        parameters: Vec<Parameter>,
        taken: HashSet<String>,
        errors: &'f Errors,
    ) -> Self {
        let mut reserved = HashSet::new();
        function.body.for_each_child(&mut |expr| reserve_paths(expr, &mut reserved));
        reserved.extend(function.constants.iter().map(|constant| word(&constant.name)));
        reserved.extend(parameters.iter().filter(|parameter| parameter.is_array()).map(|parameter| word(&parameter.name)));
        Reverse {
            reserved,
            function,
            activity: Activity::of(function, of_parameters, &parameters),
            results: HashMap::new(),
            shapes,
            of_parameters,
            parameters,
            errors,
            asserted: Vec::new(),
            places: HashMap::new(),
            variables: Vec::new(),
            of_locals: HashMap::new(),
            gradients: HashMap::new(),
            refused: HashSet::new(),
            taken,
            tape: Vec::new(),
            begun: Vec::new(),
            has_collectives: false,
            has_breaks: false,
            arrays: HashMap::new(),
            versions: HashSet::new(),
            frames: Vec::new(),
            is_lazy: false,
        }
    }

    pub(super) fn names(&self) -> Vec<Ident> {
        self.variables.iter().map(|variable| variable.name.clone()).collect()
    }

    pub(super) fn refuse<T>(&mut self, span: Span, message: impl Display) -> Option<T> {
        self.errors.push(span, message);
        None
    }

    pub(super) fn unsupported<T>(&mut self, expr: &Expr) -> Option<T> {
        let what = match &expr.kind {
            ExprKind::Match { .. } => "`match` is not supported\nhelp: write `if`",
            ExprKind::Loop { .. } => "`loop` with a value is not supported\nhelp: assign the value to a variable before `break`",
            ExprKind::Break { .. } => {
                "`break` here is not supported\nhelp: write `if … { break; }` outside of other blocks of the loop, or an `else`"
            }
            ExprKind::Return(_) => {
                "`return` here is not supported\nhelp: write `if … { return; }` outside of loops and of other blocks, or an `else`"
            }
            ExprKind::Continue { .. } => {
                "`continue` here is not supported\nhelp: write `if … { continue; }` outside of other blocks of the loop, or an `else`"
            }
            ExprKind::Closure(_) | ExprKind::CallLocal { .. } => {
                "a closure is not supported\nhelp: write a function with `#[gpu_device(grad)]`"
            }
            ExprKind::Atomic { .. } => "an atomic operation is not supported\nhelp: let each thread write its own elements",
            ExprKind::Struct { constructor, .. } => {
                return self.refuse(expr.span, unknown_parts(&format!("`{}`", constructor.owner.short_name())));
            }
            ExprKind::Field { .. } => return self.refuse(expr.span, unknown_parts("the type of this")),
            ExprKind::Associated { .. } => {
                "a method or an operator of a type of your own is not supported\nhelp: write a function with `#[gpu_device(grad)]`"
            }
            ExprKind::Array(_) | ExprKind::Repeat { .. } => {
                "an array in a variable is not supported\nhelp: use variables of numbers, or an array that is a parameter"
            }
            ExprKind::Tuple(_) | ExprKind::TupleField { .. } => {
                "a tuple in a variable is not supported\nhelp: use a variable for each number"
            }
            ExprKind::Borrow { .. } | ExprKind::Subslice { .. } => "a reference here is not supported\nhelp: use the elements, `x[i]`",
            ExprKind::Tile { .. } => "a tile is not supported\nhelp: use the elements, `x[i]`",
            ExprKind::Assembly(_) => "`ptx!` is not supported\nhelp: write it in Rust",
            ExprKind::Panic { .. } => "`panic!` is not supported\nhelp: remove it, or use `assert!` in another kernel",
            ExprKind::Assert { .. } => "`assert!` is not supported\nhelp: check the arguments on the host",
            ExprKind::Variant { .. } | ExprKind::Let { .. } | ExprKind::Again { .. } => {
                "`Option` is not supported\nhelp: compare the index with the length"
            }
            _ => "this expression is not supported\nhelp: the chapter \"Gradients\" of the book lists what is",
        };
        self.refuse(expr.span, format!("the gradient of a kernel: {what}"))
    }

    // Variables.

    pub(super) fn unique(&mut self, base: &str) -> String {
        unique(base, &mut self.taken)
    }

    pub(super) fn variable(&mut self, variable: Variable) -> Var {
        self.variables.push(variable);
        Var(self.variables.len() - 1)
    }

    /// A variable of ours, which does not change.
    pub(super) fn fresh(&mut self, base: &str) -> Var {
        let name = Ident::new(&self.unique(base), Span::mixed_site());
        self.variable(Variable { name, is_mutable: false, of: None, is_gradient: false })
    }

    /// One with a name like that of `var`.
    pub(super) fn fresh_like(&mut self, var: Var) -> Var {
        let base = format!("{}_now", word(&self.variables[var.0].name));
        self.fresh(&base)
    }

    pub(super) fn is_mutable(&self, var: Var) -> bool {
        self.variables[var.0].is_mutable
    }

    pub(super) fn name_tokens(&self, var: Var) -> TokenStream {
        self.variables[var.0].name.to_token_stream()
    }

    pub(super) fn read(&self, var: Var, span: Span) -> Code {
        let mut name = self.variables[var.0].name.clone();
        name.set_span(name.span().located_at(span));
        Code { tokens: name.to_token_stream(), reads: vec![var], is_stable: !self.variables[var.0].is_mutable }
    }

    /// The variable of the user's.
    pub(super) fn var_of(&mut self, local: LocalId) -> Var {
        if let Some(var) = self.of_locals.get(&local) {
            return *var;
        }
        let declared = self.function.local(local);
        let text = word(&declared.name);
        let is_first = !self.reserved.contains(&text) && !self.variables.iter().any(|variable| word(&variable.name) == text);
        let name = match is_first {
            true => declared.name.clone(),
            false => Ident::new(&self.unique(&text), declared.name.span()),
        };
        // One without a value at first is assigned once, and so is as one that changes.
        let var = self.variable(Variable { name, is_mutable: declared.mutable, of: Some(local), is_gradient: false });
        self.of_locals.insert(local, var);
        var
    }

    /// The variable with the gradient of `var`. That of a value that is used several times begins with zero, where this block's backward sweep does.
    pub(super) fn gradient_var(&mut self, var: Var, scalar: Scalar, is_used_once: bool) -> Gradient {
        let name = format!("d_{}", word(&self.variables[var.0].name));
        let name = Ident::new(&self.unique(&name), Span::mixed_site());
        let of = self.variables[var.0].of;
        let gradient = self.variable(Variable { name, is_mutable: !is_used_once, of, is_gradient: true });
        if !is_used_once {
            self.begun.push(let_step(gradient, Some(scalar), zero(scalar)));
        }
        Gradient { var: gradient, scalar, is_used_once }
    }

    /// That of the user's variable.
    pub(super) fn gradient_of(&mut self, local: LocalId, span: Span) -> Option<Gradient> {
        if let Some(gradient) = self.gradients.get(&local) {
            return Some(*gradient);
        }
        if self.refused.contains(&local) {
            return None;
        }
        let name = self.function.local(local).name.clone();
        self.refuse(
            span,
            format!("the gradient of `{name}` is not supported: it is no number of type `f32` or `f64` as far as the attribute can see\nhelp: use a variable of a number, and write its type, `let {name}: f32 = …`"),
        )
    }

    pub(super) fn declare_gradient(&mut self, local: LocalId) -> Option<Gradient> {
        let scalar = self.function.local(local).ty.as_scalar().filter(|scalar| scalar.is_float());
        let Some(scalar) = scalar.filter(|_| !self.function.local(local).is_reference()) else {
            return self.gradient_of(local, self.function.local(local).name.span());
        };
        let var = self.var_of(local);
        let gradient = self.gradient_var(var, scalar, false);
        self.gradients.insert(local, gradient);
        Some(gradient)
    }

    /// The variable of an expression with branches, which each assign it.
    pub(super) fn declare_result(&mut self, scalar: Scalar) -> (Var, Gradient) {
        let result = self.fresh("result");
        self.variables[result.0].is_mutable = true;
        let gradient = self.gradient_var(result, scalar, false);
        self.push(vec![let_step(result, Some(scalar), zero(scalar))], Vec::new());
        (result, gradient)
    }

    /// The code, if it may stand again where its variables are in scope, else a variable with its value.
    pub(super) fn stable(&mut self, code: Code) -> Code {
        if code.is_stable {
            return code;
        }
        let var = self.fresh("k");
        self.push(vec![let_step(var, None, code)], Vec::new());
        self.read(var, Span::mixed_site())
    }

    /// The numbers in parameters of structs, tuples and arrays whose gradients the steps add to.
    pub(super) fn parts_of_gradients(&mut self, steps: &[Step]) -> Vec<Vec<GradientPart>> {
        let mut parts: Vec<Vec<GradientPart>> = self.parameters.iter().map(|_| Vec::new()).collect();
        let mut places = Vec::new();
        steps.iter().for_each(|step| {
            step.for_each(&mut |step| {
                if let Step::Add { place, .. } = step {
                    places.push(place);
                }
            });
        });
        for place in places {
            let members: Vec<Member> = place.fields().into_iter().cloned().collect();
            let known = &mut parts[place.param];
            if !self.parameters[place.param].is_of_parts() || known.iter().any(|part| part.members == members) {
                continue;
            }
            let ty = self.parameters[place.param].element.at(&members).expect("the place is in an element").clone();
            let (lengths, number) = shape_of(&ty);
            let names: Vec<_> = members.iter().map(text_of).collect();
            let base = format!("d_{}_{}", word(&self.parameters[place.param].user_name), names.join("_").replace("r#", ""));
            let name = Ident::new(&self.unique(base.trim_end_matches('_')), Span::mixed_site());
            let scalar = number.as_scalar().expect("it is a number");
            parts[place.param].push(GradientPart { members, name, scalar, lengths: lengths.iter().map(Length::tokens).collect() });
        }
        for (parameter, parts) in self.parameters.iter().zip(&mut parts) {
            parts.sort_by_key(|part| parameter.element.order_of(&part.members));
        }
        parts
    }

    pub(super) fn push(&mut self, forward: Vec<Step>, reverse: Vec<Step>) {
        self.tape.push(Entry { forward, reverse });
    }

    /// The whole kernel: the forward sweep, and the backward sweep after it.
    pub(super) fn function(&mut self) -> Vec<Step> {
        for param in 0..self.parameters.len() {
            let local = self.function.params[param].local;
            if self.parameters[param].is_array() || self.parameters[param].is_of_parts() || self.parameters[param].is_written {
                continue;
            }
            self.var_of(local);
            if !self.activity.varies(local) {
                continue;
            }
            let Some(gradient) = self.declare_gradient(local) else { continue };
            // After all of the backward sweep.
            let span = self.function.local(local).name.span();
            let value = self.read(gradient.var, span);
            self.push(Vec::new(), vec![Step::Add { place: Place::of_number(param, span), value, span }]);
        }
        let (function, of_parameters) = (self.function, self.of_parameters);
        self.statements(of_parameters, None, Tail::None);
        // The gradients that a function returns come after all of its backward sweep.
        let tail = Tail::Function(function.output == Type::Unit);
        let (forward, reverse) = {
            let outer = std::mem::take(&mut self.tape);
            let begun = std::mem::take(&mut self.begun);
            let (mut forward, inner, _) = self.frame(&mut |reverse| reverse.body(&function.body, tail));
            let mut backward = begun;
            backward.extend(inner);
            for entry in outer.into_iter().rev() {
                forward.splice(0..0, entry.forward);
                backward.extend(entry.reverse);
            }
            (forward, backward)
        };
        let mut steps = forward;
        steps.extend(reverse);
        steps
    }

    /// Both sweeps of a block.
    pub(super) fn block(&mut self, run: &mut dyn FnMut(&mut Self)) -> (Vec<Step>, Vec<Step>) {
        let (tape, begun) = (std::mem::take(&mut self.tape), std::mem::take(&mut self.begun));
        run(self);
        let tape = std::mem::replace(&mut self.tape, tape);
        let mut backward = std::mem::replace(&mut self.begun, begun);
        let mut forward = Vec::new();
        let mut entries = Vec::new();
        for entry in tape {
            forward.extend(entry.forward);
            entries.push(entry.reverse);
        }
        backward.extend(entries.into_iter().rev().flatten());
        (forward, backward)
    }

    pub(super) fn body(&mut self, block: &Block, tail: Tail) {
        self.statements(&block.stmts, block.value.as_deref(), tail);
    }
}

/// The names of constants and functions in the expression.
fn reserve_paths(expr: &Expr, reserved: &mut HashSet<String>) {
    // A longer path begins with a module or a type, of whose name there may be a variable too.
    if let ExprKind::Constant(path) | ExprKind::Call { path, .. } = &expr.kind
        && let Some(name) = path.get_ident()
    {
        reserved.insert(word(name));
    }
    expr.for_each_child(&mut |child| reserve_paths(child, reserved));
}

/// The number zero of that type.
pub(super) fn zero(scalar: Scalar) -> Code {
    let literal: proc_macro2::Literal = format!("0.0{}", scalar.name()).parse().expect("it is a number");
    Code::constant(literal.into_token_stream())
}
