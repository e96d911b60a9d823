//! Random programs: kernels and device functions that rustc accepts, by construction.
//!
//! They are full of what translations get wrong: values at the edges of their types, casts, shifts by any amount, shadowing, names that
//! mean something in C++ or CUDA, effects inside operands, early exits from nested loops and blocks. A kernel leaves a trace of its
//! variables in an array, so that a wrong value is seen even if nothing else depends on it.

mod expr;
mod function;
mod stmt;
mod types;

use fastrand::Rng;
use types::{SCALARS, Scalar, Type};

/// The text of three modules.
pub(crate) struct Programs {
    /// Kernels and device functions.
    pub(crate) kernels: String,
    /// The same as ordinary Rust, on the same lines.
    pub(crate) plain: String,
    /// What runs each of them, and a table of that.
    pub(crate) cases: String,
}

/// So many kernels, the same for the same seed.
pub(crate) fn programs(seed: u64, count: u64) -> Programs {
    let rng = &mut Rng::with_seed(seed);
    let constants: Vec<(String, Scalar)> =
        SCALARS.iter().enumerate().map(|(i, scalar)| (format!("C{i}_{}", scalar.name().to_uppercase()), *scalar)).collect();
    let mut text = String::new();
    for (name, scalar) in &constants {
        text += &format!("pub const {name}: {} = {};\n", scalar.name(), scalar.literal(rng, false));
    }
    let (mut functions, mut cases) = (Vec::new(), String::new());
    let mut table = String::from("pub const CASES: &[Case] = &[\n");
    for number in 0..count {
        if number % 3 == 0 {
            let (function, definition) = function::device_function(rng, number, &constants, &functions);
            text += &definition;
            functions.push(function);
            // The compiler need not see all of them in every kernel.
            if functions.len() > 4 {
                functions.remove(0);
            }
        }
        let kernel = function::kernel(rng, number, &constants, &functions);
        text += &kernel.definition;
        cases += &kernel.case;
        table += &format!("    Case {{ name: \"k{number}\", kernel: kernel_{number}, plain: plain_{number} }},\n");
    }
    table += "];\n";
    let plain = text.replace(function::KERNEL, "//").replace(function::DEVICE, "//");
    Programs { kernels: text, plain, cases: cases + &table }
}

/// A device function that can be called.
#[derive(Clone)]
struct Function {
    name: String,
    params: Vec<Scalar>,
    output: Type,
    /// Its last parameter says how often it may call itself.
    recursive: bool,
}

/// A variable in scope.
#[derive(Clone)]
struct Variable {
    name: String,
    kind: Kind,
    mutable: bool,
}

#[derive(Clone)]
enum Kind {
    Value(Type),
    Slice { element: Scalar, length: usize },
}

/// Something that can be read, and perhaps written.
struct Place {
    text: String,
    ty: Type,
}

/// What `break` and `continue` can name.
#[derive(Clone)]
struct Label {
    name: String,
    is_loop: bool,
}

/// The body of one function in the making.
struct Generator<'r> {
    rng: &'r mut Rng,
    constants: &'r [(String, Scalar)],
    functions: &'r [Function],
    /// What the function returns; `None` for a kernel.
    output: Option<Type>,
    scopes: Vec<Vec<Variable>>,
    labels: Vec<Label>,
    /// Labels and counters so far.
    fresh: u32,
    /// How many more expressions the statement may have.
    budget: u32,
    /// Loops around the place.
    loops: u32,
    /// The next element of the trace.
    traced: usize,
}

/// The length of the array that a kernel leaves its trace in.
const TRACE: usize = 64;

/// Names that mean something to C++, CUDA or the emitter.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "class", "template", "auto", "register", "default", "new", "delete", "this", "int", "float", "long", "short", "char", "double",
    "unsigned", "signed", "void", "volatile", "union", "operator", "private", "public", "namespace", "typename", "inline", "goto", "switch",
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "NULL", "value", "value_2", "index", "divisor", "end", "start", "step",
    "count", "stride", "i", "i_2", "x", "y", "z", "len", "x_len", "next", "i_next", "min", "max", "abs", "sin", "pow", "asm", "printf", "std",
    "gr_array", "gr_step", "left", "right", "result", "tmp", "condition", "and", "or", "not", "xor", "bitand", "compl", "constexpr",
    "nullptr", "dim3", "float2", "half", "size_t", "assert", "clock", "atomicAdd", "sizeof", "decltype", "_0", "_1", "a", "b", "e", "f", "n",
];

impl Generator<'_> {
    fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        choices[self.rng.usize(..choices.len())]
    }

    /// Whether the statement may have another expression.
    fn may_grow(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        self.budget > 0
    }

    fn fresh_label(&mut self) -> String {
        self.fresh += 1;
        format!("'{}{}", self.pick(&["outer", "new", "template", "end", "b"]), self.fresh)
    }

    fn fresh_counter(&mut self) -> String {
        self.fresh += 1;
        format!("round{}", self.fresh)
    }

    /// What `inner` makes in a scope of its own.
    fn scoped<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(Vec::new());
        let made = inner(self);
        self.scopes.pop();
        made
    }

    fn name(&mut self) -> String {
        NAMES[self.rng.usize(..NAMES.len())].to_owned()
    }

    fn declare(&mut self, name: &str, kind: Kind, mutable: bool) {
        self.scopes.last_mut().expect("there is a scope").push(Variable { name: name.to_owned(), kind, mutable });
    }

    /// The variables that are not shadowed.
    fn visible(&self) -> Vec<Variable> {
        let mut visible: Vec<Variable> = Vec::new();
        for variable in self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()) {
            if visible.iter().all(|other| other.name != variable.name) {
                visible.push(variable.clone());
            }
        }
        visible
    }

    /// A place of type `ty`, or of any.
    fn any_place(&mut self, ty: Option<&Type>, writes: bool) -> Option<Place> {
        let mut found = Vec::new();
        for variable in self.visible().into_iter().filter(|variable| variable.mutable || !writes) {
            match variable.kind {
                Kind::Value(of) => self.collect_places(variable.name, of, ty, &mut found),
                Kind::Slice { element, length } => {
                    let element = Type::Scalar(element);
                    if ty.is_none_or(|ty| *ty == element) {
                        found.push((format!("{}[@{length}@]", variable.name), element));
                    }
                }
            }
        }
        let (pattern, ty) = found.get(self.rng.usize(..found.len().max(1)))?.clone();
        // Only the chosen place gets its indices.
        let mut text = String::new();
        for (part, piece) in pattern.split('@').enumerate() {
            let index = (part % 2 == 1).then(|| self.index(piece.parse().expect("a length stands between the marks")));
            text += index.as_deref().unwrap_or(piece);
        }
        Some(Place { text, ty })
    }

    fn collect_places(&self, text: String, of: Type, ty: Option<&Type>, found: &mut Vec<(String, Type)>) {
        match &of {
            Type::Scalar(_) => {}
            Type::Tuple(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    self.collect_places(format!("{text}.{i}"), element.clone(), ty, found);
                }
            }
            Type::Array(element, length) => self.collect_places(format!("{text}[@{length}@]"), (**element).clone(), ty, found),
        }
        if ty.is_none_or(|ty| *ty == of) {
            found.push((text, of));
        }
    }
}
