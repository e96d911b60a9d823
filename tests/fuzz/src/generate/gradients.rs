//! Kernels with a gradient: variables that change in branches and loops.
//!
//! Plain Rust computes the gradient by dual numbers, an element at a time. All values are small and whole, so that sums have the same bits in any
//! order: `% 3.0` keeps values small and has the slope 1, and `slope` is the largest that a variable's derivative can be.

use fastrand::Rng;

use super::kernel::{Case, Kernel};
use super::text::either;

/// How many threads there are, and elements of `x`.
const THREADS: usize = 8;
/// Elements of `y`.
const OTHERS: usize = 6;
/// What variables are at most: the remainder of a division by 3.
const LARGEST: f64 = 2.0;
/// Above it, sums of derivatives might be rounded.
const STEEPEST: f64 = (1u64 << 40) as f64;

/// An expression: its text, and bounds of its value and of its derivative.
struct Value {
    text: String,
    largest: f64,
    slope: f64,
}

struct Variable {
    name: String,
    slope: f64,
}

/// A tuple or an array.
#[derive(Clone)]
struct Whole {
    name: String,
    /// The variable that its first number is, and what follows the name in that and the others.
    first: usize,
    parts: &'static [&'static str],
}

const TUPLE: &[&str] = &[".0", ".1.0", ".1.1"];
const ARRAY: &[&str] = &["[0]", "[1]"];

/// A kernel in the making.
struct Program<'r> {
    rng: &'r mut Rng,
    lines: Vec<String>,
    variables: Vec<Variable>,
    /// Tuples and arrays whose numbers are among the variables.
    wholes: Vec<Whole>,
    declared: usize,
    /// The counters of the loops around, as `usize`.
    counters: Vec<String>,
    /// `x`, `y` and `a` have this slope: the unit in which those of a loop's body are counted.
    unit: f64,
}

pub(super) fn kernel(rng: &mut Rng, number: u64) -> Kernel {
    let mut program =
        Program { rng, lines: Vec::new(), variables: Vec::new(), wholes: Vec::new(), declared: 0, counters: Vec::new(), unit: 1.0 };
    program.lines.push(format!("    {}", either("let i = grid_1d();", "")));
    program.lines.push("    if i >= out.len() { return; }".to_owned());
    program.declare(1);
    program.statements(4, 1);
    let is_overwritten = program.rng.bool();
    let (first, last) = (program.value(2).text, program.value(2).text);
    program.lines.push(format!("    out[i] {} {first};", if is_overwritten { "=" } else { "+=" }));
    program.statements(2, 1);
    program.lines.push(format!("    out[i] {} {last};", if is_overwritten { "=" } else { "-=" }));
    let rounds = program.rng.usize(0..6);
    let lines = program.lines.join("\n");
    let attribute = either("#[gpu_kernel(grad, fmad = false)]", "");
    let (thread, array, scalar) = (either("", "i: usize, "), either("[f64]", "[Dual]"), either("f64", "Dual"));
    let definition = format!(
        "{attribute}\npub fn k{number}({thread}x: &{array}, y: &{array}, a: {scalar}, n: usize, out: &mut {array}) {{\n{lines}\n}}\n"
    );
    let case = Case {
        lets: vec![
            format!("let (x, y, a) = (values.numbers::<f64>({THREADS}), values.numbers::<f64>({OTHERS}), values.numbers::<f64>(1));"),
            format!("let mut weights: Vec<f64> = values.numbers({THREADS});"),
            format!("let (mut d_x, mut d_y, mut d_a) = (vec![0.0; {THREADS}], vec![0.0; {OTHERS}], vec![0.0]);"),
        ],
        kernel_args: vec![
            format!("&x, &y, a[0], {rounds}, &{}weights", if is_overwritten { "mut " } else { "" }),
            "&mut d_x, &mut d_y, &mut d_a".to_owned(),
        ],
        outputs: ["d_x", "d_y", "d_a"].map(str::to_owned).to_vec(),
        ..Case::default()
    };
    let call = format!(
        "gradient(&weights, [&x, &y, &a], [&mut d_x, &mut d_y, &mut d_a], |[x, y, a], out| for i in 0..{THREADS} {{ k{number}(i, x, y, a[0], {rounds}, out) }})"
    );
    Kernel { definition, case: case.text_of(&format!("k{number}::grad"), number, &format!("2, {}", THREADS / 2), &call) }
}

