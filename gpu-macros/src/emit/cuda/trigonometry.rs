//! Sine, cosine and tangent of `f32`: all of them start with the reduction of their argument to an angle near zero.
//!
//! The reduction branches, so the C compiler does not merge the two in `x.cos().powi(2) + x.sin().powi(2)`. If several functions are called
//! on one immutable variable, its declaration is followed by a declaration of its angle, which the functions share.

use super::Emitter;
use super::code::Code;
use super::text::c;
use crate::model::*;

impl Emitter<'_> {
    /// After the declaration of `local`: its angle, if that is shared.
    pub(super) fn write_angle(&mut self, local: LocalId) {
        if !self.analysis.shared_angles[local.0] {
            return;
        }
        self.need("trig");
        let angle = self.companion(local, "angle");
        let declaration = c!["const gr_angle ", angle, " = gr_reduce(", self.name(local), ");"];
        self.writer.line(declaration);
        self.angles[local.0] = Some(angle);
    }

    /// A function of the angle that `receiver` is, whose value is `code`.
    pub(super) fn function_of_angle(&mut self, helper: &str, receiver: &Expr, code: Code) -> Code {
        let angle = match receiver.kind {
            ExprKind::Local(local) => self.angles[local.0].clone(),
            _ => None,
        };
        let operands: Vec<Code> = std::iter::once(code).chain(angle.map(Code::constant_word)).collect();
        self.helper("trig", helper, &operands)
    }
}
