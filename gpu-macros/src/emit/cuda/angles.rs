//! Sine, cosine and tangent of `f32`: they begin with the same work, the reduction of their argument to an angle near zero.
//!
//! It branches, so C's compiler does not find it twice in `x.cos().powi(2) + x.sin().powi(2)`. Where several functions of
//! one immutable variable are called, the variable's declaration is followed by one of its angle, and they take that.

use super::Emitter;
use super::expr::Code;
use crate::model::*;

/// The functions that an angle serves.
pub(super) fn takes_angle(method: &MethodInfo, receiver: &Expr) -> bool {
    matches!(method.name, "sin" | "cos" | "tan" | "sin_cos") && receiver.ty.as_scalar() == Some(Scalar::F32)
}

/// For each local, whether its angle is worth a variable.
pub(super) fn shared_angles(function: &Function) -> Vec<bool> {
    let mut uses = vec![0; function.locals.len()];
    function.body.for_each_child(&mut |expr| count_uses(expr, &mut uses));
    uses.iter().zip(&function.locals).map(|(&uses, local)| uses > 1 && !local.mutable).collect()
}

fn count_uses(expr: &Expr, uses: &mut [u32]) {
    if let ExprKind::Method { method, receiver, .. } = &expr.kind
        && let ExprKind::Local(local) = receiver.kind
        && takes_angle(method, receiver)
    {
        uses[local.0] += 1;
    }
    expr.for_each_child(&mut |child| count_uses(child, uses));
}

impl Emitter<'_> {
    /// After the declaration of `local`: its angle, if that is shared.
    pub(super) fn write_angle(&mut self, local: LocalId) {
        if !self.shared_angles[local.0] {
            return;
        }
        self.need("trig");
        let name = self.name(local).to_owned();
        let angle = self.namer.temporary(&format!("{name}_angle"));
        self.writer.line(format!("const gr_angle {angle} = gr_reduce({name});"));
        self.angles[local.0] = Some(angle);
    }

    /// A function of `receiver`, whose value is `code`.
    pub(super) fn trigonometry(&mut self, method: &MethodInfo, receiver: &Expr, code: Code) -> Code {
        let angle = match receiver.kind {
            ExprKind::Local(local) => self.angles[local.0].clone(),
            _ => None,
        };
        let operands: Vec<Code> = std::iter::once(code).chain(angle.map(Code::constant)).collect();
        self.helper("trig", &format!("gr_{}", method.name), &operands)
    }
}