impl Program<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.lines.push(format!("{}{text}", "    ".repeat(depth)));
    }

    fn chance(&mut self, one_in: u8) -> bool {
        self.rng.u8(..one_in) == 0
    }

    // Expressions.

    fn value(&mut self, depth: u32) -> Value {
        if depth == 0 {
            return self.leaf();
        }
        match self.rng.u8(..10) {
            0 | 1 => {
                let (left, right) = (self.value(depth - 1), self.value(depth - 1));
                let operator = if self.rng.bool() { "+" } else { "-" };
                let text = format!("({} {operator} {})", left.text, right.text);
                Value { text, largest: left.largest + right.largest, slope: left.slope + right.slope }
            }
            2..5 => {
                let (left, right) = (self.value(depth - 1), self.value(depth - 1));
                let slope = left.slope * right.largest + left.largest * right.slope;
                Value { text: format!("({} * {} % 3.0)", left.text, right.text), largest: LARGEST, slope }
            }
            5 => {
                let value = self.value(depth - 1);
                Value { text: format!("(-{})", value.text), ..value }
            }
            6 => {
                let value = self.value(depth - 1);
                Value { text: format!("{}.abs()", value.text), ..value }
            }
            7 => {
                let (condition, then, otherwise) = (self.condition(), self.value(depth - 1), self.value(depth - 1));
                let text = format!("(if {condition} {{ {} }} else {{ {} }})", then.text, otherwise.text);
                Value { text, largest: then.largest.max(otherwise.largest), slope: then.slope.max(otherwise.slope) }
            }
            8 if self.chance(3) => {
                let value = self.value(depth - 1);
                Value { text: format!("stop_gradient({})", value.text), slope: 0.0, ..value }
            }
            _ => self.leaf(),
        }
    }

    fn leaf(&mut self) -> Value {
        let unit = self.unit;
        match self.rng.u8(..9) {
            0..4 if !self.variables.is_empty() => {
                let variable = &self.variables[self.rng.usize(..self.variables.len())];
                Value { text: variable.name.clone(), largest: LARGEST, slope: variable.slope }
            }
            0..6 => Value { text: format!("x[{}]", self.index(THREADS)), largest: 4.0, slope: unit },
            6 => Value { text: format!("y[{}]", self.index(OTHERS)), largest: 4.0, slope: unit },
            7 => Value { text: "a".to_owned(), largest: 4.0, slope: unit },
            _ => {
                let number = self.rng.u8(1..4);
                let text = either(&format!("{number}.0f64"), &format!("Dual::constant({number}.0)"));
                Value { text, largest: f64::from(number), slope: 0.0 }
            }
        }
    }

    fn index(&mut self, length: usize) -> String {
        let distance = self.rng.usize(..length);
        match (self.rng.u8(..3), self.counters.last()) {
            (0, _) if length == THREADS => "i".to_owned(),
            (0 | 1, Some(counter)) => format!("({counter} + {distance}) % {length}"),
            (2, Some(counter)) => format!("(i * {counter}) % {length}"),
            _ => format!("(i + {distance}) % {length}"),
        }
    }

    fn condition(&mut self) -> String {
        match (self.rng.u8(..3), self.counters.last()) {
            (0, Some(counter)) => format!("{counter} % {} == 0", self.rng.u8(2..4)),
            (0 | 1, _) => format!("i < {}", self.rng.usize(..THREADS)),
            _ => {
                let (left, right) = (self.leaf().text, self.leaf().text);
                format!("{left} < {right}")
            }
        }
    }

    // Statements.

    fn statements(&mut self, count: u32, depth: usize) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    /// `depth`: of the block.
    fn statement(&mut self, depth: usize) {
        match self.rng.u8(..10) {
            0 | 1 => self.declare(depth),
            2..5 => self.assign(depth),
            5 | 6 if depth < 4 => self.branch(depth),
            7 | 8 if depth < 4 => self.short_loop(depth),
            9 if self.chance(3) => self.swap(depth),
            9 if depth < 3 => self.long_loop(depth),
            _ => self.assign(depth),
        }
    }

    fn declare(&mut self, depth: usize) {
        let name = format!("v{}", self.declared);
        self.declared += 1;
        let parts = match self.rng.u8(..6) {
            0 => TUPLE,
            1 => ARRAY,
            2 if !self.wholes.is_empty() => return self.copy(depth, name),
            _ => &[""],
        };
        let values: Vec<Value> = parts.iter().map(|_| self.value(2)).collect();
        let text = |at: usize| format!("{} % 3.0", values[at].text);
        let (number, value) = match parts.len() {
            1 => ("{}", text(0)),
            2 => ("[{}; 2]", format!("[{}, {}]", text(0), text(1))),
            _ => ("({}, ({}, {}))", format!("({}, ({}, {}))", text(0), text(1), text(2))),
        };
        self.line(depth, &format!("let mut {name}: {} = {value};", number.replace("{}", &either("f64", "Dual"))));
        if parts.len() > 1 {
            self.wholes.push(Whole { name: name.clone(), first: self.variables.len(), parts });
        }
        let variables = parts.iter().zip(values).map(|(part, value)| Variable { name: format!("{name}{part}"), slope: value.slope });
        self.variables.extend(variables);
    }

    /// `let mut name = other;`
    fn copy(&mut self, depth: usize, name: String) {
        let Whole { name: other, first, parts } = self.wholes[self.rng.usize(..self.wholes.len())].clone();
        self.line(depth, &format!("let mut {name} = {other};"));
        self.wholes.push(Whole { name: name.clone(), first: self.variables.len(), parts });
        for (at, part) in parts.iter().enumerate() {
            let slope = self.variables[first + at].slope;
            self.variables.push(Variable { name: format!("{name}{part}"), slope });
        }
    }

    /// `(a, b) = (b, a);`
    fn swap(&mut self, depth: usize) {
        let (a, b) = (self.rng.usize(..self.variables.len()), self.rng.usize(..self.variables.len()));
        if a != b {
            let (first, second) = (self.variables[a].name.clone(), self.variables[b].name.clone());
            self.line(depth, &format!("({first}, {second}) = ({second}, {first});"));
            let slope = self.variables[a].slope;
            self.variables[a].slope = std::mem::replace(&mut self.variables[b].slope, slope);
        }
    }

    fn assign(&mut self, depth: usize) {
        let at = self.rng.usize(..self.variables.len());
        let (value, is_sum) = (self.value(2), self.rng.bool());
        let Variable { name, slope } = &mut self.variables[at];
        let steepest = if is_sum { *slope + value.slope } else { value.slope };
        if steepest > STEEPEST {
            return;
        }
        *slope = steepest;
        let name = name.clone();
        if is_sum {
            self.line(depth, &format!("{name} += {};", value.text));
            self.line(depth, &format!("{name} = {name} % 3.0;"));
        } else {
            self.line(depth, &format!("{name} = {} % 3.0;", value.text));
        }
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        self.line(depth, &format!("if {condition} {{"));
        let before: Vec<f64> = self.variables.iter().map(|variable| variable.slope).collect();
        self.block(depth + 1, 2);
        if self.rng.bool() {
            let then: Vec<f64> = self.variables.iter().map(|variable| variable.slope).collect();
            self.variables.iter_mut().zip(&before).for_each(|(variable, slope)| variable.slope = *slope);
            self.line(depth, "} else {");
            self.block(depth + 1, 2);
            self.variables.iter_mut().zip(&then).for_each(|(variable, slope)| variable.slope = variable.slope.max(*slope));
        } else {
            self.variables.iter_mut().zip(&before).for_each(|(variable, slope)| variable.slope = variable.slope.max(*slope));
        }
        self.line(depth, "}");
    }

    fn block(&mut self, depth: usize, count: u32) {
        let outside = self.variables.len();
        self.statements(count, depth);
        self.variables.truncate(outside);
        self.wholes.retain(|whole| whole.first < outside);
    }

    /// A few iterations of anything.
    fn short_loop(&mut self, depth: usize) {
        let before: Vec<f64> = self.variables.iter().map(|variable| variable.slope).collect();
        let steepest = before.iter().fold(self.unit, |steepest, slope| steepest.max(*slope));
        // Derivatives of the body, by the variables before it.
        let unit = std::mem::replace(&mut self.unit, 1.0);
        self.variables.iter_mut().for_each(|variable| variable.slope = 1.0);
        let first = self.lines.len();
        let counter = format!("k{depth}");
        let is_while = self.chance(4);
        let is_signed = !is_while && self.chance(4);
        self.counters.push(if is_signed { format!("({counter} + 9) as usize") } else { counter.clone() });
        if self.chance(3) {
            let (condition, exit) = (self.condition(), if is_while || self.rng.bool() { "break" } else { "continue" });
            self.line(depth + 1, &format!("if {condition} {{ {exit}; }}"));
        }
        self.block(depth + 1, 3);
        if self.chance(4) {
            let condition = self.condition();
            self.line(depth + 1, &format!("if {condition} {{"));
            self.block(depth + 2, 1);
            self.line(depth + 2, "break;");
            self.line(depth + 1, "}");
        }
        if is_while {
            let by = self.rng.u8(1..3);
            self.line(depth + 1, &format!("{counter} += {by};"));
        }
        self.counters.pop();
        self.unit = unit;
        let growth = self.variables.iter().fold(1.0f64, |growth, variable| growth.max(variable.slope));
        let rounds = (1..=6).rev().find(|rounds| steepest * growth.powi(*rounds) <= STEEPEST);
        let Some(rounds) = rounds else {
            self.lines.truncate(first);
            self.variables.iter_mut().zip(before).for_each(|(variable, slope)| variable.slope = slope);
            return;
        };
        self.variables.iter_mut().for_each(|variable| variable.slope = steepest * growth.powi(rounds));
        let head = match self.rng.u8(..6) {
            _ if is_while => format!("let mut {counter} = 0usize;\n{}while {counter} < {rounds} {{", "    ".repeat(depth)),
            0 if is_signed => format!("for {counter} in (-{rounds}i32..0).rev() {{"),
            _ if is_signed => format!("for {counter} in -1..={}i32 {{", rounds - 2),
            0 => format!("for {counter} in (0..{rounds}usize).rev() {{"),
            1 => format!("for {counter} in (0..{}usize).step_by(2) {{", 2 * rounds),
            2 => format!("for {counter} in (0..{}usize).rev().step_by(3) {{", 3 * rounds),
            3 => format!("for {counter} in 1..={rounds}usize {{"),
            4 => format!("for {counter} in 0..n.min({rounds}) {{"),
            _ => format!("for {counter} in 0..{rounds}usize {{"),
        };
        self.lines.insert(first, format!("{}{head}", "    ".repeat(depth)));
        self.line(depth, "}");
    }

    /// Many iterations of a variable times -1, 0 or 1: its derivative does not grow.
    fn long_loop(&mut self, depth: usize) {
        let rounds = [5, 33, 64, 100, 1030, 2100][self.rng.usize(..6)];
        let at = self.rng.usize(..self.variables.len());
        let carried = self.variables.remove(at);
        let counter = format!("k{depth}");
        self.counters.push(counter.clone());
        let sign = format!("y[{}]", self.index(OTHERS));
        let added = self.value(1);
        self.counters.pop();
        let slope = carried.slope + f64::from(rounds) * (LARGEST * self.unit + added.slope);
        let name = carried.name.clone();
        self.variables.insert(at, carried);
        if slope > STEEPEST {
            return;
        }
        self.variables[at].slope = slope;
        self.line(depth, &format!("for {counter} in 0..{rounds}usize {{"));
        self.line(depth + 1, &format!("{name} = ({name} * ({sign} % 2.0) + {}) % 3.0;", added.text));
        self.line(depth, "}");
    }
}
