//! Random programs: kernels and device functions that rustc accepts, by construction.
//!
//! They are full of what translations get wrong: values at the edges of their types, casts, shifts by any amount, shadowing, names that
//! mean something in C++ or CUDA, effects inside operands, early exits from nested loops and blocks, patterns in patterns. A kernel leaves
//! a trace of its variables in an array, so that a wrong value is seen even if nothing else depends on it.
//!
//! [`weights`] says how often each construct is chosen. An expression is made for a type that was asked for: [`expr`] has those of all
//! types, [`integers`], [`floats`] and [`conditions`] those of one.

mod calls;
mod chains;
mod closures;
mod conditions;
mod declare;
mod elements;
mod expr;
mod floats;
mod forms;
mod function;
mod generic;
mod gradients;
mod integers;
mod kernel;
mod loops;
mod matching;
mod operators;
mod patterns;
mod places;
mod scalar;
mod slices;
mod stmt;
mod team;
mod text;
mod tiles;
mod trace;
mod types;
mod weights;

use fastrand::Rng;
use places::Variable;
use scalar::{SCALARS, Scalar};
use types::Type;

/// The text of three modules.
pub(crate) struct Programs {
    /// Kernels and device functions.
    pub(crate) kernels: String,
    /// The same as ordinary Rust, on the same lines.
    pub(crate) plain: String,
    /// What runs each of them, and a table of that.
    pub(crate) cases: String,
}

/// So many kernels of threads, kernels with tiles and gradients of kernels, the same for the same seed.
pub(crate) fn programs(seed: u64, count: u64, tiles: u64, gradients: u64) -> Programs {
    let rng = &mut Rng::with_seed(seed);
    let (mut world, mut text) = World::new(rng);
    let mut cases = String::new();
    let mut table = String::from("pub const CASES: &[Case] = &[\n");
    let mut add = |number: u64, kernel: &kernel::Kernel| {
        cases += &kernel.case;
        table += &format!("    Case {{ name: \"k{number}\", kernel: kernel_{number}, plain: plain_{number} }},\n");
    };
    for number in 0..count {
        if number % 5 == 0 {
            text += &declare::struct_type(rng, number, &mut world);
        }
        if number % 5 == 2 {
            text += &declare::enum_type(rng, number, &mut world);
        }
        if number % 3 == 0 {
            text += &function::device_function(rng, number, &mut world);
        }
        if number % 6 == 1 {
            text += &function::taking_a_function(rng, number, &mut world);
        }
        if number % 6 == 4 {
            text += &generic::function(rng, number, &mut world);
        }
        let kernel = if number % 8 == 7 { team::kernel(rng, number, &world) } else { kernel::kernel(rng, number, &world) };
        text += &kernel.definition;
        add(number, &kernel);
    }
    for number in count..count + tiles {
        let kernel = tiles::kernel(rng, number);
        text += &kernel.definition;
        add(number, &kernel);
    }
    for number in count + tiles..count + tiles + gradients {
        let kernel = gradients::kernel(rng, number);
        text += &kernel.definition;
        add(number, &kernel);
    }
    table += "];\n";
    let (kernels, plain) = text::readings(&text);
    Programs { kernels, plain, cases: cases + &table }
}

/// What a program can name.
struct World {
    constants: Vec<(String, Scalar)>,
    tables: Vec<Table>,
    /// Structs and enums.
    types: Vec<Type>,
    functions: Vec<Function>,
    /// The names of the structs that have operators, and what they are multiplied by.
    operators: Vec<(String, Scalar)>,
    /// The names of the structs that have elements, with their type.
    indexed: Vec<(String, Scalar)>,
    pairs: Vec<PairTable>,
}

/// A constant array of pairs.
#[derive(Clone)]
struct PairTable {
    name: String,
    parts: [Scalar; 2],
    length: usize,
}

/// A constant array, of one axis or two.
struct Table {
    name: String,
    element: Scalar,
    lengths: Vec<usize>,
}

/// A device function that can be called.
#[derive(Clone)]
struct Function {
    /// With its type arguments.
    name: String,
    params: Vec<Param>,
    output: Type,
    /// Its last parameter says how often it may call itself.
    recursive: bool,
    /// The method's `self`.
    receiver: Option<Receiver>,
    /// Whether nothing in it can fail.
    safe: bool,
}

#[derive(Clone, PartialEq)]
enum Param {
    Value(Type),
    Slice {
        element: Type,
        mutable: bool,
    },
    /// `&T` or `&mut T`.
    Reference {
        ty: Type,
        mutable: bool,
    },
    Function {
        params: Vec<Type>,
        /// Whether it takes references.
        lent: bool,
        output: Type,
    },
}

#[derive(Clone, PartialEq)]
struct Receiver {
    ty: Type,
    /// `self`, `&self` or `&mut self`.
    form: &'static str,
}

impl World {
    /// One with constants only, and their definitions.
    fn new(rng: &mut Rng) -> (World, String) {
        let (mut constants, mut tables, mut text) = (Vec::new(), Vec::new(), String::new());
        for (i, scalar) in SCALARS.into_iter().enumerate() {
            let (name, ty) = (format!("C{i}_{}", scalar.name().to_uppercase()), scalar.name());
            text += &format!("pub const {name}: {ty} = {};\n", scalar.literal(rng, false));
            constants.push((name, scalar));
            let name = format!("T{i}_{}", scalar.name().to_uppercase());
            let lengths: Vec<usize> = (0..rng.usize(1..3)).map(|_| rng.usize(1..5)).collect();
            let (mut array, mut value) = (ty.to_owned(), String::new());
            for (axis, length) in lengths.iter().enumerate().rev() {
                array = format!("[{array}; {length}]");
                if axis + 1 < lengths.len() {
                    let rows: Vec<String> = (0..*length).map(|_| row(rng, scalar, lengths[axis + 1])).collect();
                    value = format!("[{}]", rows.join(", "));
                } else {
                    value = row(rng, scalar, *length);
                }
            }
            text += &format!("pub const {name}: {array} = {value};\n");
            tables.push(Table { name, element: scalar, lengths });
        }
        let pairs = (0..3).map(|number| elements::pairs(rng, number, &mut text)).collect();
        text += &elements::calling();
        let world =
            World { constants, tables, types: Vec::new(), functions: Vec::new(), operators: Vec::new(), indexed: Vec::new(), pairs };
        (world, text)
    }

