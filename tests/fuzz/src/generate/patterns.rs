//! Patterns of every type.

use super::Generator;
use super::places::{Kind, Variable};
use super::scalar::Scalar;
use super::types::{Enum, Fields, Type};
use super::weights::{PATTERNS, Pattern, choose};

/// A pattern, and the variables that it binds.
pub(super) struct Bound {
    pub(super) pattern: String,
    pub(super) variables: Vec<Variable>,
}

/// A pattern in the making.
struct Maker {
    /// Whether it may fail to match.
    refutable: bool,
    /// Whether it may bind variables: not below `|`, where all alternatives would have to.
    binds: bool,
    variables: Vec<Variable>,
}

impl Generator<'_> {
    pub(super) fn pattern(&mut self, ty: &Type, refutable: bool) -> Bound {
        let mut maker = Maker { refutable, binds: true, variables: Vec::new() };
        let pattern = self.sub_pattern(ty, 3, &mut maker);
        Bound { pattern, variables: maker.variables }
    }

    /// Patterns of which one matches, whatever the value is, and how many of the first can be done without.
    pub(super) fn patterns_of_all(&mut self, ty: &Type) -> (Vec<Bound>, usize) {
        let mut patterns: Vec<Bound> = (0..self.rng.u32(..3)).map(|_| self.pattern(ty, true)).collect();
        let optional = patterns.len();
        match ty {
            Type::Enum(of) if self.chance(0.6) => {
                for variant in &of.variants {
                    let mut maker = Maker { refutable: false, binds: true, variables: Vec::new() };
                    let pattern = self.fields_pattern(&variant.path, &variant.fields, 2, &mut maker);
                    patterns.push(Bound { pattern, variables: maker.variables });
                }
            }
            Type::Option(value) if self.chance(0.7) => {
                let some = self.pattern(value, false);
                patterns.push(Bound { pattern: format!("Some({})", some.pattern), ..some });
                patterns.push(Bound { pattern: "None".to_owned(), variables: Vec::new() });
            }
            Type::Result(value, error) if self.chance(0.7) => {
                for (variant, ty) in [("Ok", value), ("Err", error)] {
                    let part = self.pattern(ty, false);
                    patterns.push(Bound { pattern: format!("{variant}({})", part.pattern), ..part });
                }
            }
            Type::Scalar(Scalar::Bool) if self.chance(0.5) => {
                for value in ["false", "true"] {
                    patterns.push(Bound { pattern: value.to_owned(), variables: Vec::new() });
                }
            }
            Type::Scalar(scalar) if scalar.is_integer() && self.chance(0.3) => {
                let (low, _) = scalar.range();
                let middle = pattern_literal(scalar.any_value(self.rng).max(low + 1), "");
                for range in [format!("..{middle}"), format!("{middle}..")] {
                    patterns.push(Bound { pattern: range, variables: Vec::new() });
                }
            }
            _ => patterns.push(self.pattern(ty, false)),
        }
        (patterns, optional)
    }

    fn sub_pattern(&mut self, ty: &Type, depth: u32, maker: &mut Maker) -> String {
        let kind = if depth == 0 { Pattern::Binding } else { choose(self.rng, PATTERNS) };
        match kind {
            Pattern::Own => self.own_pattern(ty, depth, maker),
            Pattern::Or if maker.refutable => self.alternatives(ty, depth, maker),
            Pattern::At if maker.binds => {
                let name = self.bind(ty, maker);
                maker.binds = false;
                let pattern = self.sub_pattern(ty, depth - 1, maker);
                maker.binds = true;
                format!("{name} @ {}", if pattern.contains('|') { format!("({pattern})") } else { pattern })
            }
            Pattern::Binding if maker.binds => self.bind(ty, maker),
            _ => "_".to_owned(),
        }
    }

    fn bind(&mut self, ty: &Type, maker: &mut Maker) -> String {
        let taken: Vec<String> = maker.variables.iter().map(|variable| variable.name.clone()).chain(["NULL".to_owned()]).collect();
        // What begins with a capital is a constant in a pattern.
        let (name, mutable) = (self.other_name(&taken), self.chance(0.3));
        // What the attribute knows of it depends on how deep it lies.
        maker.variables.push(Variable { name: name.clone(), kind: Kind::Value(ty.clone()), mutable, opaque: true });
        if mutable { format!("mut {name}") } else { name }
    }

    fn alternatives(&mut self, ty: &Type, depth: u32, maker: &mut Maker) -> String {
        // Both find the same variable in other places.
        if let Type::Tuple(elements) = ty
            && let [first, second] = elements.as_slice()
            && first == second
            && maker.binds
        {
            let name = self.bind(first, maker);
            maker.binds = false;
            let [a, b] = [(); 2].map(|()| self.sub_pattern(first, depth - 1, maker));
            maker.binds = true;
            return format!("(({name}, {a}) | ({b}, {name}))");
        }
        let binds = std::mem::replace(&mut maker.binds, false);
        let alternatives: Vec<String> = (0..self.rng.u32(2..4)).map(|_| self.sub_pattern(ty, depth - 1, maker)).collect();
        maker.binds = binds;
        format!("({})", alternatives.join(" | "))
    }

    fn own_pattern(&mut self, ty: &Type, depth: u32, maker: &mut Maker) -> String {
        match ty {
            Type::Tuple(elements) => {
                let skipped = if self.chance(0.2) { self.rng.usize(..elements.len()) } else { 0 };
                let at_front = self.rng.bool();
                let kept = if at_front { &elements[skipped..] } else { &elements[..elements.len() - skipped] };
                let parts: Vec<String> = kept.iter().map(|element| self.sub_pattern(element, depth - 1, maker)).collect();
                match (skipped, at_front) {
                    (0, _) => format!("({},)", parts.join(", ")),
                    (_, true) => format!("(.., {})", parts.join(", ")),
                    (_, false) => format!("({}, ..)", parts.join(", ")),
                }
            }
            Type::Array(element, length) => {
                let skipped = if self.chance(0.4) { self.rng.usize(..=*length) } else { 0 };
                let mut parts: Vec<String> = (skipped..*length)
                    .map(|_| {
                        // A range without an end would be the rest of the array.
                        let part = self.sub_pattern(element, depth - 1, maker);
                        if part.contains("..") { format!("({part})") } else { part }
                    })
                    .collect();
                if skipped > 0 {
                    parts.insert(self.rng.usize(..=parts.len()), "..".to_owned());
                }
                format!("[{}]", parts.join(", "))
            }
            Type::Struct(of) => self.fields_pattern(&of.name, &of.fields, depth, maker),
            Type::Option(value) if maker.refutable => {
                if self.chance(0.7) {
                    format!("Some({})", self.sub_pattern(value, depth - 1, maker))
                } else {
                    "None".to_owned()
                }
            }
            Type::Result(value, error) if maker.refutable => match self.chance(0.6) {
                true => format!("Ok({})", self.sub_pattern(value, depth - 1, maker)),
                false => format!("Err({})", self.sub_pattern(error, depth - 1, maker)),
            },
            Type::Enum(of) if maker.refutable => self.variant_pattern(of, depth, maker),
            Type::Scalar(scalar) if maker.refutable => self.scalar_pattern(*scalar),
            _ if maker.binds => self.bind(ty, maker),
            _ => "_".to_owned(),
        }
    }

    fn variant_pattern(&mut self, of: &Enum, depth: u32, maker: &mut Maker) -> String {
        let variant = &of.variants[self.rng.usize(..of.variants.len())];
        self.fields_pattern(&variant.path, &variant.fields, depth, maker)
    }

    fn fields_pattern(&mut self, path: &str, fields: &Fields, depth: u32, maker: &mut Maker) -> String {
        let length = fields.0.len();
        let kept = if self.chance(0.3) { self.rng.usize(..=length) } else { length };
        let mut parts = Vec::new();
        for (name, ty) in &fields.0[..kept] {
            let taken = maker.variables.iter().any(|variable| variable.name == *name);
            if fields.is_named() && maker.binds && !taken && self.chance(0.2) {
                maker.variables.push(Variable { name: name.clone(), kind: Kind::Value(ty.clone()), mutable: false, opaque: true });
                parts.push(name.clone());
            } else {
                let pattern = self.sub_pattern(ty, depth - 1, maker);
                parts.push(if fields.is_named() { format!("{name}: {pattern}") } else { pattern });
            }
        }
        if kept < length {
            parts.push("..".to_owned());
        }
        match (length, fields.is_named()) {
            (0, _) => path.to_owned(),
            (_, true) => format!("{path} {{ {} }}", parts.join(", ")),
            (_, false) => format!("{path}({})", parts.join(", ")),
        }
    }

    fn scalar_pattern(&mut self, scalar: Scalar) -> String {
        let suffix = if self.chance(0.3) { scalar.name() } else { "" };
        match scalar {
            Scalar::Bool => self.pick(&["true", "false"]).to_owned(),
            Scalar::Float { .. } => {
                let literal = |digits: &str| format!("{digits}{suffix}");
                match self.rng.u32(..4) {
                    0 => format!("{}..={}", literal("-2.5"), literal("1.0")),
                    1 => format!("{}..", literal("100.25")),
                    2 => format!("..{}", literal(self.pick(&["0.0", "-1.5"]))),
                    _ => literal(self.pick(&["0.0", "1.0", "-1.5", "0.3", "0.1", "-0.0", "3e9"])),
                }
            }
            Scalar::Int { name, .. } => {
                let (a, b) = (scalar.any_value(self.rng), scalar.any_value(self.rng));
                let (low, high) = (a.min(b), a.max(b));
                let [first, last] = [low, high].map(|value| pattern_literal(value, suffix));
                match self.rng.u32(..10) {
                    0 | 1 => format!("{first}..={last}"),
                    2 if low < high => format!("{first}..{last}"),
                    3 => format!("{first}.."),
                    4 => format!("..={last}"),
                    5 => format!("{name}::{}", self.pick(&["MIN", "MAX"])),
                    6 => self.world.constants.iter().find(|(_, of)| *of == scalar).expect("each type has one").0.clone(),
                    _ => first,
                }
            }
        }
    }
}

fn pattern_literal(value: i128, suffix: &str) -> String {
    format!("{value}{suffix}")
}
