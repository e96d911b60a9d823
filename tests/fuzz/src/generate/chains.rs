//! Chains of iterators.

use super::Generator;
use super::places::{Kind, Variable};
use super::scalar::{Scalar, USIZE};
use super::types::Type;

impl Generator<'_> {
    /// A variable with the result of a chain over a slice or an array.
    pub(super) fn chain(&mut self, pad: &str, lines: &mut Vec<String>) {
        let Some((source, scalar)) = self.chain_source() else { return };
        let (name, ty) = (self.name(), scalar.name());
        let limit = scalar.literal(self.rng, false);
        let compared = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let adapter = match self.rng.u32(..8) {
            0 => ".rev()",
            1 => ".skip(1)",
            2 => ".take(2)",
            3 => ".step_by(2)",
            _ => "",
        };
        let (output, value) = match self.rng.u32(..9) {
            0 => (Scalar::Bool, format!("{source}.iter(){adapter}.any(|&v| v {compared} {limit})")),
            1 => (Scalar::Bool, format!("{source}.iter(){adapter}.all(|v| *v {compared} {limit})")),
            2 => (USIZE, format!("{source}.iter(){adapter}.filter(|&&v| v {compared} {limit}).count()")),
            3 => (USIZE, format!("{source}.iter().position(|&v| v {compared} {limit}).unwrap_or(77)")),
            4 => {
                (scalar, format!("{source}.iter(){adapter}.copied().fold({limit}, |kept, v| if v {compared} kept {{ v }} else {{ kept }})"))
            }
            5 if scalar.is_integer() => (scalar, format!("{source}.iter(){adapter}.map(|v| *v & 1).sum::<{ty}>()")),
            6 if scalar.is_integer() => (scalar, format!("{source}.iter(){adapter}.copied().max().unwrap_or({limit})")),
            7 if scalar.is_integer() => (
                scalar,
                format!("{source}.iter().zip({source}.iter().skip(1)).map(|(a, b)| a.wrapping_sub(*b)).fold({limit}, |a, b| a ^ b)"),
            ),
            _ => (
                USIZE,
                format!(
                    "{source}.iter().enumerate(){adapter}.map(|(at, &v)| if v {compared} {limit} {{ at }} else {{ 3 }}).fold(1usize, |a, b| a.wrapping_mul(7).wrapping_add(b))"
                ),
            ),
        };
        lines.push(format!("{pad}let mut {name}: {} = {value};", output.name()));
        self.declare(&name, Kind::Value(Type::Scalar(output)), true);
    }

    /// A slice or an array of scalars that has a name.
    pub(super) fn chain_source(&mut self) -> Option<(String, Scalar)> {
        let visible = self.visible().into_iter();
        let sources: Vec<(String, Scalar)> = visible
            .filter_map(|Variable { name, kind, opaque, .. }| match kind {
                Kind::Slice { element: Type::Scalar(scalar), .. } => Some((name, scalar)),
                Kind::Value(Type::Array(element, _)) if !opaque => element.as_scalar().map(|scalar| (name, scalar)),
                _ => None,
            })
            .collect();
        self.rng.choice(sources)
    }

    /// Chains of chains, of a state, and of parts of a slice or an array.
    pub(super) fn nested_chain(&mut self, pad: &str, lines: &mut Vec<String>) {
        let Some((source, scalar)) = self.chain_source() else { return };
        let (name, limit) = (self.name(), scalar.literal(self.rng, false));
        let (compared, step) = (self.pick(&["==", "!=", "<", "<=", ">", ">="]), self.rng.u32(1..4));
        let parts = format!("{}({step})", self.pick(&["windows", "chunks", "chunks_exact"]));
        let keep = format!("fold({limit}, |kept, v| if v {compared} kept {{ v }} else {{ kept }})");
        let mix = "fold(1usize, |a, b| a.wrapping_mul(7).wrapping_add(b))";
        let (output, chain) = match self.rng.u32(..8) {
            0 => (scalar, format!("(0..{step}usize).flat_map(|at| {source}.iter().skip(at)).copied().{keep}")),
            1 => (USIZE, format!("{source}.iter().flat_map(|&v| [v, {limit}]).filter(|v| *v {compared} {limit}).count()")),
            2 => (
                scalar,
                format!("{source}.iter().scan({limit}, |kept, &v| {{ if v {compared} *kept {{ *kept = v; }} Some(*kept) }}).{keep}"),
            ),
            3 => (
                USIZE,
                format!(
                    "{source}.iter().scan(0usize, |sum, v| {{ *sum += 3; if *v {compared} {limit} {{ Some(*sum) }} else {{ None }} }}).{mix}"
                ),
            ),
            4 => (USIZE, format!("{source}.{parts}.filter(|part| part[0] {compared} part[part.len() - 1]).count()")),
            5 => (
                USIZE,
                format!(
                    "{source}.{parts}.enumerate().map(|(at, part)| if part[0] {compared} {limit} {{ at }} else {{ part.len() }}).{mix}"
                ),
            ),
            6 => (scalar, format!("{source}.{parts}.filter(|part| part[0] {compared} {limit}).map(|part| part[part.len() - 1]).{keep}")),
            _ => (Scalar::Bool, format!("{source}.{parts}.enumerate().any(|(at, part)| at > 0 && part[0] {compared} {limit})")),
        };
        lines.push(format!("{pad}let mut {name}: {} = {chain};", output.name()));
        self.declare(&name, Kind::Value(Type::Scalar(output)), true);
    }
}
