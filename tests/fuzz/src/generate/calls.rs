//! Calls of device functions, methods and closures.

use super::places::Kind;
use super::scalar::Scalar;
use super::types::Type;
use super::{Function, Generator, Param};

impl<'r> Generator<'r> {
    /// A call of what returns `ty`. Its type is written out: what a call returns is unknown to the attribute.
    pub(super) fn call(&mut self, ty: &Type, depth: u32) -> Option<String> {
        if self.chance(0.4)
            && let Some(call) = self.call_of_closure(ty, depth)
        {
            return Some(call);
        }
        let functions: Vec<&Function> = self.callable().filter(|function| function.output == *ty).collect();
        let function = (*self.rng.choice(&functions)?).clone();
        self.call_of(&function, depth)
    }

    /// The functions that may be called here.
    fn callable(&self) -> impl Iterator<Item = &'r Function> + use<'r> {
        let only_safe = self.safe;
        self.world.functions.iter().filter(move |function| function.safe || !only_safe)
    }

    fn call_of_closure(&mut self, ty: &Type, depth: u32) -> Option<String> {
        let closures = self.visible().into_iter().filter_map(|variable| match variable.kind {
            Kind::Closure { params, lent, output } if output == *ty => Some((variable.name, params, lent)),
            _ => None,
        });
        let (name, params, lent) = self.rng.choice(closures.collect::<Vec<_>>())?;
        Some(self.call_with(&name, &params, lent, depth))
    }

    /// A call of a closure, or of a parameter that is a function.
    pub(super) fn call_with(&mut self, callee: &str, params: &[Type], lent: bool, depth: u32) -> String {
        let (mut before, mut args) = (String::new(), Vec::new());
        for ty in params {
            let value = self.expr(ty, depth - 1, true);
            if lent {
                let name = self.fresh_name("lent");
                before += &format!("let {name}: {} = {value}; ", ty.name());
                args.push(format!("&{name}"));
            } else {
                args.push(value);
            }
        }
        let call = format!("{callee}({})", args.join(", "));
        if before.is_empty() { call } else { format!("({{ {before}{call} }})") }
    }

    fn call_of(&mut self, function: &Function, depth: u32) -> Option<String> {
        let output = function.output.name();
        let mut before = String::new();
        let mut args = Vec::new();
        // Arguments that borrow must not meet others that write.
        let borrows = function.params.iter().any(|param| !matches!(param, Param::Value(_)));
        let mut slices: Vec<String> = Vec::new();
        for param in &function.params {
            match param {
                Param::Value(ty) if borrows => {
                    let name = self.fresh_name("arg");
                    before += &format!("let {name}: {} = {}; ", ty.name(), self.expr(ty, depth - 1, true));
                    args.push(name);
                }
                // The attribute does not see the types of a method.
                Param::Value(Type::Tuple(elements)) if function.receiver.is_none() && !function.name.contains("::") => {
                    args.push(self.tuple_argument(elements, depth));
                }
                Param::Value(ty) => args.push(self.expr(ty, depth - 1, false)),
                Param::Slice { element, mutable } => {
                    let (name, text) = self.slice(element, *mutable, &slices)?;
                    slices.push(name);
                    args.push(text);
                }
                Param::Reference { ty, mutable: false } => {
                    let name = self.fresh_name("lent");
                    before += &format!("let {name}: {} = {}; ", ty.name(), self.expr(ty, depth - 1, true));
                    args.push(format!("&{name}"));
                }
                Param::Reference { ty, mutable: true } => {
                    let places = self.variables(Some(ty)).into_iter().map(|(name, _)| name).filter(|name| !slices.contains(name));
                    let name = self.rng.choice(places.collect::<Vec<_>>())?;
                    args.push(format!("&mut {name}"));
                    slices.push(name);
                }
                Param::Function { params, lent, output } => args.push(self.function_argument(params, *lent, output, depth)),
            }
        }
        args.extend(function.recursive.then(|| format!("{}u8", self.rng.u8(..4))));
        let args = args.join(", ");
        let Some(receiver) = &function.receiver else {
            return Some(format!("({{ {before}let returned: {output} = {}({args}); returned }})", function.name));
        };
        let this = self.expr(&receiver.ty, depth - 1, true);
        let declared = format!("let {}receiver: {} = {this};", if receiver.form == "&mut self" { "mut " } else { "" }, receiver.ty.name());
        Some(format!("({{ {declared} {before}let returned: {output} = receiver.{}({args}); returned }})", function.name))
    }

    /// A tuple whose literals get their types from the function.
    fn tuple_argument(&mut self, elements: &[Type], depth: u32) -> String {
        let elements: Vec<String> = elements
            .iter()
            .map(|element| match element {
                Type::Scalar(scalar) if self.rng.bool() => scalar.literal(self.rng, true),
                _ => self.expr(element, depth - 1, false),
            })
            .collect();
        format!("({},)", elements.join(", "))
    }