    /// The compiler need not see all functions in every kernel.
    fn add_function(&mut self, function: Function) {
        self.functions.push(function);
        if self.functions.len() > 16 {
            self.functions.remove(0);
        }
    }

    fn add_type(&mut self, ty: Type) {
        self.types.push(ty);
        if self.types.len() > 5 {
            let gone = self.types.remove(0);
            self.functions.retain(|function| function.receiver.as_ref().is_none_or(|receiver| receiver.ty != gone));
        }
    }
}

fn row(rng: &mut Rng, scalar: Scalar, length: usize) -> String {
    let elements: Vec<String> = (0..length).map(|_| scalar.literal(rng, false)).collect();
    format!("[{}]", elements.join(", "))
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
    world: &'r World,
    /// What the function returns; `None` for a kernel.
    output: Option<Type>,
    scopes: Vec<Vec<Variable>>,
    /// So many of the scopes are only read: those around a closure or guard.
    frozen: usize,
    /// Whether what is read of them is copied, so that there are no slices that others write.
    moved: bool,
    labels: Vec<Label>,
    /// Whether nothing in it may fail, nor leave a kernel early.
    safe: bool,
    /// Labels, counters and other names so far.
    fresh: u32,
    /// How many more expressions the statement may have.
    budget: u32,
    /// Loops around the place.
    loops: u32,
    /// Indices around the place.
    indices: u32,
    /// The next element of the trace.
    traced: usize,
}

/// Names that mean something to C++, CUDA or the emitter.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "class", "template", "auto", "register", "default", "new", "delete", "this", "int", "float", "long", "short", "char", "double",
    "unsigned", "signed", "void", "volatile", "union", "operator", "private", "public", "namespace", "typename", "inline", "goto", "switch",
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "NULL", "value", "value_2", "index", "divisor", "end", "start", "step",
    "count", "stride", "i", "i_2", "x", "y", "z", "len", "x_len", "next", "i_next", "min", "max", "abs", "sin", "pow", "asm", "printf", "std",
    "gr_array", "gr_step", "left", "right", "result", "tmp", "condition", "and", "or", "not", "xor", "bitand", "compl", "constexpr",
    "nullptr", "dim3", "float2", "half", "size_t", "assert", "clock", "atomicAdd", "sizeof", "decltype", "_0", "_1", "a", "b", "e", "f", "n",
    "tag", "data", "some", "none", "is_some", "matched", "payload",
];

impl<'r> Generator<'r> {
    fn new(rng: &'r mut Rng, world: &'r World, output: Option<Type>) -> Self {
        Generator {
            rng,
            world,
            output,
            scopes: vec![Vec::new()],
            frozen: 0,
            moved: false,
            labels: Vec::new(),
            safe: false,
            fresh: 0,
            budget: 0,
            loops: 0,
            indices: 0,
            traced: 0,
        }
    }

    fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        choices[self.rng.usize(..choices.len())]
    }

    fn chance(&mut self, probability: f32) -> bool {
        self.rng.f32() < probability
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

    fn fresh_name(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    fn name(&mut self) -> String {
        NAMES[self.rng.usize(..NAMES.len())].to_owned()
    }

    /// A name that is none of these.
    fn other_name(&mut self, taken: &[String]) -> String {
        loop {
            let name = self.name();
            if !taken.contains(&name) {
                return name;
            }
        }
    }

    /// A type that is nested at most so deep.
    fn any_type(&mut self, depth: u32) -> Type {
        loop {
            let ty = self.type_of_any_size(depth);
            if ty.size() <= weights::LARGEST {
                return ty;
            }
        }
    }

    fn type_of_any_size(&mut self, depth: u32) -> Type {
        match weights::choose(self.rng, weights::TYPES) {
            weights::TypeKind::Declared => match self.rng.choice(&self.world.types) {
                Some(ty) => ty.clone(),
                None => Type::Scalar(Scalar::any(self.rng)),
            },
            _ if depth == 0 => Type::Scalar(Scalar::any(self.rng)),
            weights::TypeKind::Scalar => Type::Scalar(Scalar::any(self.rng)),
            weights::TypeKind::Tuple => {
                let elements = (0..self.rng.usize(1..4)).map(|_| self.any_type(depth - 1)).collect();
                Type::Tuple(elements)
            }
            weights::TypeKind::Array => Type::Array(Box::new(self.any_type(depth - 1)), self.rng.usize(1..5)),
            weights::TypeKind::Option => Type::Option(Box::new(self.any_type(depth - 1))),
            weights::TypeKind::Result => Type::Result(Box::new(self.any_type(depth - 1)), Box::new(self.any_type(depth - 1))),
        }
    }

    /// A type of fields, and of elements of slices.
    fn any_layout(&mut self, depth: u32) -> Type {
        loop {
            let ty = self.any_type(depth);
            if ty.has_layout() {
                return ty;
            }
        }
    }
}
