//! The trace that a kernel leaves of its variables.

use super::Generator;
use super::places::Kind;
use super::scalar::Scalar;
use super::types::{Fields, Type};

/// The length of the array that a kernel leaves its trace in.
pub(super) const TRACE: usize = 64;

impl Generator<'_> {
    /// Leaves a trace of one variable.
    pub(super) fn trace_one(&mut self, pad: &str, lines: &mut Vec<String>) {
        let values: Vec<(String, Type)> = self.traceable();
        if let Some((name, ty)) = values.get(self.rng.usize(..values.len().max(1))) {
            self.trace(name, ty, pad, lines);
        }
    }

    /// Leaves a trace of every variable.
    pub(super) fn trace_all(&mut self, pad: &str, lines: &mut Vec<String>) {
        for (name, ty) in self.traceable() {
            self.trace(&name, &ty, pad, lines);
        }
    }

    fn traceable(&self) -> Vec<(String, Type)> {
        let values = self.visible().into_iter().filter_map(|variable| match variable.kind {
            Kind::Value(ty) => Some((variable.name, ty)),
            _ => None,
        });
        values.collect()
    }

    /// Leaves a trace of every number in `text`. Only kernels have where to.
    pub(super) fn trace(&mut self, text: &str, ty: &Type, pad: &str, lines: &mut Vec<String>) {
        if self.output.is_none() {
            let mut parts = Vec::new();
            self.trace_parts(text, ty, &mut parts);
            lines.extend(parts.into_iter().map(|part| format!("{pad}{part}")));
        }
    }

    fn trace_parts(&mut self, text: &str, ty: &Type, parts: &mut Vec<String>) {
        match ty {
            Type::Scalar(Scalar::Float { name }) => {
                // The attribute may not see the type of a field.
                let bits = "if float.is_nan() { 7u64 } else { float.to_bits() as u64 }";
                parts.push(self.record(&format!("{{ let float: {name} = {text}; {bits} }}")));
            }
            Type::Scalar(_) => parts.push(self.record(&format!("{text} as u64"))),
            Type::Tuple(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    self.trace_parts(&format!("{text}.{i}"), element, parts);
                }
            }
            Type::Array(element, length) => {
                for i in 0..*length {
                    self.trace_parts(&format!("{text}[{i}]"), element, parts);
                }
            }
            Type::Struct(of) => {
                for (name, ty) in &of.fields.0 {
                    self.trace_parts(&format!("{text}.{name}"), ty, parts);
                }
            }
            Type::Option(value) => {
                let name = self.fresh_name("some");
                let mut inner = Vec::new();
                self.trace_parts(&name, value, &mut inner);
                let none = self.record("5");
                parts.push(format!("match {text} {{ Some({name}) => {{ {} }} None => {{ {none} }} }}", inner.join(" ")));
            }
            Type::Result(value, error) => {
                let arms = [("Ok", value), ("Err", error)].map(|(variant, ty)| {
                    let name = self.fresh_name("result");
                    let mut inner = vec![self.record(if variant == "Ok" { "11" } else { "12" })];
                    self.trace_parts(&name, ty, &mut inner);
                    format!("{variant}({name}) => {{ {} }}", inner.join(" "))
                });
                parts.push(format!("match {text} {{ {} }}", arms.join(" ")));
            }
            Type::Enum(of) => {
                let mut arms = String::new();
                for (tag, variant) in of.variants.iter().enumerate() {
                    let mut inner = vec![self.record(&tag.to_string())];
                    let pattern = self.trace_fields(&variant.fields, &mut inner);
                    arms += &format!("{}{pattern} => {{ {} }} ", variant.path, inner.join(" "));
                }
                parts.push(format!("match {text} {{ {arms}}}"));
            }
        }
    }

    fn trace_fields(&mut self, fields: &Fields, parts: &mut Vec<String>) -> String {
        let names: Vec<String> = fields.0.iter().map(|_| self.fresh_name("field")).collect();
        for (name, (_, ty)) in names.iter().zip(&fields.0) {
            self.trace_parts(name, ty, parts);
        }
        fields.with(&names)
    }

    fn record(&mut self, bits: &str) -> String {
        let slot = self.traced % TRACE;
        self.traced += 1;
        // One of many threads has a part of the trace.
        let slot = if self.safe { format!("base + {slot}") } else { slot.to_string() };
        format!("trace[{slot}] = trace[{slot}].wrapping_mul(31).wrapping_add({bits});")
    }
}