    /// A slice or array that can be lent, and how it is lent. None of those that are taken.
    fn slice(&mut self, element: &Type, mutable: bool, taken: &[String]) -> Option<(String, String)> {
        let mut found = Vec::new();
        for variable in self.visible().into_iter().filter(|variable| (variable.mutable || !mutable) && !taken.contains(&variable.name)) {
            match &variable.kind {
                // A closure lends no slice that others may write.
                Kind::Slice { element: of, .. } if of == element && self.frozen == 0 => found.push((variable.name.clone(), variable.name)),
                Kind::Value(Type::Array(of, _)) if **of == *element && !variable.opaque => {
                    let borrow = if mutable { "&mut " } else { "&" };
                    found.push((variable.name.clone(), format!("{borrow}{}", variable.name)));
                }
                _ => {}
            }
        }
        let (name, whole) = self.rng.choice(found)?;
        let borrow = if mutable { "&mut " } else { "&" };
        // No part is empty.
        let range = match self.rng.u32(..9) {
            0 => "..".to_owned(),
            1 => "..1".to_owned(),
            2 => "0..=0".to_owned(),
            // Rust does not ask for the length of what it has just lent to be changed.
            3 if !mutable => format!("{name}.len() - 1.."),
            4 if !mutable => format!("{name}.len() / 2..{name}.len()"),
            _ => return Some((name, whole)),
        };
        Some((name.clone(), format!("{borrow}{name}[{range}]")))
    }

    /// A function for a parameter: one by its name, or a closure.
    fn function_argument(&mut self, params: &[Type], lent: bool, output: &Type, depth: u32) -> String {
        let fits = |function: &&Function| {
            let same = function.params.iter().zip(params).all(|(param, ty)| match param {
                Param::Value(of) => !lent && of == ty,
                Param::Reference { ty: of, mutable: false } => lent && of == ty,
                _ => false,
            });
            same && function.params.len() == params.len()
                && function.output == *output
                && !function.recursive
                && function.receiver.is_none()
                && !function.name.contains("::")
        };
        let named: Vec<&Function> = self.callable().filter(fits).collect();
        match self.rng.choice(&named) {
            Some(function) if self.chance(0.5) => function.name.clone(),
            _ => {
                let moved = self.chance(0.3);
                self.closure(params, lent, output, moved, depth.saturating_sub(1).max(1))
            }
        }
    }

    /// A method that may change the place that it is called on, as a statement.
    pub(super) fn method_call(&mut self) -> Option<String> {
        let methods = self.callable().filter(|function| function.receiver.as_ref().is_some_and(|of| of.form == "&mut self"));
        let method = self.rng.choice(methods.collect::<Vec<_>>())?;
        let ty = &method.receiver.as_ref().expect("it is a method").ty;
        let values = method.params.iter().map(|param| match param {
            Param::Value(ty) => Some(ty),
            _ => None,
        });
        let values: Vec<&Type> = values.collect::<Option<_>>()?;
        let before: Vec<(String, String)> = values
            .into_iter()
            .map(|ty| {
                let name = self.fresh_name("arg");
                let value = self.expr(ty, 2, true);
                (format!("let {name}: {} = {value}; ", ty.name()), name)
            })
            .collect();
        let place = self.any_place(Some(ty), true).filter(|place| !place.opaque)?;
        let (lets, args): (Vec<String>, Vec<String>) = before.into_iter().unzip();
        let fuel = method.recursive.then(|| format!("{}u8", self.rng.u8(..4)));
        let args: Vec<String> = args.into_iter().chain(fuel).collect();
        Some(format!("{}{}.{}({});", lets.concat(), place.text, method.name, args.join(", ")))
    }

    /// An operation on an element of an array of atomics.
    pub(super) fn atomic(&mut self, scalar: Scalar, depth: u32) -> Option<String> {
        let arrays = self.visible().into_iter().filter_map(|variable| match variable.kind {
            Kind::Atomics { value, length } if value == scalar => Some((variable.name, length)),
            _ => None,
        });
        let (name, length) = self.rng.choice(arrays.collect::<Vec<_>>())?;
        let index = self.index(&length.to_string());
        let order = self.pick(&["Relaxed", "AcqRel", "SeqCst"]);
        Some(match self.rng.u32(..10) {
            0 | 1 => format!("{name}[{index}].load(Ordering::{})", self.pick(&["Relaxed", "Acquire", "SeqCst"])),
            _ => {
                const NAMES: [&str; 9] =
                    ["swap", "fetch_add", "fetch_sub", "fetch_min", "fetch_max", "fetch_and", "fetch_or", "fetch_xor", "fetch_nand"];
                let operation = self.pick(&NAMES);
                format!("{name}[{index}].{operation}({}, Ordering::{order})", self.scalar(scalar, depth, true))
            }
        })
    }
}
