//! Closures as lambdas, and functions that take functions as templates.
//!
//! A check in a lambda ends the thread like any other. A lambda captures variables by reference, because nothing changes them during its
//! lifetime; a lambda for a `move` closure has copies.

use super::Emitter;
use super::code::Code;
use super::text::{CText, c, join};
use crate::emit::{Callee, Known, Piece};
use crate::model::*;

/// The C++ type of a parameter that takes a function. No name of a user's begins like this.
pub(super) fn template_parameter(local: LocalId) -> String {
    format!("gr_f{}", local.0)
}

impl Emitter<'_> {
    /// `template <class gr_f0> ` for a function that takes functions.
    pub(super) fn function_template(&self) -> String {
        let locals = self.function.params.iter().map(|param| param.local);
        let functions = locals.filter(|local| matches!(self.function.local(*local).ty, Type::Function(_)));
        let params: Vec<String> = functions.map(|local| format!("class {}", template_parameter(local))).collect();
        if params.is_empty() { String::new() } else { format!("template <{}> ", params.join(", ")) }
    }

    /// Declares the C variable `name` as the closure.
    pub(super) fn write_closure(&mut self, name: &str, closure: &Closure) {
        let params: Vec<CText> = closure.params.iter().map(|(local, _)| self.closure_param(*local)).collect();
        let output = match &closure.output {
            Type::Opaque => CText::default(),
            output => c![" -> ", self.type_name(output)],
        };
        let capture = if closure.is_move { "=" } else { "&" };
        self.writer.line(c!["const auto ", name, " = [", capture, "](", join(params, ", "), ")", output, " {"]);
        self.writer.indent();
        for (local, _) in &closure.params {
            self.write_angle(*local);
        }
        self.closures += 1;
        self.write_return(Some(&closure.body));
        self.closures -= 1;
        self.writer.dedent();
        self.writer.line("};");
    }

    fn closure_param(&mut self, local: LocalId) -> CText {
        let Local { ty, mutable, .. } = self.function.local(local);
        let ty = self.type_name(ty);
        let qualifier = if *mutable { "" } else { "const " };
        c![qualifier, ty, " ", self.name(local)]
    }

    /// A closure as an argument: a variable that holds it.
    pub(super) fn closure(&mut self, closure: &Closure) -> Code {
        let name = self.namer.temporary("closure");
        self.write_closure(&name, closure);
        Code::constant_word(name)
    }

    /// A device function as an argument: a unique type, so that the callee is compiled for it, and not for a pointer.
    pub(super) fn function_item(&mut self, path: &syn::Path, explicit: &[GenericArgument]) -> Code {
        let explicit = explicit.iter().map(super::callee::explicit_argument).collect();
        let callee = Callee { path: path.clone(), explicit, output: Known::Nothing, args: Vec::new(), by_name: true };
        self.need("function");
        Code::constant(c!["gr_function<", CText::hole(Piece::Function { callee, races: false }), ">{}"])
    }

    pub(super) fn call_local(&mut self, function: LocalId, args: &[Expr]) -> Code {
        let codes = self.operands(&args.iter().collect::<Vec<_>>());
        let args = args.iter().zip(codes).map(|(arg, code)| match self.lends_racing_array(arg) {
            true => self.copied(&code.text).text,
            false => code.text,
        });
        let args = join(args.collect::<Vec<_>>(), ", ");
        Code::call(c![self.name(function), "(", args, ")"])
    }
}
