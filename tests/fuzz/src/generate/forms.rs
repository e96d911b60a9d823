//! Forms that a kernel compiles to something else: functions of std, methods of options, closures that change what they capture, literals
//! whose types only rustc knows.

use super::Generator;
use super::places::{Kind, Variable};
use super::scalar::{SCALARS, Scalar, USIZE};
use super::types::Type;
use super::weights::{BUDGET, FORMS, Form, choose};

impl Generator<'_> {
    pub(super) fn form(&mut self, pad: &str, lines: &mut Vec<String>) {
        match choose(self.rng, FORMS) {
            Form::Chain => self.chain(pad, lines),
            Form::NestedChain => self.nested_chain(pad, lines),
            Form::Exchange => self.exchange(pad, lines),
            Form::OptionMethods => self.option_methods(pad, lines),
            Form::ResultMethods => self.result_methods(pad, lines),
            Form::ChangingClosure => self.changing_closure(pad, lines),
            Form::BesideConstant => self.beside_constant(pad, lines),
            Form::ChangingLoop => self.changing_loop(pad, lines),
            Form::SlicePattern => self.slice_pattern(pad, lines),
            Form::Part => self.part(pad, lines),
            Form::ConditionalOption => self.conditional_option(pad, lines),
            Form::ArrayMap => self.array_map(pad, lines),
            Form::Chunks => self.chunks(pad, lines),
            Form::OptionsInTuple => self.options_in_tuple(pad, lines),
            Form::PairTable => self.pair_table(pad, lines),
            Form::OwnIndex => self.own_index(pad, lines),
            Form::ChangingArgument => self.changing_argument(pad, lines),
            Form::ChangedSlice => self.changed_slice(pad, lines),
            Form::SliceMethod => self.slice_method(pad, lines),
            Form::OptionsInArray => self.options_in_array(pad, lines),
        }
    }

    /// The mutable variables of type `ty`, or of any, and what is lent to be changed.
    pub(super) fn variables(&self, ty: Option<&Type>) -> Vec<(String, Type)> {
        let visible = self.visible().into_iter().filter(|variable| variable.mutable && !variable.opaque);
        let values = visible.filter_map(|Variable { name, kind, .. }| match kind {
            Kind::Value(of) if ty.is_none_or(|ty| *ty == of) => Some((name, of)),
            Kind::Reference(of) if ty.is_none_or(|ty| *ty == of) => Some((format!("(*{name})"), of)),
            _ => None,
        });
        values.collect()
    }

    /// `std::mem::swap`, `replace` and `take`, and the choice of one of two integers.
    fn exchange(&mut self, pad: &str, lines: &mut Vec<String>) {
        let variables = self.variables(None);
        let Some((place, ty)) = self.rng.choice(variables) else { return };
        let others: Vec<_> = self.variables(Some(&ty)).into_iter().filter(|(name, _)| *name != place).collect();
        let other = self.rng.choice(others);
        let (new, old) = (self.fresh_name("new"), self.fresh_name("old"));
        let function = self.pick(&["std::mem::", "core::mem::"]);
        match (other, &ty) {
            (Some((other, _)), _) if self.chance(0.6) => lines.push(format!("{pad}{function}swap(&mut {place}, &mut {other});")),
            (_, Type::Scalar(scalar)) if scalar.is_integer() && self.chance(0.3) => {
                let limit = self.expr(&ty, 2, true);
                lines.push(format!("{pad}{place} = std::cmp::{}({place}, {limit});", self.pick(&["min", "max"])));
            }
            (_, Type::Scalar(_) | Type::Option(_)) if self.chance(0.4) => {
                lines.push(format!("{pad}let mut {old}: {} = {function}take(&mut {place});", ty.name()));
                self.declare(&old, Kind::Value(ty), true);
            }
            _ => {
                let value = self.expr(&ty, 2, true);
                lines.push(format!("{pad}let {new}: {} = {value};", ty.name()));
                lines.push(format!("{pad}let mut {old}: {} = {function}replace(&mut {place}, {new});", ty.name()));
                self.declare(&old, Kind::Value(ty), true);
            }
        }
    }

    fn option_methods(&mut self, pad: &str, lines: &mut Vec<String>) {
        let scalar = Scalar::any_number(self.rng);
        let ty = Type::Option(Box::new(Type::Scalar(scalar)));
        let (first, second) = (self.expr(&ty, 2, true), self.expr(&ty, 2, true));
        let (option, name, limit) = (self.fresh_name("option"), self.fresh_name("chosen"), scalar.literal(self.rng, false));
        let compared = self.pick(&["<", ">=", "!="]);
        // In a variable, or as a part of one.
        let holder = self.chance(0.3).then(|| self.fresh_name("holder"));
        match &holder {
            Some(holder) => lines.push(format!("{pad}let mut {holder}: (u8, {}) = (1, {first});", ty.name())),
            None => lines.push(format!("{pad}let mut {option}: {} = {first};", ty.name())),
        }
        let declared = option.clone();
        let option = holder.as_ref().map_or(option, |holder| format!("{holder}.1"));
        let value = match self.rng.u32(..9) {
            0 => format!("{option}.or({second})"),
            1 => format!("{option}.and({second})"),
            2 => format!("{option}.take()"),
            3 => format!("{option}.replace({limit})"),
            4 => format!("{option}.filter(|v| *v {compared} {limit})"),
            5 => format!("{option}.map(|v| if v {compared} {limit} {{ v }} else {{ {limit} }})"),
            6 => format!("{option}.and_then(|v| if v {compared} {limit} {{ Some(v) }} else {{ None }})"),
            7 => format!("{option}.or_else(|| Some({limit}))"),
            _ => format!("Some({option}.map_or({limit}, |v| v) ).filter(|v| *v {compared} {limit})"),
        };
        lines.push(format!("{pad}let mut {name}: {} = {value};", ty.name()));
        match holder {
            Some(holder) => self.declare(&holder, Kind::Value(Type::Tuple(vec![Type::Scalar(SCALARS[5]), ty.clone()])), true),
            None => self.declare(&declared, Kind::Value(ty.clone()), true),
        }
        self.declare(&name, Kind::Value(ty), true);
    }

    /// Methods of an option that is an element of an array.
    fn options_in_array(&mut self, pad: &str, lines: &mut Vec<String>) {
        let scalar = Scalar::any_number(self.rng);
        let (option, length) = (Type::Option(Box::new(Type::Scalar(scalar))), self.rng.usize(1..4));
        let array = Type::Array(Box::new(option.clone()), length);
        let (value, other) = (self.expr(&array, 2, true), self.expr(&option, 2, true));
        let [options, chosen] = ["options", "chosen"].map(|stem| self.fresh_name(stem));
        let (index, limit) = (self.index(&length.to_string()), scalar.literal(self.rng, true));
        lines.push(format!("{pad}let mut {options}: {} = {value};", array.name()));
        let call = match self.rng.u32(..4) {
            0 => format!("or({other})"),
            1 => "take()".to_owned(),
            2 => format!("replace({limit})"),
            _ => format!("filter(|v| *v {} {limit})", self.pick(&["<", ">=", "!="])),
        };
        lines.push(format!("{pad}let mut {chosen}: {} = {options}[{index}].{call};", option.name()));
        self.declare(&options, Kind::Value(array), true);
        self.declare(&chosen, Kind::Value(option), true);
    }

    fn result_methods(&mut self, pad: &str, lines: &mut Vec<String>) {
        let (scalar, of_error) = (Scalar::any_number(self.rng), Scalar::any_number(self.rng));
        let ty = Type::Result(Box::new(Type::Scalar(scalar)), Box::new(Type::Scalar(of_error)));
        let (first, second) = (self.expr(&ty, 2, true), self.expr(&ty, 2, true));
        let (result, name) = (self.fresh_name("result"), self.fresh_name("chosen"));
        let (limit, error) = (scalar.literal(self.rng, false), of_error.literal(self.rng, false));
        let compared = self.pick(&["<", ">=", "!="]);
        lines.push(format!("{pad}let {result}: {} = {first};", ty.name()));
        let value = match self.rng.u32(..9) {
            0 => format!("{result}.or({second})"),
            1 => format!("{result}.and({second})"),
            2 => format!("{result}.map(|v| if v {compared} {limit} {{ v }} else {{ {limit} }})"),
            3 => format!("{result}.map_err(|e| if e {compared} {error} {{ e }} else {{ {error} }})"),
            4 => format!("{result}.and_then(|v| if v {compared} {limit} {{ Ok(v) }} else {{ Err({error}) }})"),
            5 => format!("{result}.or_else(|e| if e {compared} {error} {{ Err(e) }} else {{ Ok({limit}) }})"),
            6 => format!("{result}.ok().ok_or({error})"),
            7 => format!("{result}.err().map_or(Ok({limit}), |e| Err(e))"),
            _ => format!("Ok({result}.map_or_else(|e| if e {compared} {error} {{ {limit} }} else {{ {limit} }}, |v| v))"),
        };
        lines.push(format!("{pad}let {name}: {} = {value};", ty.name()));
        self.declare(&result, Kind::Value(ty.clone()), false);
        self.declare(&name, Kind::Value(ty), false);
    }

    /// A closure that changes variables, called several times.
    fn changing_closure(&mut self, pad: &str, lines: &mut Vec<String>) {
        let [kept, count, change, given] = ["kept", "count", "change", "given"].map(|name| self.fresh_name(name));
        let ty = self.any_type(1);
        let (first, second, third) = (self.expr(&ty, 2, true), self.expr(&ty, 1, true), self.expr(&ty, 1, true));
        self.budget = BUDGET;
        // A `return` in it leaves the closure.
        let (labels, output) = (std::mem::take(&mut self.labels), self.output.replace(Type::Scalar(Scalar::Bool)));
        let condition = self.read_only(|inner| inner.condition(1));
        (self.labels, self.output) = (labels, output);
        lines.push(format!("{pad}let (mut {kept}, mut {count}): ({}, u32) = ({first}, 0);", ty.name()));
        let (one, two) = (self.fresh_name("value"), self.fresh_name("value"));
        lines.push(format!("{pad}let ({one}, {two}): ({}, {}) = ({second}, {third});", ty.name(), ty.name()));
        lines.push(format!(
            "{pad}let mut {change} = |{given}: {}| -> bool {{ {count} += 1; if {condition} {{ {kept} = {given}; }} {count} < 2 }};",
            ty.name()
        ));
        lines.push(format!("{pad}if {change}({one}) {{ {change}({two}); }}"));
        self.declare(&kept, Kind::Value(ty), true);
        self.declare(&count, Kind::Value(Type::Scalar(super::scalar::U32)), true);
    }

    /// Literals whose type a constant tells, which only rustc sees.
    fn beside_constant(&mut self, pad: &str, lines: &mut Vec<String>) {
        let constants: Vec<_> = self.world.constants.iter().filter(|(_, scalar)| *scalar != Scalar::Bool).collect();
        let Some((constant, scalar)) = self.rng.choice(constants).cloned() else { return };
        let name = self.fresh_name("beside");
        let literal = |this: &mut Self| if scalar.is_float() { this.pick(&["1.5", "0.1", "3.0"]) } else { this.pick(&["1", "3", "100"]) };
        let (first, second) = (literal(self), literal(self));
        lines.push(format!("{pad}let mut {name} = {first};"));
        match self.rng.u32(..3) {
            0 => lines.push(format!("{pad}while {name} < {constant} && {name} < {second} {{ {name} += {first}; }}")),
            1 => lines.push(format!("{pad}if {constant} > {second} {{ {name} = {constant}; }}")),
            _ => lines.push(format!("{pad}{name} = {name} {} {constant};", self.pick(&["+", "-", "*"]))),
        }
        self.declare(&name, Kind::Value(Type::Scalar(scalar)), true);
    }

    fn changing_loop(&mut self, pad: &str, lines: &mut Vec<String>) {
        let arrays = self.variables(None).into_iter().filter_map(|(place, ty)| match ty {
            Type::Array(element, _) => element.as_scalar().map(|scalar| (place, scalar)),
            _ => None,
        });
        let arrays: Vec<(String, Scalar)> = arrays.collect();
        let Some((array, scalar)) = self.rng.choice(arrays) else { return };
        let (element, at, limit) = (self.fresh_name("element"), self.fresh_name("at"), scalar.literal(self.rng, false));
        let change = match scalar {
            Scalar::Bool => format!("*{element} ^= {limit};"),
            Scalar::Float { .. } => format!("*{element} {}= {limit};", self.pick(&["+", "*", "-"])),
            Scalar::Int { .. } => self
                .rng
                .choice([format!("*{element} ^= {limit};"), format!("*{element} = {element}.wrapping_mul({limit});")])
                .expect("there are two"),
        };
        let adapter = self.pick(&["", ".rev()", ".skip(1)", ".take(2)", ".step_by(2)"]);
        lines.push(match self.rng.u32(..3) {
            0 => format!("{pad}for {element} in {array}.iter_mut(){adapter} {{ {change} }}"),
            1 => format!("{pad}for {element} in &mut {array} {{ {change} }}"),
            _ => format!("{pad}for ({at}, {element}) in {array}.iter_mut().enumerate(){adapter} {{ if {at} != 1 {{ {change} }} }}"),
        });
    }

    /// A variable with the value of a `match` of a slice.
    fn slice_pattern(&mut self, pad: &str, lines: &mut Vec<String>) {
        let slices = self.visible().into_iter().filter_map(|Variable { name, kind, mutable, .. }| match kind {
            Kind::Slice { element: Type::Scalar(scalar), .. } if !mutable => Some((name, scalar)),
            _ => None,
        });
        let slices: Vec<(String, Scalar)> = slices.collect();
        let Some((slice, scalar)) = self.rng.choice(slices) else { return };
        let (name, limit) = (self.name(), scalar.literal(self.rng, false));
        let compared = self.pick(&["==", "<", ">="]);
        let value = match self.rng.u32(..4) {
            0 => format!(
                "if let [first, .., last] = {slice} {{ if *first {compared} *last {{ *first }} else {{ {limit} }} }} else {{ {limit} }}"
            ),
            1 => format!("if let [_, second, ..] = {slice} {{ *second }} else {{ {limit} }}"),
            2 => format!("match {slice} {{ [] => {limit}, [only] => *only, [.., before, _] => *before }}"),
            _ => format!("if let [first, rest @ ..] = {slice} {{ if rest.len() > 1 {{ rest[1] }} else {{ *first }} }} else {{ {limit} }}"),
        };
        lines.push(format!("{pad}let mut {name}: {} = {value};", scalar.name()));
        self.declare(&name, Kind::Value(Type::Scalar(scalar)), true);
    }

    /// A part of a slice, by variables that later ones may hide, as they may hide the slice.
    fn part(&mut self, pad: &str, lines: &mut Vec<String>) {
        let slices = self.visible().into_iter().filter_map(|Variable { name, kind, mutable, .. }| match kind {
            Kind::Slice { element, length } if !mutable => Some((name, element, length.unwrap_or(1))),
            _ => None,
        });
        let slices: Vec<(String, Type, usize)> = slices.filter(|(_, _, length)| *length > 0).collect();
        let Some((slice, element, length)) = self.rng.choice(slices) else { return };
        let first = self.other_name(std::slice::from_ref(&slice));
        let last = self.other_name(&[slice.clone(), first.clone()]);
        let from = self.rng.usize(..length);
        let to = self.rng.usize(from + 1..=length);
        for (name, value) in [(&first, from), (&last, to)] {
            lines.push(format!("{pad}let {name}: usize = {value};"));
            self.declare(name, Kind::Value(Type::Scalar(USIZE)), false);
        }
        let name = if self.rng.bool() { slice.clone() } else { self.name() };
        lines.push(format!("{pad}let {name} = &{slice}[{first}..{last}];"));
        self.declare(&name, Kind::Slice { element, length: Some(to - from) }, false);
    }

    fn conditional_option(&mut self, pad: &str, lines: &mut Vec<String>) {
        let ty = self.any_type(1);
        let (name, option) = (self.fresh_name("chosen"), Type::Option(Box::new(ty.clone())));
        let condition = self.condition(2);
        // A `return` or `break` in it would be the closure's.
        let (labels, output) = (std::mem::take(&mut self.labels), self.output.replace(ty.clone()));
        let value = self.read_only(|inner| inner.expr(&ty, 1, true));
        (self.labels, self.output) = (labels, output);
        let method = if self.rng.bool() { "then_some(" } else { "then(|| " };
        lines.push(format!("{pad}let {name}: {} = ({condition}).{method}{value});", option.name()));
        self.declare(&name, Kind::Value(option), false);
    }
}
