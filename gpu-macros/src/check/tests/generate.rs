//! Random kernels: index arithmetic, guards, loops and early exits, with the traps that a proof could fall into.

use std::fmt::Write;

/// xorshift64*.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Numbers at which something happens.
const EDGES: &[&str] = &["0", "1", "31", "32", "63", "64", "4294967295", "4294967296", "9223372036854775807", "18446744073709551615"];
/// Amounts to shift by, of which rustc refuses some as literals.
const AMOUNTS: &[&str] = &["0u32", "1u32", "5u32", "31u32", "32u32", "33u32", "63u32", "64u32", "65u32", "4294967295u32"];

/// Which statements a kernel has besides the plain ones.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Statements {
    Plain,
    /// Patterns, aggregates and closures.
    Values,
    /// Variables that change, paths that join, signed integers, and constants of the crate.
    Flow,
}

/// The parameters of every generated kernel: three slices, two `usize`, one `u32`, two views, two signed integers.
const HEADER: &str = "fn k<const TILE: usize, const HALO: usize>(x: &[u32], out: &mut [u32], y: &mut [u32], n: usize, w: usize, s: u32, a: View<u32, 2>, v: ViewMut<u32, 2>, d: i32, e: isize)";

pub(super) struct Generator<'r> {
    pub(super) random: &'r mut Random,
    pub(super) source: String,
    /// Immutable and mutable variables of type `usize` in scope.
    pub(super) names: Vec<String>,
    pub(super) mutable: Vec<String>,
    pub(super) loops: usize,
    pub(super) labels: usize,
    pub(super) count: usize,
    /// Whether barriers are wanted: elsewhere they would make most kernels unprovable.
    pub(super) barriers: bool,
    /// Whether views are indexed, and not slices.
    views: bool,
    statements: Statements,
    /// Whether a shared array is indexed, and not slices.
    shared: bool,
    /// Arrays of two `usize` in scope, and whether they are mutable.
    pub(super) arrays: Vec<(String, bool)>,
}

pub(super) fn random_kernel(random: &mut Random, statements: Statements) -> String {
    let (barriers, views) = (random.one_in(4), random.one_in(3));
    random_kernel_with(random, barriers, views, statements, false)
}

/// A kernel that uses a shared array of 8 elements, with barriers.
pub(super) fn random_kernel_with_shared(random: &mut Random) -> String {
    random_kernel_with(random, true, false, Statements::Plain, true)
}

fn random_kernel_with(random: &mut Random, barriers: bool, views: bool, statements: Statements, shared: bool) -> String {
    let mut generator = Generator {
        random,
        source: String::new(),
        names: Vec::new(),
        mutable: Vec::new(),
        loops: 0,
        labels: 0,
        count: 0,
        barriers,
        views,
        statements,
        shared,
        arrays: Vec::new(),
    };
    generator.opening();
    let count = 2 + generator.random.below(if shared { 6 } else { 4 });
    generator.statements(count, 3);
    format!("{HEADER} {{\n{}}}", generator.source)
}

