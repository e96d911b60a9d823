//! Random statements with patterns, aggregates and closures.

use super::generate::Generator;
use std::fmt::Write;

impl Generator<'_> {
    pub(super) fn statement_with_values(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 9 } else { 14 }) {
            0 if self.random.one_in(2) => self.copied_array(),
            0 => self.new_array(),
            1 | 2 => self.change_in_array(),
            3 => {
                let (a, b) = (self.new_name("p"), self.new_name("p"));
                let (x, y) = (self.expr(1), self.expr(1));
                let text = match self.random.below(3) {
                    0 => format!("let ({a}, {b}) = ({x}, {y});"),
                    1 => format!("let pair = ({x}, {y}); let {a} = pair.0; let (_, {b}) = pair;"),
                    _ => format!("let [{a}, {b}] = [{x}, {y}];"),
                };
                self.line(&text);
                self.names.extend([a, b]);
            }
            4 => {
                let (name, value, leave) = (self.new_name("d"), self.difference(), self.leave());
                self.line(&format!("let Some({name}) = {value} else {{ {leave}; }};"));
                self.names.push(name);
            }
            5 => self.value_of_match(),
            6 => {
                let (name, value, condition) = (self.new_name("c"), self.expr(1), self.condition(1));
                let otherwise = self.expr(1);
                let text = match self.random.below(3) {
                    0 => format!("let {name} = 'v: {{ if {condition} {{ break 'v {value}; }} {otherwise} }};"),
                    1 => format!("let {name} = if {condition} {{ {value} }} else {{ {otherwise} }};"),
                    _ => format!("let {name} = if {condition} {{ {value} }} else {{ {} }};", self.leave()),
                };
                self.line(&text);
                self.names.push(name);
            }
            7 => self.closure(),
            8 => self.structure(),
            9 => {
                let (name, value, condition) = (self.new_name("d"), self.difference(), self.condition(1));
                let guard = if self.random.one_in(2) { format!("&& {condition} ") } else { String::new() };
                self.line(&format!("if let Some({name}) = {value} {guard}{{"));
                self.names.push(name);
                self.inner(depth);
                self.names.pop();
                self.line("}");
            }
            10 if !self.mutable.is_empty() => {
                let (name, step) = (self.new_name("d"), 1 + self.random.below(2));
                self.line(&format!("while let Some({name}) = m.checked_sub({step}) {{ m = {name};"));
                self.names.push(name);
                self.looping(depth);
                self.names.pop();
            }
            _ => self.match_with_arms(depth),
        }
    }

    fn line(&mut self, text: &str) {
        writeln!(self.source, "{text}").unwrap();
    }

    fn leave(&mut self) -> &'static str {
        let ways: &[&str] = if self.loops > 0 { &["return", "break", "continue"] } else { &["return"] };
        ways[self.random.below(ways.len())]
    }

    fn difference(&mut self) -> String {
        let (a, b) = (self.expr(1), self.expr(0));
        format!("({a}).checked_sub({b})")
    }

    fn new_array(&mut self) {
        let (name, x, y) = (self.new_name("a"), self.expr(1), self.expr(1));
        let mutable = self.random.one_in(2);
        let text = match self.arrays.last() {
            Some((array, _)) if self.random.one_in(2) => array.clone(),
            _ => format!("[{x}, {y}]"),
        };
        self.line(&format!("let {}{name} = {text};", if mutable { "mut " } else { "" }));
        self.arrays.push((name, mutable));
    }

    /// What a proof should succeed with, were it not for a change.
    fn copied_array(&mut self) {
        let (first, value) = (self.names[0].clone(), self.uniform());
        let change = *self.random.pick(&["", "pair[0] = V;", "pair[0] += V;", "(_, pair[0]) = (1, V);"]);
        let guard = *self.random.pick(&["F < x.len()", "F < out.len()", "F < n"]);
        let access = *self.random.pick(&["let _ = x[copy[0]];", "let e = copy[0]; out[e] = 1;", "let [e, _] = copy; out[e] = 1;"]);
        let text = format!("if {guard} {{ let mut pair = [F, 2]; {change} let copy = pair; {access} }}");
        let text = text.replace('V', &format!("({value})")).replace('F', &first);
        self.line(&text);
    }

    /// Or a look at one.
    fn change_in_array(&mut self) {
        let Some((array, mutable)) = self.arrays.last().cloned() else { return self.new_array() };
        let (index, value) = (*self.random.pick(&["0", "1", "n % 2", "n"]), self.expr(1));
        let name = self.new_name("e");
        match self.random.below(6) {
            0 | 1 if mutable => return self.line(&format!("{array}[{index}] = {value};")),
            2 if mutable => return self.line(&format!("{array}[{index}] += {value};")),
            3 if mutable => return self.line(&format!("({array}[0], _) = ({value}, {index});")),
            4 => self.line(&format!("let [{name}, _] = {array};")),
            5 if !self.mutable.is_empty() => self.line(&format!("let {name} = [{{ m = {value}; 0 }}, {index}].len();")),
            _ => self.line(&format!("let copy = {array}; let {name} = copy[{index}];")),
        }
        self.names.push(name);
    }

    fn value_of_match(&mut self) {
        let (name, scrutinee, condition) = (self.new_name("c"), self.expr(1), self.condition(0));
        let (x, y, leave) = (self.expr(1), self.expr(1), self.leave());
        let arms = match self.random.below(4) {
            0 => format!("0 => {x}, _ => {y}"),
            1 => format!("q if q < {x} => q, q => q % 2 + {y}"),
            2 => format!("q @ 1..=3 => q, 0 | 5 => {x}, _ if {condition} => {y}, _ => {leave}"),
            _ => format!("q if q >= {x} => {leave}, q => q"),
        };
        self.line(&format!("let {name} = match {scrutinee} {{ {arms} }};"));
        self.names.push(name);
    }

    fn match_with_arms(&mut self, depth: usize) {
        let (a, b, condition, bound) = (self.expr(1), self.expr(1), self.condition(1), self.uniform());
        let (scrutinee, arms): (String, [String; 3]) = match self.random.below(4) {
            0 => (a, ["0".into(), format!("q if q < {bound}"), "q".into()]),
            1 => (format!("({a}, {b})"), [format!("(q, r) | (r, q) if q < {bound}"), "(q, 0)".into(), "(_, q)".into()]),
            2 => (a, ["q @ (0 | 2)".into(), format!("q if {condition} || q == 3"), "q".into()]),
            _ => (format!("({a}).checked_sub({b})"), [format!("Some(q) if q < {bound}"), "Some(q @ ..=4)".into(), "_".into()]),
        };
        self.line(&format!("match {scrutinee} {{"));
        for arm in arms {
            let names = self.names.len();
            self.names.extend(arm.contains('q').then(|| "q".to_owned()));
            self.line(&format!("{arm} => {{"));
            self.inner(depth);
            self.line("}");
            self.names.truncate(names);
        }
        self.line("}");
    }

    /// It names no variable that changes: rustc would not let those change.
    fn closure(&mut self) {
        let mutable = std::mem::take(&mut self.mutable);
        let (function, name, argument) = (self.new_name("f"), self.new_name("g"), self.expr(1));
        self.names.push("z".into());
        let (condition, value, otherwise) = (self.condition(1), self.expr(2), self.expr(1));
        let names: Vec<String> = std::mem::take(&mut self.names);
        self.names = names.into_iter().filter(|name| name != "z").collect();
        self.mutable = mutable;
        let body = match self.random.below(3) {
            0 => format!("if {condition} {{ return {otherwise}; }} {value}"),
            1 => format!("if {condition} && z < x.len() {{ x[z] as usize }} else {{ {value} }}"),
            _ => value,
        };
        self.line(&format!("let {function} = |z: usize| -> usize {{ {body} }}; let {name} = {function}({argument});"));
        self.names.push(name);
    }

    fn structure(&mut self) {
        let (x, y, value) = (self.expr(1), self.expr(1), self.expr(1));
        let (i, e) = (self.new_name("i"), self.new_name("e"));
        let change = *self.random.pick(&["", "of.i = V;", "of.i += V;", "of.t.0 = V;", "of.a[1] = V;", "(of.i, of.a[0]) = (V, 2);"]);
        let look = *self.random.pick(&[
            "let I: usize = of.i; let copy: [usize; 2] = of.a; let E = copy[1];",
            "let P { i: first, a: rest, .. } = of; let I: usize = first; let copy: [usize; 2] = rest; let [_, E] = copy;",
            "let pair: (usize, usize) = of.t; let (I, E) = pair;",
        ]);
        let text = format!("let mut of = P {{ i: {x}, a: [{y}, {x}], t: ({y}, 1) }}; {change} {look}");
        let text = text.replace('V', &format!("({value})")).replace('I', &i).replace('E', &e);
        self.line(&text);
        self.names.extend([i, e]);
    }
}
