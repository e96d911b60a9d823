//! Closures.

use super::Generator;
use super::places::Kind;
use super::types::Type;
use super::weights::BUDGET;

impl Generator<'_> {
    /// A closure. `lent`: it takes references. `moved`: it copies what it uses, so that the originals can change while it lives.
    pub(super) fn closure(&mut self, params: &[Type], lent: bool, output: &Type, moved: bool, depth: u32) -> String {
        let mut names: Vec<String> = Vec::new();
        for _ in params {
            let name = self.other_name(&names);
            names.push(name);
        }
        let (outer_labels, outer_output) = (std::mem::take(&mut self.labels), self.output.replace(output.clone()));
        let outer_moved = self.moved;
        self.moved |= moved;
        let body = self.read_only(|inner| {
            for (name, ty) in names.iter().zip(params) {
                inner.declare(name, if lent { Kind::Reference(ty.clone()) } else { Kind::Value(ty.clone()) }, false);
            }
            inner.scoped(|inner| {
                let mut body: Vec<String> = (0..inner.rng.u32(..3)).map(|_| inner.line(depth)).collect();
                if inner.chance(0.2) {
                    body.push(format!("if {} {{ return {}; }}", inner.condition(1), inner.expr(output, 1, true)));
                }
                body.push(inner.expr(output, depth, true));
                body.join(" ")
            })
        });
        (self.labels, self.output, self.moved) = (outer_labels, outer_output, outer_moved);
        let list: Vec<String> =
            names.iter().zip(params).map(|(name, ty)| format!("{name}: {}{}", if lent { "&" } else { "" }, ty.name())).collect();
        format!("{}|{}| -> {} {{ {body} }}", if moved { "move " } else { "" }, list.join(", "), output.name())
    }

    fn closure_types(&mut self) -> Vec<Type> {
        (0..self.rng.u32(..3)).map(|_| self.any_type(1)).collect()
    }

    /// A closure that is called where it is made.
    pub(super) fn closure_at_once(&mut self, ty: &Type, depth: u32) -> String {
        let params = self.closure_types();
        let args: Vec<(String, String)> = params
            .iter()
            .map(|ty| {
                let name = self.fresh_name("arg");
                (format!("let {name}: {} = {}; ", ty.name(), self.expr(ty, depth - 1, true)), name)
            })
            .collect();
        let (lets, args): (Vec<String>, Vec<String>) = args.into_iter().unzip();
        let (name, moved) = (self.fresh_name("call"), self.chance(0.3));
        let closure = self.closure(&params, false, ty, moved, depth - 1);
        format!("({{ {}let {name} = {closure}; {name}({}) }})", lets.concat(), args.join(", "))
    }

    /// A closure that later statements can call.
    pub(super) fn closure_statement(&mut self) -> String {
        let (params, output, name) = (self.closure_types(), self.any_type(1), self.fresh_name("call"));
        self.budget = BUDGET;
        let lent = self.chance(0.2);
        let closure = self.closure(&params, lent, &output, true, 2);
        self.declare(&name, Kind::Closure { params, lent, output }, false);
        format!("let {name} = {closure};")
    }
}
