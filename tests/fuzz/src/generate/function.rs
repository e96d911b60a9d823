//! Kernels and device functions.

use fastrand::Rng;

use super::types::{Scalar, Type};
use super::{Function, Generator, Kind, TRACE};

/// What makes a function a kernel. Without contraction, so that plain Rust gives the same bits.
pub(crate) const KERNEL: &str = "#[gpu_kernel(fmad = false)]";

pub(crate) const DEVICE: &str = "#[gpu_device]";

/// A kernel, and what runs it.
pub(crate) struct Kernel {
    pub(crate) definition: String,
    pub(crate) case: String,
}

fn generator<'r>(rng: &'r mut Rng, constants: &'r [(String, Scalar)], functions: &'r [Function], output: Option<Type>) -> Generator<'r> {
    Generator { rng, constants, functions, output, scopes: vec![Vec::new()], labels: Vec::new(), fresh: 0, budget: 0, loops: 0, traced: 0 }
}

/// A device function that takes numbers and returns anything.
pub(crate) fn device_function(rng: &mut Rng, number: u64, constants: &[(String, Scalar)], functions: &[Function]) -> (Function, String) {
    let output = Type::any(rng, 1);
    let mut generator = generator(rng, constants, functions, Some(output.clone()));
    let name = format!("device{number}_{}", generator.pick(&["class", "min", "sin", "f"]));
    let mut params = Vec::new();
    for _ in 0..generator.rng.u32(..4) {
        let (name, scalar) = (generator.name(), Scalar::any(generator.rng));
        if params.iter().all(|(other, _)| *other != name) {
            generator.declare(&name, Kind::Value(Type::Scalar(scalar)), false);
            params.push((name, scalar));
        }
    }
    let recursive = generator.rng.f32() < 0.3;
    let mut list: Vec<String> = params.iter().map(|(name, scalar)| format!("{name}: {}", scalar.name())).collect();
    let mut lines = Vec::new();
    if recursive {
        list.push("fuel: u8".to_owned());
        let arguments: Vec<&str> = params.iter().map(|(name, _)| name.as_str()).chain(["fuel - 1"]).collect();
        lines.push("    if fuel > 0 && fuel < 6 {".to_owned());
        lines.push(format!("        let mut inner: {} = {name}({});", output.name(), arguments.join(", ")));
        generator.scoped(|inner| {
            inner.declare("inner", Kind::Value(output.clone()), true);
            inner.stmts(2, 2, &mut lines);
        });
        lines.push("        return inner;".to_owned());
        lines.push("    }".to_owned());
    }
    generator.scopes.push(Vec::new());
    let count = generator.rng.u32(1..4);
    generator.stmts(count, 1, &mut lines);
    generator.budget = 20;
    lines.push(format!("    {}", generator.expr(&output, 3, true)));
    let definition = format!("{DEVICE}\npub fn {name}({}) -> {} {{\n{}\n}}\n", list.join(", "), output.name(), lines.join("\n"));
    (Function { name, params: params.into_iter().map(|(_, scalar)| scalar).collect(), output, recursive }, definition)
}

/// A kernel for one thread.
pub(crate) fn kernel(rng: &mut Rng, number: u64, constants: &[(String, Scalar)], functions: &[Function]) -> Kernel {
    let mut generator = generator(rng, constants, functions, None);
    let (mut list, mut lets, mut kernel_args, mut plain_args, mut outputs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut names: Vec<String> = Vec::new();
    for position in 0..generator.rng.u32(2..8) {
        let (name, scalar) = (generator.name(), Scalar::any(generator.rng));
        if names.contains(&name) {
            continue;
        }
        let (argument, ty) = (format!("a{position}"), scalar.name());
        if generator.rng.bool() {
            list.push(format!("{name}: {ty}"));
            lets.push(format!("let {argument}: {ty} = values.value();"));
            kernel_args.push(argument.clone());
            plain_args.push(argument);
            generator.declare(&name, Kind::Value(Type::Scalar(scalar)), false);
        } else {
            let (length, mutable) = (generator.rng.usize(1..6), generator.rng.f32() < 0.7);
            let borrow = if mutable { "&mut " } else { "&" };
            list.push(format!("{name}: {borrow}[{ty}]"));
            lets.push(format!("let mut {argument}: Vec<{ty}> = values.array({length});"));
            kernel_args.push(format!("{borrow}{argument}"));
            plain_args.push(format!("{borrow}{argument}"));
            outputs.push(argument);
            generator.declare(&name, Kind::Slice { element: scalar, length }, mutable);
        }
        names.push(name);
    }
    list.push("trace: &mut [u64]".to_owned());
    lets.push(format!("let mut trace: Vec<u64> = vec![0; {TRACE}];"));
    kernel_args.push("&mut trace".to_owned());
    plain_args.push("&mut trace".to_owned());
    outputs.push("trace".to_owned());

    generator.scopes.push(Vec::new());
    let mut lines = Vec::new();
    let count = generator.rng.u32(4..9);
    generator.stmts(count, 1, &mut lines);
    for variable in generator.visible() {
        if let Kind::Value(ty) = variable.kind {
            generator.trace(&variable.name, &ty, "    ", &mut lines);
        }
    }
    let definition = format!("{KERNEL}\npub fn k{number}({}) {{\n{}\n}}\n", list.join(", "), lines.join("\n"));
    let (lets, kernel_args, plain_args) = (lets.join(" "), kernel_args.join(", "), plain_args.join(", "));
    let written: Vec<String> = outputs.iter().map(|output| format!("    outcome.add(&{output});\n")).collect();
    let written = written.concat();
    let case = format!(
        "fn kernel_{number}(bench: &Bench, mut values: Values) -> Outcome {{\n    {lets}\n    \
         let mut outcome = Outcome::of_launch(bench.try_launch::<kernels::k{number}::Kernel>(({kernel_args},), 1, 1));\n{written}    outcome\n}}\n\
         fn plain_{number}(mut values: Values) -> Outcome {{\n    {lets}\n    \
         let mut outcome = Outcome::of_call(|| plain::k{number}({plain_args}));\n{written}    outcome\n}}\n"
    );
    Kernel { definition, case }
}
