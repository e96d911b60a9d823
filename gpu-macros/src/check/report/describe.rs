//! The text of expressions and conditions in messages: as their user would write them, and short.

use crate::model::*;
use quote::ToTokens;

/// Longer expressions are cut off.
const MOST: usize = 60;

/// `base[index]`, the place of an access with these indices.
pub(crate) fn text_of_place<'e>(function: &Function, base: &Expr, indices: impl ExactSizeIterator<Item = &'e Expr>) -> String {
    let base = text_of(function, base);
    let indices: Vec<String> = indices.map(|index| text_of(function, index)).collect();
    match indices.as_slice() {
        [] => base,
        [index] => format!("{base}[{index}]"),
        _ => format!("{base}[[{}]]", indices.join(", ")),
    }
}

/// The expression, if it is not too long.
pub(crate) fn text_of(function: &Function, expr: &Expr) -> String {
    let text = Text { function }.expr(expr, 0);
    if text.len() <= MOST { text } else { "…".into() }
}

/// `inequality` as `a <= b` over natural numbers.
pub(crate) fn text_of_inequality(function: &Function, inequality: &Inequality) -> String {
    if let Some(param) = inequality.as_exclusive() {
        return format!("!{}.is_shared()", function.local(function.params[param].local).name);
    }
    let (left, right) = inequality.sides();
    let text = format!("{} <= {}", text_of_polynomial(function, &left), text_of_polynomial(function, &right));
    match inequality.or.iter().map(|other| text_of_inequality(function, other)).reduce(|all, other| format!("{all}` and `{other}")) {
        Some(others) => format!("{text}` or `{others}"),
        None => text,
    }
}

fn text_of_polynomial(function: &Function, polynomial: &Polynomial) -> String {
    if polynomial.terms.is_empty() {
        return "0".into();
    }
    let term = |term: &Term| {
        let factors = term.factors.iter().map(|atom| text_of_atom(function, atom));
        let coefficient = match term.coefficient {
            1 if !term.factors.is_empty() => None,
            value if value == u64::MAX.into() => Some("usize::MAX".to_owned()),
            value => Some(value.to_string()),
        };
        coefficient.into_iter().chain(factors).collect::<Vec<_>>().join(" * ")
    };
    // A number stands last.
    let (numbers, others): (Vec<&Term>, Vec<&Term>) = polynomial.terms.iter().partition(|term| term.factors.is_empty());
    others.into_iter().chain(numbers).map(term).collect::<Vec<_>>().join(" + ")
}

fn text_of_atom(function: &Function, atom: &Atom) -> String {
    let param = |index: usize| &function.local(function.params[index].local).name;
    match atom {
        Atom::Param(passed) => format!("{}{passed}", param(passed.param)),
        Atom::Len(index) => format!("{}.len()", param(*index)),
        Atom::Extent(index, axis) => format!("{}.shape()[{axis}]", param(*index)),
        Atom::GridDim(axis) => format!("grid_dim().{}", name_of(*axis)),
        Atom::BlockDim(axis) => format!("block_dim().{}", name_of(*axis)),
        Atom::Constant(tokens) => text_of_tokens(tokens),
        Atom::Shared(index) => format!("{}.is_shared()", param(*index)),
        Atom::Scattered(index) => format!("{}.is_scattered()", param(*index)),
        Atom::Quotient(parts) => {
            let [dividend, divisor] = [&parts[0], &parts[1]].map(|part| text_of_polynomial(function, part));
            format!("({dividend}) / ({divisor})")
        }
        Atom::Word(sum) => {
            let (added, subtracted): (Vec<Term>, Vec<Term>) = sum.terms.iter().cloned().partition(|term| term.coefficient > 0);
            let subtracted = subtracted.into_iter().map(|term| Term { coefficient: term.coefficient.saturating_neg(), ..term });
            let subtracted = subtracted.map(|term| format!(" - {}", text_of_polynomial(function, &Polynomial { terms: vec![term] })));
            format!("({}{})", text_of_polynomial(function, &Polynomial { terms: added }), subtracted.collect::<String>())
        }
        Atom::TrailingZeros(sum) => format!("{}.trailing_zeros()", text_of_atom(function, &Atom::Word(sum.clone()))),
    }
}