impl Generator<'_> {
    /// Coordinates under names that the rest can use.
    fn opening(&mut self) {
        if self.shared {
            writeln!(self.source, "let mut sh = shared::<[u32; 8]>();").unwrap();
        }
        let openings: &[(&str, &[&str])] = &[
            ("let i = grid_1d();", &["i"]),
            ("let i = block_idx().x * block_dim().x + thread_idx().x;", &["i"]),
            ("let (i, j) = grid_2d();", &["i", "j"]),
            ("let t = thread_idx().x; let b = block_idx().x;", &["t", "b"]),
            ("let i = block_idx().x * 2 + thread_idx().x; let j = block_idx().y * 2 + thread_idx().y;", &["i", "j"]),
            ("let i = thread_idx().x * 2; let j = grid_1d() % 3;", &["i", "j"]),
        ];
        let (text, names) = *self.random.pick(openings);
        writeln!(self.source, "{text}").unwrap();
        self.names.extend(names.iter().map(|&name| name.to_owned()));
        if self.barriers || self.random.one_in(3) {
            let value = if self.random.one_in(2) { self.uniform() } else { self.expr(1) };
            writeln!(self.source, "let mut m = {value};").unwrap();
            self.mutable.push("m".into());
        }
    }

    fn statements(&mut self, count: usize, depth: usize) {
        let (names, arrays) = (self.names.len(), self.arrays.len());
        for _ in 0..count {
            match self.statements {
                Statements::Values if self.random.one_in(2) => self.statement_with_values(depth),
                Statements::Flow if self.random.one_in(2) => self.statement_with_flow(depth),
                _ => self.statement(depth),
            }
        }
        self.names.truncate(names);
        self.arrays.truncate(arrays);
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 6 } else { 13 }) {
            0 | 1 if self.views => self.access_to_view(),
            0 | 1 => self.access(),
            2 if self.views => self.guarded_element(),
            2 => self.guarded_row(),
            3 => {
                let value = self.expr(2);
                // Shadowing an old name now and then.
                let name = if self.random.one_in(4) { self.random.pick(&self.names).clone() } else { self.new_name("v") };
                writeln!(self.source, "let {name} = {value};").unwrap();
                if !self.names.contains(&name) {
                    self.names.push(name);
                }
            }
            4 => match self.mutable.first().cloned() {
                Some(name) => {
                    let (operator, value) = (*self.random.pick(&["=", "+=", "*="]), self.expr(1));
                    writeln!(self.source, "{name} {operator} {value};").unwrap();
                }
                None => self.access(),
            },
            5 if self.barriers => match self.random.below(2) {
                0 => writeln!(self.source, "sync_threads();").unwrap(),
                _ => writeln!(self.source, "if m < {} {{ sync_threads(); }}", self.random.below(3)).unwrap(),
            },
            5 | 6 => self.exit(),
            7 => {
                let condition = self.condition(2);
                writeln!(self.source, "assert!({condition});").unwrap();
            }
            8 | 9 => {
                let condition = self.condition(2);
                writeln!(self.source, "if {condition} {{").unwrap();
                self.inner(depth);
                if self.random.one_in(2) {
                    writeln!(self.source, "}} else {{").unwrap();
                    self.inner(depth);
                }
                writeln!(self.source, "}}").unwrap();
            }
            10 => {
                let name = self.new_name("k");
                let range = match self.random.below(4) {
                    0 => format!("grid_stride({})", self.expr(0)),
                    1 => format!("0..{}", self.expr(0)),
                    2 => format!("({}..={}).rev()", self.expr(0), self.expr(0)),
                    _ => format!("(0..{}).step_by(2)", self.expr(1)),
                };
                writeln!(self.source, "for {name} in {range} {{").unwrap();
                self.names.push(name);
                self.looping(depth);
                self.names.pop();
            }
            11 => {
                let condition = self.condition(1);
                writeln!(self.source, "while {condition} {{").unwrap();
                self.looping(depth);
            }
            _ => {
                self.labels += 1;
                writeln!(self.source, "'l{}: {{", self.labels).unwrap();
                let label = self.labels;
                let condition = self.condition(1);
                self.inner(depth);
                writeln!(self.source, "if {condition} {{ break 'l{label}; }}").unwrap();
                self.inner(depth);
                writeln!(self.source, "}}").unwrap();
            }
        }
    }

    /// What a proof should succeed with, were it not for strides that wrap around.
    fn guarded_row(&mut self) {
        let (a, b, stride, rows) = (self.name(), self.name(), self.uniform(), self.uniform());
        let guard = *self.random.pick(&["", "&& B < R", "&& B * S + A < out.len()", "|| B < R", "&& A > 0"]);
        let access = *self.random.pick(&["out[B * S + A] = 1;", "out[B * S + A] = 1; let _ = x[A + S * B];", "out[A * R + B] = 1;"]);
        let text = format!("if A < S {guard} {{ {access} }}").replace('A', &a).replace('B', &b).replace('S', &stride).replace('R', &rows);
        writeln!(self.source, "{text}").unwrap();
    }

    /// What a proof should succeed with: each index below its extent.
    fn guarded_element(&mut self) {
        let (a, b, extent) = (self.names[1 % self.names.len()].clone(), self.names[0].clone(), self.uniform());
        let guard = *self.random.pick(&[
            "A < v.shape()[1] && B < v.shape()[0]",
            "B < v.shape()[0] && A + 1 < v.shape()[1]",
            "A < E && B < v.shape()[0]",
            "A < v.shape()[1] || B < v.shape()[0]",
            "A + B < v.shape()[1]",
        ]);
        let access = *self.random.pick(&[
            "v[[B, A]] = 1;",
            "v[[B, A]] += a[[B, A]];",
            "for c in 0..v.shape()[0] { v[[c, A]] = 1; }",
            "v[[A, B]] = 1;",
            "v[[B, A]] = 1; v[[B, A + 1]] = 2;",
            "v[[B, A * 2]] = 1; v[[B, A * 2 + 1]] = a[[A, A]];",
        ]);
        let text = format!("if {guard} {{ {access} }}").replace('A', &a).replace('B', &b).replace('E', &extent);
        writeln!(self.source, "{text}").unwrap();
    }

    fn access_to_view(&mut self) {
        // Mostly alike, or two accesses would hardly ever agree.
        let (i, j) = match self.random.below(4) {
            0 => (self.index(), self.index()),
            1 => (self.names[0].clone(), self.index()),
            2 => (format!("{} + 1", self.names[0]), self.names[self.names.len() - 1].clone()),
            _ => (self.names[0].clone(), self.names[1 % self.names.len()].clone()),
        };
        match self.random.below(4) {
            0 => writeln!(self.source, "let _ = a[[{i}, {j}]];").unwrap(),
            1 => writeln!(self.source, "v[[{i}, {j}]] += 1;").unwrap(),
            _ => writeln!(self.source, "v[[{i}, {j}]] = 1;").unwrap(),
        }
    }

    pub(super) fn inner(&mut self, depth: usize) {
        let count = 1 + self.random.below(2);
        self.statements(count, depth - 1);
    }

    pub(super) fn looping(&mut self, depth: usize) {
        self.loops += 1;
        self.inner(depth);
        self.loops -= 1;
        writeln!(self.source, "}}").unwrap();
    }

    pub(super) fn exit(&mut self) {
        let leave = if self.loops > 0 { *self.random.pick(&["return", "break", "continue"]) } else { "return" };
        let condition = self.condition(2);
        writeln!(self.source, "if {condition} {{ {leave}; }}").unwrap();
    }

    pub(super) fn access(&mut self) {
        if self.shared {
            return self.access_to_shared();
        }
        let index = self.index();
        match self.random.below(4) {
            0 => writeln!(self.source, "let _ = x[{index}];").unwrap(),
            1 => writeln!(self.source, "y[{index}] += 1;").unwrap(),
            _ => writeln!(self.source, "out[{index}] = 1;").unwrap(),
        }
    }

    /// What threads do around barriers: exchange neighbours, fold halves, fill tiles.
    fn access_to_shared(&mut self) {
        let (a, m) = (self.names[0].clone(), self.mutable.first().cloned().unwrap_or_else(|| "w".into()));
        let k = self.random.below(4);
        let text = match self.random.below(16) {
            0..=2 => format!("sh[{a}] = 1;"),
            12 => format!("for k in 0..{m} {{ sh[{a} + k] = 1; }}"),
            13 => format!("for k in 0..{m} {{ sh[{a} + k] = 1; sync_threads(); }}"),
            14 => format!("for k in 0..{m} {{ if {a} < k {{ sh[{a}] += sh[{a} + k]; }} sync_threads(); }}"),
            15 => format!("for k in 0..{m} {{ if k % 2 == 0 {{ sh[{a} + k] = 1; }} else {{ sync_threads(); }} }}"),
            3 => format!("sh[{a} + {k}] = 1;"),
            4 => format!("let _ = sh[{a} + {k}];"),
            5 => format!("let _ = sh[7 - {a}];"),
            6 => format!("if {a} < {k} {{ sh[{a}] += sh[{a} + {k}]; }}"),
            7 => format!("if {a} < {m} {{ sh[{a}] += sh[{a} + {m}]; }}"),
            8 => format!("for k in 0..{m} {{ sh[2 * {a} + {k}] = 1; if k > {a} {{ let _ = sh[k]; }} }}"),
            9 => format!("for k in 0..{m} {{ sh[{a} + k] = 1; sync_threads(); let _ = sh[{k} + k]; }}"),
            10 => format!("if {a} >= {k} {{ let _ = sh[{a} - {k}]; }} sync_threads(); sh[{a}] = 2;"),
            _ => format!("sh[{}] += 1;", self.index()),
        };
        writeln!(self.source, "{text}").unwrap();
    }

    fn index(&mut self) -> String {
        let (a, b) = (self.name(), self.name());
        let k = self.random.below(3);
        let stride = self.uniform();
        match self.random.below(12) {
            0 => self.expr(2),
            1 | 2 => format!("{b} * {stride} + {a}"),
            3 => format!("{a} + {stride} * {b}"),
            4 => format!("2 * {a} + {k}"),
            5 => format!("({b} * {stride} + {a}) * 2 + {k}"),
            6 => format!("{a} + {k}"),
            7 => format!("{a} - {k}"),
            8 => "block_idx().x".into(),
            _ => a,
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.random.one_in(2) {
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            return match self.random.below(5) {
                0 => format!("!({a})"),
                1 => format!("({a} || {b})"),
                _ => format!("({a} && {b})"),
            };
        }
        let left = if self.random.one_in(3) { self.index() } else { self.name() };
        let comparison = *self.random.pick(&["<", "<", "<", "<", ">=", "<=", ">", "==", "!="]);
        let right = if self.random.one_in(6) { self.expr(1) } else { self.uniform() };
        match self.random.below(8) {
            0 => format!("thread_idx().x == {}", self.random.below(2)),
            1 => format!("(({right}) > ({left}))"),
            _ => format!("(({left}) {comparison} ({right}))"),
        }
    }

    pub(super) fn expr(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(3) {
            return if self.random.one_in(2) { self.name() } else { self.uniform() };
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        let k = 1 + self.random.below(4);
        let (edge, amount) = (*self.random.pick(EDGES), *self.random.pick(AMOUNTS));
        match self.random.below(19) {
            0..=2 => format!("({a} + {b})"),
            3 | 4 => format!("({a} * {b})"),
            5 => format!("({a} - {b})"),
            6 => format!("({a} - {k})"),
            7 => format!("({a} / {k})"),
            8 => format!("({a} % {b})"),
            9 => format!("({a}).min({b})"),
            10 => format!("(({a}) as u32 + {k}) as usize"),
            11 => format!("({a} >> {k})"),
            12 => format!("({a} & {b})"),
            13 => format!("({a} {} {edge})", self.random.pick(&["+", "-", "*", "&", "|", "^"])),
            14 => format!("({a}).{}({edge})", self.random.pick(&["min", "max", "saturating_sub", "saturating_add"])),
            15 => format!("({{ let by = {amount}; ({a}) {} by }})", self.random.pick(&["<<", ">>"])),
            16 => format!("({{ let by = {amount}; ((({a}) as u32) {} by) as usize }})", self.random.pick(&["<<", ">>"])),
            17 => format!("({{ let by = {amount}; ((({a}) as i32) {} by) as usize }})", self.random.pick(&["<<", ">>"])),
            _ => format!("({a}).max({b})"),
        }
    }

    /// Something that is the same for all threads.
    pub(super) fn uniform(&mut self) -> String {
        let uniform = [
            "n",
            "w",
            "n",
            "w",
            "x.len()",
            "out.len()",
            "2",
            "3",
            "(n - 1)",
            "(n + 1)",
            "(n * w)",
            "s as usize",
            "block_dim().x",
            "grid_dim().x",
        ];
        if self.statements == Statements::Flow && self.random.one_in(4) {
            return (*self.random.pick(&["TILE", "HALO", "(TILE - HALO)", "(TILE - 2 * HALO)", "(TILE * 2)", "(TILE / 2)"])).to_owned();
        }
        if self.views && self.random.one_in(2) {
            return (*self.random.pick(&["v.shape()[0]", "v.shape()[1]", "a.shape()[0]", "a.shape()[1]"])).to_owned();
        }
        (*self.random.pick(&uniform)).to_owned()
    }

    pub(super) fn name(&mut self) -> String {
        if !self.mutable.is_empty() && self.random.one_in(5) {
            return self.mutable[0].clone();
        }
        self.random.pick(&self.names).clone()
    }

    pub(super) fn new_name(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}{}", self.count)
    }
}
