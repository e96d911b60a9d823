//! Variables whose reduced angle several trigonometric functions can share.

use crate::model::*;

/// For each local, whether its angle is declared as a variable.
pub(crate) fn shared_angles(function: &Function) -> Vec<bool> {
    let mut uses = vec![0; function.locals.len()];
    function.body.for_each_child(&mut |expr| count_uses(expr, &mut uses));
    uses.iter().zip(&function.locals).map(|(&uses, local)| uses > 1 && !local.mutable).collect()
}

fn count_uses(expr: &Expr, uses: &mut [u32]) {
    if let ExprKind::Method { method, receiver, .. } = &expr.kind
        && let ExprKind::Local(local) = receiver.kind
        && method.of_angle
        && receiver.ty.as_scalar() == Some(Scalar::F32)
    {
        uses[local.0] += 1;
    }
    expr.for_each_child(&mut |child| count_uses(child, uses));
}