fn name_of(axis: Axis) -> char {
    match axis {
        Axis::X => 'x',
        Axis::Y => 'y',
        Axis::Z => 'z',
    }
}

/// Tokens without the spaces that paths and calls do not have.
fn text_of_tokens(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (spaced, tight) in [(" :: ", "::"), (":: ", "::"), (" (", "("), ("( ", "("), (" )", ")"), (" , ", ", "), ("& ", "&")] {
        text = text.replace(spaced, tight);
    }
    text
}

/// What operators bind how tightly. Everything else binds tighter.
fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 7,
        BinaryOp::Add | BinaryOp::Subtract => 6,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 5,
        BinaryOp::BitAnd => 4,
        BinaryOp::BitXor => 3,
        BinaryOp::BitOr => 2,
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        // Written as calls.
        | BinaryOp::PartialOrder
        | BinaryOp::TotalOrder => 1,
    }
}

const CAST: u8 = 8;
const UNARY: u8 = 9;

struct Text<'f> {
    function: &'f Function,
}

impl Text<'_> {
    /// `expr` as an operand of an operator that binds as tightly as `outer`.
    fn expr(&self, expr: &Expr, outer: u8) -> String {
        let (text, own) = match &expr.kind {
            ExprKind::Binary { op, left, right, .. } if op.is_order() => {
                (format!("{}.{}(&{})", self.expr(left, u8::MAX), op.symbol(), self.expr(right, UNARY)), u8::MAX)
            }
            ExprKind::Binary { op, left, right, .. } => {
                let own = precedence(*op);
                (format!("{} {} {}", self.expr(left, own), op.symbol(), self.expr(right, own + 1)), own)
            }
            ExprKind::Cast { operand, to } => (format!("{} as {}", self.expr(operand, CAST), to.name()), CAST),
            ExprKind::Unary { op, operand } => {
                let symbol = match op {
                    UnaryOp::Negate => '-',
                    UnaryOp::Not => '!',
                };
                (format!("{symbol}{}", self.expr(operand, UNARY)), UNARY)
            }
            _ => (self.operand(expr), u8::MAX),
        };
        if own < outer { format!("({text})") } else { text }
    }

    fn operand(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Int(literal) => {
                format!("{}{}", literal.value, literal.suffix.map_or("", Scalar::name))
            }
            ExprKind::Float(literal) => literal.digits.clone(),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Local(local) => self.function.local(*local).name.to_string(),
            ExprKind::Constant(path) => text_of_tokens(path),
            ExprKind::Index { base, index, .. } => format!("{}[{}]", self.operand(base), self.expr(index, 0)),
            ExprKind::Subslice { start, end, .. } => {
                let end = end.as_ref().map_or_else(String::new, |end| self.expr(end, 0));
                format!("{}..{end}", self.expr(start, 0))
            }
            ExprKind::Element { base, indices, .. } => format!("{}[[{}]]", self.operand(base), self.list(indices)),
            ExprKind::TupleField { base, index } => format!("{}.{index}", self.operand(base)),
            ExprKind::Field { base, name } | ExprKind::Axis { base, name, .. } => format!("{}.{name}", self.operand(base)),
            ExprKind::Extent { base, axis } => format!("{}.shape()[{axis}]", self.operand(base)),
            ExprKind::Method { name, receiver, args, .. } | ExprKind::Atomic { name, place: receiver, args, .. } => {
                format!("{}.{name}({})", self.expr(receiver, u8::MAX), self.list(args))
            }
            ExprKind::Associated { receiver: Some(receiver), name, args, .. } => {
                format!("{}.{name}({})", self.expr(receiver, u8::MAX), self.list(args))
            }
            ExprKind::Intrinsic { path, args, .. } | ExprKind::Call { path, args, .. } => {
                format!("{}({})", text_of_tokens(path), self.list(args))
            }
            ExprKind::CallLocal { function, args } => format!("{}({})", self.function.local(*function).name, self.list(args)),
            _ => "…".into(),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr, 0)).collect::<Vec<_>>().join(", ")
    }
}
