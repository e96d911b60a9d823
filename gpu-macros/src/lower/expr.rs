//! Expressions: the dispatch over syn's forms, literals, operators, places and assignments.

use super::reference::Shape;
use super::stmt::checked_attributes;
use super::{Lowerer, without_parentheses};
use crate::first_span::Start;
use crate::model::*;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(super) fn lower_expr(&mut self, expr: &syn::Expr) -> Expr {
        let lowered = self.lower_form(expr);
        match expr {
            syn::Expr::Binary(binary) => Expr { operator: binary.op.start(), ..lowered },
            syn::Expr::Index(index) => Expr { operator: index.bracket_token.span.join(), ..lowered },
            _ => lowered,
        }
    }

    fn lower_form(&mut self, expr: &syn::Expr) -> Expr {
        let span = expr.start();
        self.check_attributes(&checked_attributes(expr));
        match expr {
            syn::Expr::Lit(literal) => self.lower_literal(&literal.lit),
            syn::Expr::Path(_) | syn::Expr::Field(_) | syn::Expr::Unary(_) if self.is_reference(expr) => self.refuse_reference(expr),
            syn::Expr::Path(path) => self.lower_path(path),
            syn::Expr::Paren(paren) => self.lower_expr(&paren.expr),
            syn::Expr::Group(group) => self.lower_expr(&group.expr),
            syn::Expr::Unary(unary) => self.lower_unary(unary),
            syn::Expr::Binary(binary) => self.lower_binary(binary),
            syn::Expr::Assign(assign) => self.lower_assign(assign),
            syn::Expr::Cast(cast) => self.lower_cast(cast),
            syn::Expr::Index(index) => self.lower_index(index),
            syn::Expr::Field(field) => self.lower_field(field),
            syn::Expr::Struct(literal) => self.lower_struct(literal),
            syn::Expr::Tuple(tuple) => {
                let elements = tuple.elems.iter().map(|element| self.lower_expr(element)).collect();
                self.expr(ExprKind::Tuple(elements), span)
            }
            syn::Expr::Array(array) => {
                let elements = array.elems.iter().map(|element| self.lower_expr(element)).collect();
                self.expr(ExprKind::Array(elements), span)
            }
            syn::Expr::Repeat(repeat) => {
                let element = Box::new(self.lower_expr(&repeat.expr));
                let length = self.lower_length(&repeat.len);
                self.expr(ExprKind::Repeat { element, length }, span)
            }
            syn::Expr::Call(call) => self.lower_call(call),
            syn::Expr::Await(awaited) => self.lower_await(awaited),
            syn::Expr::Closure(closure) => self.refuse_closure(closure.span()),
            syn::Expr::MethodCall(_) | syn::Expr::Try(_) => match self.lower_with_shape(expr) {
                (lowered, Shape::Value) => lowered,
                (lowered, _) if lowered.is_refused() => lowered,
                (..) => self.refuse_reference(expr),
            },
            syn::Expr::Macro(call) => self.lower_macro(&call.mac),
            syn::Expr::If(branch) => self.lower_if(branch),
            syn::Expr::Match(whole) => self.lower_match(whole),
            syn::Expr::Block(block) => self.lower_block_expr(block),
            syn::Expr::Unsafe(block) => self.lower_unsafe(block),
            syn::Expr::Loop(repeat) => self.lower_loop(repeat),
            syn::Expr::While(repeat) => self.lower_while(repeat),
            syn::Expr::ForLoop(repeat) => self.lower_for(repeat),
            syn::Expr::Break(leave) => self.lower_break(leave),
            syn::Expr::Continue(next) => self.lower_continue(next),
            syn::Expr::Return(leave) => {
                if let (true, Some(value)) = (self.is_kernel && !self.is_in_closure(), &leave.expr) {
                    return self
                        .refuse_invalid(value.span(), "a kernel cannot return a value\nhelp: write results into a `&mut [T]` parameter");
                }
                let value = leave.expr.as_ref().map(|value| Box::new(self.lower_returned(value)));
                match self.inlined {
                    Some(Some(label)) => self.expr(ExprKind::Break { label, named: true, value }, span),
                    _ => self.expr(ExprKind::Return(value), span),
                }
            }
            other => self.refuse_unsupported(other),
        }
    }

    /// What `return` has, or the end of a function.
    fn lower_returned(&mut self, value: &syn::Expr) -> Expr {
        let (true, mutable) = (self.returns != Holds::Value && !self.is_in_closure(), self.returns == Holds::Mutable) else {
            return self.lower_expr(value);
        };
        if let syn::Expr::Reference(reference) = without_parentheses(value)
            && reference.mutability.is_some() == mutable
        {
            let operand = Box::new(self.lower_dereferenced(&reference.expr));
            if operand.is_refused() {
                return *operand;
            }
            if matches!(operand.kind, ExprKind::Index { .. } | ExprKind::Field { .. } | ExprKind::TupleField { .. }) {
                if mutable {
                    self.check_place(&operand);
                }
                return self.expr(ExprKind::Borrow { mutable, operand }, value.start());
            }
        }
        let (name, and) = (&self.source.sig.ident, if mutable { "&mut " } else { "&" });
        self.refuse(
            value.span(),
            format!("`{name}` in kernels must return a reference to a field or to an element of a field\nhelp: return such a reference, for example `{and}self.data[i]`"),
        )
    }

    pub(super) fn lower_literal(&mut self, literal: &syn::Lit) -> Expr {
        let span = literal.span();
        match literal {
            syn::Lit::Int(int) => self.lower_int(int),
            syn::Lit::Float(float) => {
                let suffix = match float.suffix() {
                    "" => None,
                    suffix => match Scalar::from_name(suffix) {
                        Some(scalar) if scalar.is_float() => Some(scalar),
                        _ => {
                            return self
                                .refuse(span, format!("`{suffix}` literals are not supported in kernels\nhelp: use `f32` or `f64`"));
                        }
                    },
                };
                self.expr(ExprKind::Float(FloatLiteral { digits: float.base10_digits().to_owned(), suffix }), span)
            }
            syn::Lit::Bool(flag) => self.expr(ExprKind::Bool(flag.value), span),
            syn::Lit::Byte(byte) => {
                let literal = IntLiteral { value: byte.value().into(), suffix: Some(Scalar::U8) };
                self.expr(ExprKind::Int(literal), span)
            }
            syn::Lit::Char(_) => self.refuse(span, "characters are not supported in kernels\nhelp: write a byte, such as `b'x'`"),
            _ => self.refuse(
                span,
                "strings are not supported in kernels\nhelp: kernels compute with numbers and `bool`; `panic!` and `assert!` take a message",
            ),
        }
    }

    fn lower_int(&mut self, int: &syn::LitInt) -> Expr {
        let span = int.span();
        let suffix = match int.suffix() {
            "" => None,
            suffix => match Scalar::from_name(suffix) {
                // `1f32` is a float literal without a point.
                Some(scalar) if scalar.is_float() => {
                    let literal = FloatLiteral { digits: int.base10_digits().to_owned(), suffix: Some(scalar) };
                    return self.expr(ExprKind::Float(literal), span);
                }
                Some(scalar) if scalar.is_integer() => Some(scalar),
                _ => return self.refuse(span, format!("`{suffix}` literals are not supported in kernels\nhelp: use `i64` or `u64`")),
            },
        };
        match int.base10_parse::<u128>() {
            Ok(value) if value <= u64::MAX.into() => self.expr(ExprKind::Int(IntLiteral { value, suffix }), span),
            _ => self.refuse(span, "this literal does not fit in 64 bits\nhelp: write a smaller number; kernels have no 128-bit integers"),
        }
    }

    fn lower_unary(&mut self, unary: &syn::ExprUnary) -> Expr {
        if let Some(tile) = self.lower_tile_negation(unary) {
            return tile;
        }
        let op = match &unary.op {
            syn::UnOp::Neg(_) => UnaryOp::Negate,
            syn::UnOp::Not(_) => UnaryOp::Not,
            syn::UnOp::Deref(star) => {
                if let Some(unchecked) = self.lower_unchecked_index(&unary.expr) {
                    return unchecked;
                }
                if let Some(element) = self.element_of_single(&unary.expr) {
                    return self.lower_expr(&element);
                }
                // `*self` and `self` are one thing here.
                if let (true, syn::Expr::Path(path)) = (self.has_receiver, &*unary.expr)
                    && path.path.is_ident("self")
                {
                    return self.lower_path(path);
                }
                if self.is_reference(&unary.expr) {
                    return self.lower_dereferenced(&unary.expr);
                }
                if let syn::Expr::MethodCall(_) | syn::Expr::Try(_) = without_parentheses(&unary.expr) {
                    let (lowered, shape) = self.lower_with_shape(&unary.expr);
                    if lowered.is_refused() || matches!(shape, Shape::Reference(_)) {
                        return lowered;
                    }
                }
                if self.is_of_refused(&unary.expr) {
                    let lowered = self.lower_expr(&unary.expr);
                    return if lowered.is_refused() { lowered } else { self.refused(unary.start()) };
                }
                return self.refuse_invalid(
                    star.span(),
                    "`*` needs a reference to one value here\nhelp: write an element of the slice or array, `x[i]`, or remove the `*`",
                );
            }
            other => return self.refuse(other.span(), "this operator is not supported in kernels"),
        };
        let operand = Box::new(self.lower_operand(&unary.expr));
        self.expr(ExprKind::Unary { op, operand }, unary.start())
    }

    fn lower_binary(&mut self, binary: &syn::ExprBinary) -> Expr {
        use syn::BinOp as Syn;
        let span = binary.start();
        let compound = |op| (Some(op), true);
        let plain = |op| (Some(op), false);
        if let (Syn::Mul(_), syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(star), expr: base, .. })) = (&binary.op, &*binary.right)
            && matches!(**base, syn::Expr::Lit(_))
        {
            return self.refuse_invalid(
                star.span(),
                "there is no operator `**`\nhelp: a power is `x.powi(2)`, `x.powf(0.5)` or, of integers, `n.pow(2)`",
            );
        }
        let (op, assigns) = match &binary.op {
            Syn::And(_) => return self.lower_logical(LogicalOp::And, binary),
            Syn::Or(_) => return self.lower_logical(LogicalOp::Or, binary),
            Syn::Add(_) => plain(BinaryOp::Add),
            Syn::Sub(_) => plain(BinaryOp::Subtract),
            Syn::Mul(_) => plain(BinaryOp::Multiply),
            Syn::Div(_) => plain(BinaryOp::Divide),
            Syn::Rem(_) => plain(BinaryOp::Remainder),
            Syn::BitAnd(_) => plain(BinaryOp::BitAnd),
            Syn::BitOr(_) => plain(BinaryOp::BitOr),
            Syn::BitXor(_) => plain(BinaryOp::BitXor),
            Syn::Shl(_) => plain(BinaryOp::ShiftLeft),
            Syn::Shr(_) => plain(BinaryOp::ShiftRight),
            Syn::Eq(_) => plain(BinaryOp::Equal),
            Syn::Ne(_) => plain(BinaryOp::NotEqual),
            Syn::Lt(_) => plain(BinaryOp::Less),
            Syn::Le(_) => plain(BinaryOp::LessEqual),
            Syn::Gt(_) => plain(BinaryOp::Greater),
            Syn::Ge(_) => plain(BinaryOp::GreaterEqual),
            Syn::AddAssign(_) => compound(BinaryOp::Add),
            Syn::SubAssign(_) => compound(BinaryOp::Subtract),
            Syn::MulAssign(_) => compound(BinaryOp::Multiply),
            Syn::DivAssign(_) => compound(BinaryOp::Divide),
            Syn::RemAssign(_) => compound(BinaryOp::Remainder),
            Syn::BitAndAssign(_) => compound(BinaryOp::BitAnd),
            Syn::BitOrAssign(_) => compound(BinaryOp::BitOr),
            Syn::BitXorAssign(_) => compound(BinaryOp::BitXor),
            Syn::ShlAssign(_) => compound(BinaryOp::ShiftLeft),
            Syn::ShrAssign(_) => compound(BinaryOp::ShiftRight),
            _ => (None, false),
        };
        let Some(op) = op else { return self.refuse(binary.op.span(), "this operator is not supported in kernels") };
        if let Some(lowered) = self.lower_tile_binary(op, assigns, binary) {
            return lowered;
        }
        // References are compared with references only.
        let mixed = op.is_comparison() && self.depth_of_operand(&binary.left) != self.depth_of_operand(&binary.right);
        let lower = if mixed { Self::lower_expr } else { Self::lower_operand };
        if assigns {
            self.check_assigned_part(&binary.left);
        }
        let left = Box::new(if assigns { self.lower_expr(&binary.left) } else { lower(self, &binary.left) });
        let right = Box::new(lower(self, &binary.right));
        let site = op.can_fail().then(|| self.site(span, SiteKind::Division));
        if assigns {
            let place = Box::new(self.assigned(*left));
            self.expr(ExprKind::CompoundAssign { op, place, value: right, site }, span)
        } else {
            self.expr(ExprKind::Binary { op, left, right, site }, span)
        }
    }

    fn lower_logical(&mut self, op: LogicalOp, binary: &syn::ExprBinary) -> Expr {
        let left = Box::new(self.lower_expr(&binary.left));
        let right = Box::new(self.lower_expr(&binary.right));
        self.expr(ExprKind::Logical { op, left, right }, binary.start())
    }

    fn lower_cast(&mut self, cast: &syn::ExprCast) -> Expr {
        let operand = Box::new(self.lower_expr(&cast.expr));
        match self.lower_type(&cast.ty) {
            Some(Type::Scalar(to)) => self.expr(ExprKind::Cast { operand, to }, cast.start()),
            Some(Type::Parameter(TypeParam { name, .. })) => {
                self.refuse_invalid(cast.ty.span(), format!("`as` cannot convert to a type parameter\nhelp: write `.cast::<{name}>()`"))
            }
            Some(Type::Variable(_)) => self.refuse(cast.ty.span(), "the type of this cast is missing\nhelp: write it, such as `as f32`"),
            Some(other) => {
                let half = if let Type::Named(named) = &other { named.half_name() } else { None };
                let message = match half {
                    Some(half) => format!(
                        "`as` cannot convert to `{half}`\nhelp: write `{half}::from_f32(x)` or `{half}::from_f64(x)`, and `x.cast::<{half}>()` for an integer"
                    ),
                    None => "the target of a cast must be a number\nhelp: write a type such as `as f32`, and cast the elements of a tuple one by one".to_owned(),
                };
                self.refuse_invalid(cast.ty.span(), message)
            }
            None => self.refused(cast.span()),
        }
    }

    fn lower_index(&mut self, index: &syn::ExprIndex) -> Expr {
        if let Some(array) = array_literal_in(&index.expr) {
            return self.lower_index_of_literal(index, array);
        }
        if let Some(lowered) = self.lower_extent(index) {
            return lowered;
        }
        if let Some(element) = self.lower_index_of_part(index) {
            return element;
        }
        if self.is_of_refused(&index.expr) {
            return self.lower_index_of_refused(index);
        }
        let base = Box::new(self.lower_dereferenced(&index.expr));
        if let syn::Expr::Range(range) = &*index.index {
            return self.refuse_invalid(
                range.span(),
                "a part of an array can only be used by reference in a kernel\nhelp: write `&x[a..b]`, such as in `let part = &x[a..b];`, `for &v in &x[a..b]` or an argument of a device function",
            );
        }
        if self.is_view(&base) {
            return self.lower_element(base, &index.index, SiteKind::AxisIndex, index.start());
        }
        let position = Box::new(self.lower_expr(&index.index));
        let is_table = matches!(&base.kind, ExprKind::Constant(path) if !path.get_ident().is_some_and(is_variable_name));
        if !is_table && !base.is_place() {
            match &base.kind {
                _ if base.is_refused() => {}
                ExprKind::Constant(path) => {
                    self.errors.push_invalid(
                        base.span,
                        format!(
                            "cannot find a variable `{}` in this scope\nhelp: declare it with `let`, or take it as a parameter",
                            path.segments[0].ident
                        ),
                    );
                }
                _ => self.errors.push(base.span, "only variables can be indexed\nhelp: bind the array with `let` first"),
            }
            return self.refused(index.span());
        }
        let site = self.site(index.start(), SiteKind::Index);
        self.expr(ExprKind::Index { base, index: position, site }, index.start())
    }

    /// `[1, 2, 3][i]`: the array has a name first.
    fn lower_index_of_literal(&mut self, index: &syn::ExprIndex, array: &syn::Expr) -> Expr {
        self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let name = lowerer.bind_first(array, "array", &mut stmts);
            let element = lowerer.lower_index(&with_base(index, &name));
            lowerer.block_of(stmts, Some(element), index)
        })
    }

    /// Lowers the indices only, which may be those of a view.
    fn lower_index_of_refused(&mut self, index: &syn::ExprIndex) -> Expr {
        let indices = match without_parentheses(&index.index) {
            syn::Expr::Array(indices) => indices.elems.iter().collect(),
            single => vec![single],
        };
        for index in indices {
            self.lower_expr(index);
        }
        self.refused(index.span())
    }

    /// Whether it is, or is a part of, a variable that was refused where it was declared.
    fn is_of_refused(&self, place: &syn::Expr) -> bool {
        match without_parentheses(place) {
            syn::Expr::Path(path) => {
                // The name of a part of a slice has no type.
                let name = path.path.get_ident().and_then(|name| self.named(name)).filter(|name| name.part.is_none());
                name.is_some_and(|name| self.locals[name.local.0].ty == Type::Refused)
            }
            syn::Expr::Field(field) => self.is_of_refused(&field.base),
            syn::Expr::Index(index) => self.is_of_refused(&index.expr),
            syn::Expr::MethodCall(call) => self.is_of_refused(&call.receiver),
            _ => false,
        }
    }

    /// `x.get_unchecked(i)` or `x.get_unchecked_mut(i)` behind a `*`: an index without a check.
    pub(super) fn lower_unchecked_index(&mut self, pointer: &syn::Expr) -> Option<Expr> {
        let syn::Expr::MethodCall(call) = pointer else { return None };
        if !matches!(call.method.to_string().as_str(), "get_unchecked" | "get_unchecked_mut") || call.args.len() != 1 {
            return None;
        }
        let base = Box::new(self.lower_expr(&call.receiver));
        if self.is_view(&base) {
            return Some(self.lower_element(base, &call.args[0], |_| SiteKind::Unchecked, call.start()));
        }
        let index = Box::new(self.lower_expr(&call.args[0]));
        let site = self.site(call.start(), SiteKind::Unchecked);
        Some(self.expr(ExprKind::Index { base, index, site }, call.start()))
    }

    fn lower_assign(&mut self, assign: &syn::ExprAssign) -> Expr {
        if let syn::Expr::Index(syn::ExprIndex { index, .. }) = without_parentheses(&assign.left)
            && let syn::Expr::Range(range) = &**index
        {
            return self.refuse_invalid(
                range.span(),
                "a part of an array cannot be assigned\nhelp: copy the elements, with `out[a..b].copy_from_slice(&x[c..d])` or in a loop",
            );
        }
        // Rust evaluates the value first, then the place.
        let value = Box::new(self.lower_expr(&assign.right));
        let target = self.lower_target(&assign.left);
        self.note_exchange(&target, &value, assign.start());
        self.expr(ExprKind::Assign { target, value }, assign.start())
    }

    pub(super) fn lower_target(&mut self, target: &syn::Expr) -> Target {
        match target {
            syn::Expr::Infer(wildcard) => Target::Wildcard(wildcard.span()),
            syn::Expr::Paren(paren) => self.lower_target(&paren.expr),
            syn::Expr::Tuple(tuple) => Target::Tuple(tuple.elems.iter().map(|element| self.lower_target(element)).collect(), tuple.start()),
            place => {
                self.check_assigned_part(place);
                let place = self.lower_expr(place);
                Target::Place(Box::new(self.assigned(place)))
            }
        }
    }

    /// The left side of an assignment, if it can be one.
    fn assigned(&mut self, place: Expr) -> Expr {
        let before = self.errors.count();
        self.check_place(&place);
        if self.errors.count() == before { place } else { self.refused(place.span) }
    }

    /// Refuses the left side of an assignment that is not a variable or element, and an element of a `&[T]`. rustc checks whether a
    /// variable is mutable.
    pub(super) fn check_place(&mut self, place: &Expr) {
        match &place.kind {
            ExprKind::Local(local) => {
                self.check_not_captured(*local, place.span);
                self.check_not_borrowed(*local, place.span);
            }
            ExprKind::Index { base, site, .. } | ExprKind::Subslice { base, site, .. } if self.sites[site.0].cache.is_none() => match &base.kind {
                ExprKind::Local(local) => {
                    self.check_not_captured(*local, base.span);
                    self.check_not_borrowed(*local, base.span);
                    self.check_element_place(place, *local);
                }
                ExprKind::Index { .. } | ExprKind::Element { .. } | ExprKind::TupleField { .. } | ExprKind::Field { .. } => {
                    self.check_place(base);
                }
                _ => {}
            },
            ExprKind::Element { base, .. } => {
                self.check_element_not_captured(base);
                self.check_element_of_view(base, place.span);
            }
            ExprKind::TupleField { base, .. } | ExprKind::Field { base, .. } => self.check_place(base),
            _ if place.is_refused() => {}
            ExprKind::Axis { .. } => self
                .errors
                .push(place.span, "thread and block coordinates cannot be assigned\nhelp: copy the coordinate into a `let mut` first"),
            ExprKind::Constant(path) => {
                let name = path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
                let help = "take a `&mut [T]` parameter, or a slice of atomics, such as `&[AtomicU32]`, for what threads share";
                self.errors.push_invalid(place.span, format!("kernels cannot change the constant or `static` `{name}`\nhelp: {help}"));
            }
            _ => self.errors.push_invalid(place.span, "only a variable or an element of an array can be assigned\nhelp: write the variable or element on the left, such as `x[i] = …`"),
        }
    }

    /// Refuses an element of the variable `slice` if that is a `&[T]`.
    fn check_element_place(&self, place: &Expr, slice: LocalId) {
        let Local { name, ty: Type::Slice { element, mutable: false }, .. } = &self.locals[slice.0] else { return };
        if let Type::Atomic(_) = **element {
            self.errors.push_invalid(
                place.span,
                "an atomic cannot be assigned: its methods change it\nhelp: write `.store(value, Ordering::Relaxed)`, `.fetch_add(value, Ordering::Relaxed)` or another method",
            );
            return;
        }
        let element = match &**element {
            Type::Parameter(param) => param.name.to_string(),
            Type::Named(named) => named.path.segments.last().map_or_else(|| "T".to_owned(), |last| last.ident.to_string()),
            other => other.as_scalar().map_or("T", Scalar::name).to_owned(),
        };
        self.errors.push_invalid(
            place.span,
            format!("`{name}` is a `&[{element}]`, so its elements cannot be assigned\nhelp: declare it `{name}: &mut [{element}]`"),
        );
    }
}

/// The array that is written out where `place` begins: `[1, 2]` in `[1, 2][i][j]`.
fn array_literal_in(place: &syn::Expr) -> Option<&syn::Expr> {
    match without_parentheses(place) {
        array @ (syn::Expr::Array(_) | syn::Expr::Repeat(_)) => Some(array),
        syn::Expr::Index(index) => array_literal_in(&index.expr),
        _ => None,
    }
}

/// The same element of `base` in place of that array.
fn with_base(index: &syn::ExprIndex, base: &syn::Expr) -> syn::ExprIndex {
    let expr = match without_parentheses(&index.expr) {
        syn::Expr::Index(inner) => syn::Expr::Index(with_base(inner, base)),
        _ => base.clone(),
    };
    syn::ExprIndex { expr: Box::new(expr), ..index.clone() }
}
