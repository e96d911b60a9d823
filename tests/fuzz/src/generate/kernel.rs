//! Kernels for one thread, and what runs them.

use fastrand::Rng;

use super::places::Kind;
use super::scalar::Scalar;
use super::text::either;
use super::trace::TRACE;
use super::types::Type;
use super::{Generator, World};

/// A kernel, and what runs it.
pub(super) struct Kernel {
    pub(super) definition: String,
    pub(super) case: String,
}

/// What makes a function a kernel. Without contraction, so that plain Rust gives the same bits.
pub(super) fn attribute() -> String {
    either("#[gpu_kernel(fmad = false)]", "")
}

/// The parameters of a kernel in the making, and what is passed for them.
#[derive(Default)]
struct Signature {
    names: Vec<String>,
    list: Vec<String>,
    case: Case,
}

/// The text of the two functions that run a kernel.
#[derive(Default)]
pub(super) struct Case {
    pub(super) lets: Vec<String>,
    /// Before and after the call of plain Rust.
    pub(super) plain_lets: Vec<String>,
    pub(super) plain_after: Vec<String>,
    pub(super) kernel_args: Vec<String>,
    pub(super) plain_args: Vec<String>,
    pub(super) outputs: Vec<String>,
}

pub(super) fn kernel(rng: &mut Rng, number: u64, world: &World) -> Kernel {
    let mut generator = Generator::new(rng, world, None);
    let mut signature = Signature::default();
    for _ in 0..generator.rng.u32(2..8) {
        generator.kernel_param(&mut signature);
    }
    signature.list.push("trace: &mut [u64]".to_owned());
    let mut case = signature.case;
    case.lets.push(format!("let mut trace: Vec<u64> = vec![0; {TRACE}];"));
    case.kernel_args.push("&mut trace".to_owned());
    case.plain_args.push("&mut trace".to_owned());
    case.outputs.push("trace".to_owned());

    generator.scopes.push(Vec::new());
    let mut lines = Vec::new();
    let count = generator.rng.u32(3..7);
    generator.stmts(count, 1, &mut lines);
    generator.trace_all("    ", &mut lines);
    let definition = format!("{}\npub fn k{number}({}) {{\n{}\n}}\n", attribute(), signature.list.join(", "), lines.join("\n"));
    Kernel { definition, case: case.text(number, "1, 1", &format!("k{number}({})", case.plain_args.join(", "))) }
}

impl Case {
    /// The functions `kernel_17` and `plain_17`.
    pub(super) fn text(&self, number: u64, launch: &str, plain_call: &str) -> String {
        self.text_of(&format!("k{number}"), number, launch, plain_call)
    }

    /// The same, where another kernel is launched.
    pub(super) fn text_of(&self, kernel: &str, number: u64, launch: &str, plain_call: &str) -> String {
        let lets = self.lets.join(" ");
        let written: Vec<String> = self.outputs.iter().map(|output| format!("outcome.add(&{output});")).collect();
        let (written, kernel_args) = (written.join(" "), self.kernel_args.join(", "));
        format!(
            "fn kernel_{number}(bench: &Bench, mut values: Values) -> Outcome {{\n    use super::kernels::*;\n    {lets}\n    \
             let mut outcome = Outcome::of_launch(bench.try_launch::<{kernel}::Kernel>(({kernel_args},), {launch}));\n    \
             {written}\n    outcome\n}}\n\
             fn plain_{number}(mut values: Values) -> Outcome {{\n    use super::plain::*;\n    {lets}\n    {}\n    \
             let mut outcome = Outcome::of_call(|| {plain_call});\n    {}\n    {written}\n    outcome\n}}\n",
            self.plain_lets.join(" "),
            self.plain_after.join(" ")
        )
    }
}

impl Generator<'_> {
    fn kernel_param(&mut self, signature: &mut Signature) {
        let (name, argument) = (self.other_name(&signature.names), format!("a{}", signature.names.len()));
        let mutable = self.chance(0.7);
        let case = &mut signature.case;
        match self.rng.u32(..20) {
            0..8 => {
                let ty = if self.chance(0.7) { Type::Scalar(Scalar::any(self.rng)) } else { self.any_param() };
                signature.list.push(format!("{name}: {}", ty.name()));
                case.lets.push(format!("let {argument}: {} = values.value();", ty.name()));
                case.kernel_args.push(argument.clone());
                case.plain_args.push(argument);
                self.declare(&name, Kind::Value(ty), false);
            }
            8..16 => {
                // Loops of many rounds check several of them ahead.
                let most = if self.chance(0.3) { 40 } else { 6 };
                let (element, length) = (self.any_layout(1), self.rng.usize(1..most));
                let borrow = if mutable { "&mut " } else { "&" };
                signature.list.push(format!("{name}: {borrow}[{}]", element.name()));
                case.lets.push(format!("let mut {argument}: Vec<{}> = values.array({length});", element.name()));
                case.kernel_args.push(format!("{borrow}{argument}"));
                case.plain_args.push(format!("{borrow}{argument}"));
                case.outputs.push(argument);
                self.declare(&name, Kind::Slice { element, length: Some(length) }, mutable);
            }
            16 | 17 => {
                let value = Scalar::any_integer(self.rng);
                let (length, ty) = (self.rng.usize(1..4), value.name());
                let atomic = value.atomic();
                signature.list.push(format!("{name}: &[{atomic}]"));
                case.lets.push(format!("let mut {argument}: Vec<{ty}> = values.array({length});"));
                case.plain_lets
                    .push(format!("let atomic_{argument}: Vec<{atomic}> = {argument}.iter().map(|v| {atomic}::new(*v)).collect();"));
                case.plain_after.push(format!("{argument} = atomic_{argument}.into_iter().map({atomic}::into_inner).collect();"));
                case.kernel_args.push(format!("&mut {argument}"));
                case.plain_args.push(format!("&atomic_{argument}"));
                case.outputs.push(argument);
                self.declare(&name, Kind::Atomics { value, length }, false);
            }
            _ => {
                let element = Scalar::any(self.rng);
                let (shape, turned, ty) = ([self.rng.usize(1..4), self.rng.usize(1..4)], self.rng.bool(), element.name());
                let [rows, columns] = shape;
                let (view, function, borrow) = if mutable { ("ViewMut", "view_mut", "&mut ") } else { ("View", "view", "&") };
                signature.list.push(format!("{name}: {}", either(&format!("{view}<{ty}, 2>"), &format!("Plane<{ty}>"))));
                case.lets.push(format!("let mut {argument}: Vec<{ty}> = values.array({});", rows * columns));
                let part = if turned { ".part(|view| view.t())" } else { "" };
                case.kernel_args.push(format!("{function}({borrow}{argument}, [{rows}, {columns}]){part}"));
                case.plain_args.push(format!("Plane::new(&mut {argument}, [{rows}, {columns}], {turned})"));
                case.outputs.push(argument);
                let shape = if turned { [columns, rows] } else { shape };
                self.declare(&name, Kind::View { element, shape }, mutable);
            }
        }
        signature.names.push(name);
    }

    /// A type of parameters that are values.
    fn any_param(&mut self) -> Type {
        let declared: Vec<&Type> = self.world.types.iter().collect();
        self.rng.choice(declared).map_or(Type::Scalar(Scalar::Bool), Type::clone)
    }
}
