//! What inference finds, as the types of a body's variables.

use super::infer_function;
use crate::errors::Errors;
use crate::lower::lower_function;
use crate::model::*;
use quote::ToTokens;

/// Infers the body of a kernel with these parameters.
fn infer(params: &str, body: &str) -> (Function, Errors) {
    let code = format!("fn k({params}) {{ {body} }}");
    let item: syn::ItemFn = syn::parse_str(&code).expect("the test's function parses");
    let errors = Errors::new();
    let kind = FunctionKind::Kernel(KernelOptions::default());
    let lowered = lower_function(Item::free(&item, kind, RuntimePath::default()), &errors).expect("the test's signature is sound");
    (infer_function(lowered, &errors), errors)
}

/// The types of the variables that the body declares, in order: `a: f32, b: (i32, bool)`.
#[track_caller]
fn check(params: &str, body: &str, expected: &str) {
    let (function, errors) = infer(params, body);
    errors.check().expect("the test's function is accepted");
    let declared = function.locals.iter().filter(|local| !matches!(local.kind, LocalKind::Param(_)));
    let found: Vec<String> = declared.map(|local| format!("{}: {}", local.name, spell(&local.ty))).collect();
    assert_eq!(found.join(", "), expected);
}

fn spell(ty: &Type) -> String {
    let spell_all = |types: &[Type]| types.iter().map(spell).collect::<Vec<_>>().join(", ");
    match ty {
        Type::Unit => "()".into(),
        Type::Refused => "refused".into(),
        Type::Never => "!".into(),
        Type::Scalar(scalar) => scalar.name().into(),
        Type::Tuple(elements) => format!("({})", spell_all(elements)),
        Type::Array(element, length) => format!("[{}; {length:?}]", spell(element)),
        Type::Std(owner, arguments) => format!("{}<{}>", owner.name(), spell_all(arguments)),
        Type::Slice { element, mutable: false } => format!("&[{}]", spell(element)),
        Type::Slice { element, mutable: true } => format!("&mut [{}]", spell(element)),
        Type::View { element, rank, mutable: false } => format!("View<{}, {rank}>", spell(element)),
        Type::View { element, rank, mutable: true } => format!("ViewMut<{}, {rank}>", spell(element)),
        Type::Shared(array) => format!("shared {}", spell(array)),
        Type::Tile(tile) => match &tile.columns {
            Some(columns) => format!("Tile<{}, {:?}, {columns:?}>", spell(&tile.element), tile.rows),
            None => format!("Column<{}, {:?}>", spell(&tile.element), tile.rows),
        },
        Type::Atomic(value) => value.atomic_name().into(),
        Type::Function(ty) => format!("fn({}) -> {}", spell_all(&ty.inputs), spell(&ty.output)),
        Type::Dim3 => "dim3".into(),
        Type::Opaque => "?".into(),
        Type::Parameter(param) => param.name.to_string(),
        Type::Table(constant) | Type::Constant(constant) => format!("type of {constant:?}"),
        Type::Called(call) => format!("type of {}(…)", call.path.to_token_stream()),
        Type::Named(named) => format!("{named:?}"),
        Type::Part(base, Part::Field(name)) => format!("{}.{name}", spell(base)),
        Type::Part(base, Part::Position(index)) => format!("{}.{index}", spell(base)),
        Type::Part(base, Part::Element) => format!("{}[]", spell(base)),
        Type::Part(base, Part::ElementAt(key)) => format!("{}[{}]", spell(base), spell(key)),
        Type::Part(base, Part::Output(call)) => format!("{}::{}()", spell(base), call.name),
        Type::Part(others, Part::Literal { .. }) => format!("literal beside {}", spell(others).trim_matches(['(', ')'])),
        Type::Part(base, Part::Argument(index)) => format!("{}<{index}>", spell(base)),
        Type::Part(base, Part::Variant(_, name)) => format!("{}::{name}", spell(base)),
        Type::Operation(operation) => format!("{} {} {}", spell(&operation.left), operation.op.symbol(), spell(&operation.right)),
        Type::Returned(call) => {
            let args: Vec<Type> = call.args.iter().map(|arg| arg.ty.clone()).collect();
            format!("{:?}({})", call.path, spell_all(&args)).replace(' ', "")
        }
        Type::Variable(_) => "unresolved".into(),
    }
}

/// The messages of a body that is refused.
fn refusals(params: &str, body: &str) -> Vec<String> {
    let (_, errors) = infer(params, body);
    let error = errors.check().expect_err("the test's function is refused");
    error.into_iter().map(|error| error.to_string()).collect()
}

#[test]
fn literals_take_the_type_of_what_they_meet() {
    check("x: f32", "let a = 2.0; let b = a * x;", "a: f32, b: f32");
    check("x: &[u8]", "let a = 7; let b = x[0] + a;", "a: u8, b: u8");
    check("n: u64", "let a = 1; let b = a; let c = b; let d = c < n;", "a: u64, b: u64, c: u64, d: bool");
}

#[test]
fn literals_that_meet_nothing_have_rusts_defaults() {
    check("", "let a = 1; let b = 2.0; let c = (3, 4.0); let d = [1, 2];", "a: i32, b: f64, c: (i32, f64), d: [i32; 2]");
    check("", "let a = 1 < 2; let b = -(1.5);", "a: bool, b: f64");
}

#[test]
fn a_suffix_is_a_type() {
    check("", "let a = 1u8; let b = 2f32; let c = 1_000usize; let d = b'x'; let e = a + 1;", "a: u8, b: f32, c: usize, d: u8, e: u8");
}

#[test]
fn assignments_type_what_was_declared_without_a_value() {
    check("x: f32", "let a; a = x; let mut b = 0.0; b += a; let c; c = 1; let d = c == 2i64;", "a: f32, b: f32, c: i64, d: bool");
    check("x: &mut [i16]", "let a = 3; x[0] = a; let b = 5; x[1] -= b;", "a: i16, b: i16");
}

#[test]
fn an_annotation_reaches_into_its_value() {
    check(
        "",
        "let a: u16 = 1; let b: (i8, f32) = (2, 3.0); let c: [f32; 2] = [1.0, 2.0]; let d: [u8; 3] = [0; 3];",
        "a: u16, b: (i8, f32), c: [f32; 2], d: [u8; 3]",
    );
}

#[test]
fn an_index_is_usize() {
    check("x: &[f32]", "let i = 0; let a = x[i]; let j = 1; let b = x[i + j];", "i: usize, a: f32, j: usize, b: f32");
}

#[test]
fn shifts_leave_their_amount_alone() {
    check("x: u32", "let n = 3; let a = x << n; let b = 1 << x;", "n: i32, a: u32, b: i32");
}

#[test]
fn casts_say_their_own_type() {
    check("x: f32", "let a = x as i32; let b = 1 as f32; let c = (x as u8) + 2; let d = 255 as u8;", "a: i32, b: f32, c: u8, d: u8");
    check(
        "x: u32",
        "let a = f32::from_bits(x); let b = u64::from(x); let c = 1; let d = f32::from_bits(c);",
        "a: f32, b: u64, c: u32, d: f32",
    );
}

#[test]
fn methods_relate_receiver_arguments_and_result() {
    check(
        "x: f32",
        "let a = x.max(1.0); let n = 2; let b = x.powi(n); let (s, c) = x.sin_cos();",
        "a: f32, n: i32, b: f32, s: f32, c: f32",
    );
    check(
        "x: i16",
        "let (a, b) = x.overflowing_add(1); let c = x.count_ones(); let d = x.unsigned_abs(); let e = x.abs_diff(3);",
        "a: i16, b: bool, c: u32, d: u16, e: u16",
    );
    check("x: &[f64]", "let n = x.len(); let a = x[0].to_bits();", "n: usize, a: u64");
}

#[test]
fn operations_on_atomics_have_their_value_s_type() {
    check(
        "a: &[AtomicU64], b: &[AtomicF32]",
        "let v = 1; let old = a[0].fetch_add(v, Relaxed); let done = a[1].compare_exchange(old, 2, AcqRel, Relaxed).is_ok();
         let f = 0.5; b[0].store(f, Release); let own = shared::<[[AtomicI16; 2]; 3]>(); let w = own[0][1].swap(3, SeqCst);",
        "v: u64, old: u64, done: bool, f: f32, own: shared [[AtomicI16; 2]; 3], w: i16",
    );
    assert_eq!(
        refusals("x: &[u32]", "x[0].fetch_max(1, Relaxed);"),
        ["`fetch_max` is a method of atomics, but this value is not an atomic\nhelp: declare the slice as `&[AtomicU32]`"]
    );
}

#[test]
fn a_method_waits_for_the_type_of_its_receiver() {
    check("x: i8", "let a = 5; let b = a.abs_diff(2); let c = a + x;", "a: i8, b: u8, c: i8");
}

#[test]
fn branches_and_breaks_agree() {
    check("x: f32", "let a = if x > 0.0 { 1.0 } else { x }; let b = if x > 1.0 { 2 } else { return; };", "a: f32, b: i32");
    check("x: u8", "let a = loop { if x > 1 { break 3; } break x; }; let b = 'l: { if x == 0 { break 'l 1; } 2i64 };", "a: u8, b: i64");
    check("", "let a = loop { panic!(); };", "a: ?");
}

#[test]
fn counters_follow_their_range_and_their_use() {
    check(
        "n: u32, x: &[f32]",
        "for i in 0..n {} for j in 0..x.len() {} for k in 0..4 { let a = x[k]; } for l in 0..3 {}",
        "i: u32, j: usize, k: usize, a: f32, l: i32",
    );
    check("x: &[f32]", "for i in grid_stride(9) {} for j in (0..10).rev().step_by(2) { let a = x[j]; }", "i: usize, j: usize, a: f32");
}

#[test]
fn intrinsics_have_their_types() {
    check(
        "",
        "let i = grid_1d(); let (x, y) = grid_2d(); let t = thread_idx(); let z = t.z; let n = block_dim().x / 2;",
        "i: usize, x: usize, y: usize, t: dim3, z: usize, n: usize",
    );
    check(
        "",
        "let mut tile = shared::<[[f32; 4]; N]>(); let a = tile[0][1]; let n = tile.len();",
        "tile: shared [[f32; 4]; N], a: f32, n: usize",
    );
}

#[test]
fn constants_that_name_their_type_are_known() {
    check(
        "",
        "let a = f32::MAX; let b = std::f64::consts::PI; let c = u8::BITS; let d = 2.0 * f32::EPSILON;",
        "a: f32, b: f64, c: u32, d: f32",
    );
    check("", "const N: u16 = 3; let a = N; let b = N + 1;", "a: u16, b: u16");
}

#[test]
fn constants_of_unknown_type_follow_their_use() {
    check("x: f32", "let a = SCALE * x; let b = OTHER; let c = x + 2.0 * THIRD;", "a: f32, b: ?, c: f32");
}

#[test]
fn a_device_function_types_nothing_but_what_is_told() {
    check("x: f32", "let a = f(x, 1, 2.5); let b: i32 = g(); let c = b + 1; let d = x * h(x);", "a: ?, b: i32, c: i32, d: f32");
}

#[test]
fn a_literal_beside_a_constant_or_a_call_has_its_type() {
    check("", "let a = 2.0 * SCALE; let mut b = 0; b += STEP;", "a: type of SCALE, b: type of STEP");
    check("", "let a = f(1.0) + 1.5; let mut b = 0; b = g(b);", "a: type of f(…), b: type of g(…)");
    // Each is the argument of the call that the other one's type is of.
    check("", "let mut a = 0; let mut b = 0; a = f(b); b = f(a);", "a: type of f(…), b: type of f(…)");
}

#[test]
fn a_literal_whose_type_nothing_shows_asks_for_a_suffix() {
    let messages = refusals("", "let a = f(1 + 2);");
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("write its type"), "{messages:?}");
}

#[test]
fn a_default_of_an_unknown_type_asks_for_the_value() {
    let messages = refusals("p: &mut [Particle]", "let a = std::mem::take(&mut p[0].spin.0);");
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("`replace(&mut x, 0)`"), "{messages:?}");
}

#[test]
fn shadowed_variables_have_types_of_their_own() {
    check("x: f32", "let x = x as i32; let x = x > 1; { let x = 1u8; } let y = x;", "x: i32, x: bool, x: u8, y: bool");
}

#[test]
fn what_cannot_be_indexed_or_taken_apart_is_refused() {
    assert!(refusals("x: f32", "let a = x[0];")[0].starts_with("only arrays and slices can be indexed"));
    assert!(refusals("", "let a = (1, 2); let b = a.2;")[0].starts_with("this tuple has 2 elements"));
    assert!(refusals("x: f32", "let a = x.y;")[0].starts_with("a value of type `f32` has no field `y`"));
}

#[test]
fn a_clash_is_left_to_rustc() {
    let (function, errors) = infer("x: f32, y: f64", "let a = x + y; let b = x * 2;");
    errors.check().expect("rustc reports it");
    assert_eq!(spell(&function.locals[2].ty), "f32");
    assert_eq!(spell(&function.locals[3].ty), "f32");
}

/// Without an end, such a type would overflow the stack of rustc.
#[test]
fn a_type_that_is_part_of_itself_is_a_clash() {
    for body in [
        "let f = |x| [x] * x;",
        "let mut a; a = (a, 1);",
        "let mut a; a = Some([a]);",
        "let f = |g| g; let mut h = f; h = |f| h;",
        "let (mut a, mut b); a = (b, 0); b = [a];",
    ] {
        // Its elements may be reported; the clash itself is rustc's to report.
        let _ = infer("", body).1.check();
    }
}

/// Each line doubles the type: it must not take twice as long.
#[test]
fn a_type_with_too_many_parts_is_refused() {
    let doubled = |lines: usize, line: &str| format!("let a = 1; {}", line.repeat(lines));
    for line in ["let a = (a, a);", "let a = (a, Some([a])); ", "let a = if true { (a, a) } else { (a, a) };"] {
        assert!(infer("", &doubled(40, line)).1.check().is_err(), "{line}");
        infer("", &doubled(5, line)).1.check().expect("a type of ordinary size");
    }
}

#[test]
fn a_literal_next_to_a_field_has_its_type() {
    check("p: Particle", "let a = p.mass * 2.0; let b = 0.5 + p.mass;", "a: Particle.mass, b: Particle.mass");
    check("p: Particle", "let mut sum = 0.0; sum += p.mass;", "sum: Particle.mass");
    check(
        "p: &[Particle]",
        "let a = p[0].at[1]; let b = -a; let c = p[1].pair.0;",
        "a: Particle.at[], b: Particle.at[], c: Particle.pair.0",
    );
    check("p: m::P, x: f32", "let a = x * p.mass; let b = p.mass > 1.0;", "a: f32, b: bool");
}

#[test]
fn a_literal_in_a_variable_has_the_type_that_operators_of_its_neighbours_take() {
    check("v: Vector", "let mut s = 2.0; s += 1.0; let a = v * s;", "s: literal beside Vector, a: Vector");
    check("v: Vector", "let s = 2.0; let a = s * v; let b = v / s;", "s: literal beside Vector, Vector, a: Vector, b: Vector");
    // Anything else that it must be, it is.
    check("v: Vector, x: f32", "let s = 2.0; let a = v * s; let b = s + x;", "s: f32, a: Vector, b: f32");
    check("p: Particle", "let mut s = 2.0; let a = p.mass * s; s += p.mass;", "s: Particle.mass, a: Particle.mass");
}

#[test]
fn a_struct_has_the_type_of_its_path() {
    check("x: f32", "let a = Point { x, y: 0.0 }; let b = Pair(a, 1); let c = [a; 2];", "a: Point, b: Pair, c: [Point; 2]");
    check("", "let a: Real = 1.0; let b = a * 2.0; let c = m::Pair(1, 2).0;", "a: Real, b: Real, c: m :: Pair.0");
}

#[test]
fn coordinates_are_no_structs() {
    check("", "let t = thread_idx(); let a = t.x; let b = block_dim().y;", "t: dim3, a: usize, b: usize");
    assert!(refusals("", "let t = thread_idx(); let a = t.w;")[0].starts_with("there is no field `w` of coordinates"));
    assert!(refusals("", "let t = thread_idx(); t.x = 1;")[0].starts_with("thread and block coordinates cannot be assigned"));
}

#[test]
fn a_field_follows_from_a_call_and_is_one_of_a_struct() {
    check("", "let a = f(1).mass;", "a: type of f(…).mass");
    assert!(refusals("x: &[f32]", "let a = x.len;")[0].starts_with("there is no field `len` in kernels"));
    assert!(refusals("x: f32", "let a = x.mass;")[0].starts_with("a value of type `f32` has no field `mass`"));
}

#[test]
fn what_a_method_returns_is_followed() {
    check("p: P", "let a = p.energy() * 2.0; let b = P::new(1).x; let c: P = p.moved(0.5);", "a: P::energy(), b: P::new(?).x, c: P");
    check("p: P", "let a = p.moved(0.5); let b = a.energy();", "a: P::moved(), b: P::moved()::energy()");
    assert!(refusals("x: f32", "let a = x.energy();")[0].starts_with("there is no method `energy`"));
    assert!(refusals("x: &[f32]", "x.energy();")[0].starts_with("there is no method `energy`"));
}

#[test]
fn methods_of_structs_may_have_names_of_std() {
    check(
        "p: P, x: &[P]",
        "let a = p.sum(); let b = x[0].max(); let c = p.abs().get(1, 2); let d = p.first().take();",
        "a: P::sum(), b: P::max(), c: P::get(), d: P::first()::take()",
    );
    let messages = [
        ("let a = x.sum();", "the method `sum` is not supported"),
        ("let a = x.max();", "`max` takes one argument, not 0"),
        ("let a = x.iter().map(|v| v + 1);", "an iterator cannot be stored in a variable"),
        ("let a = x[0].powi();", "`powi` takes one argument, not 0"),
        ("let a = x[0].to_owned();", "the method `to_owned` is not supported"),
        ("let t = grid_2d().x;", "a tuple has no field `x`\nhelp: its fields are `.0`, `.1`; or take it apart: `let (x, y) = …;`"),
        ("let part = &x[1..]; part(2)[0];", "`part` is a part of a slice, not a function"),
        ("let a = 2.get(0);", "`get` in kernels reads one element"),
    ];
    for (body, message) in messages {
        let refusals = refusals("x: &[f32]", body);
        assert!(refusals.len() == 1 && refusals[0].starts_with(message), "{body}: {refusals:?}");
    }
}

#[test]
fn types_flow_through_patterns_both_ways() {
    check("x: u8", "let a = match x { 0 => 1, n if n > 9 => 2u64, m @ 3..=5 => 7, _ => 4 };", "n: u8, m: u8, a: u64");
    check("x: &[i16]", "let n = 5; match n { 0 => {} k => { let y = k + x[0]; } }", "n: i16, k: i16, y: i16");
    check("x: f32", "let t = (1.5, 2); if let (a, 3u8) = t && a > x {}", "t: (f32, u8), a: f32");
    check("", "match (1, 2.0, true) { (a, .., false) => {} (.., c) => {} }", "a: i32, c: bool");
    check("x: f64", "let [a, .., b] = [1.0, 2.0, x]; let [c, d] = [3, 4];", "a: f64, b: f64, c: i32, d: i32");
    check("x: u32", "let ((1 | 2 | 3, k) | (k, _)) = (x, 7) else { return; };", "k: u32");
}

#[test]
fn results_have_the_types_of_both_variants() {
    check(
        "x: f32",
        "let a = Some(x).ok_or(1u8); let b = a.map(|v| v > 0.5).map_err(|e| e as u64);",
        "value: f32, error: u8, a: Result<f32, u8>, value2: f32, error2: u8, value3: bool, error3: u8, b: Result<bool, u64>",
    );
}

#[test]
fn options_have_the_type_of_what_is_in_them() {
    check(
        "x: u8",
        "let a = Some(1); let b = None; let c = if x > 1 { b } else { Some(x) };",
        "a: Option<i32>, b: Option<u8>, c: Option<u8>",
    );
    check("x: i64", "let Some(a) = x.checked_add(1) else { return; }; let b = x.checked_neg();", "a: i64, b: Option<i64>");
    check("x: u16", "let a = Some(x); if let Some(n) = a {} let b = a.is_some();", "a: Option<u16>, n: u16, b: bool");
    check("x: u16", "let a = Some(x).unwrap_or(3); let b: Option<f32> = None;", "value: u16, default: u16, a: u16, b: Option<f32>");
}

#[test]
fn a_match_whose_arms_leave_has_no_value() {
    check("x: u8", "let a = match x { 0 => return, n => n }; let b = match x { 0 => panic!(), _ => return };", "n: u8, a: u8, b: ?");
}

#[test]
fn elements_that_cannot_be_counted_are_refused() {
    assert!(refusals("", "let (a, ..) = f();")[0].starts_with("cannot infer the number of elements of this tuple"));
    assert!(refusals("x: &[f32]", "match f() { [a, ..] => {} }")[0].starts_with("cannot infer the number of elements of this array"));
}

#[test]
fn closures_have_the_types_of_their_bodies_and_calls() {
    check("x: f32", "let f = |a| a * x; let b = f(2.0);", "a: f32, f: fn(f32) -> f32, b: f32");
    check("n: u8", "let f = |a, b| a < b; let c = f(1, n);", "a: u8, b: u8, f: fn(u8, u8) -> bool, c: bool");
    check("n: u8", "let f = |a: u8| { if a > n { return 0; } a }; let b = f(3);", "a: u8, f: fn(u8) -> u8, b: u8");
    check("x: f64", "let y = g(|a: f32| a * x as f32);", "a: f32, y: ?");
}

#[test]
fn a_closure_whose_types_only_its_callee_knows_asks_for_them() {
    assert_eq!(refusals("", "let y = g(|a| a * 2.0);"), ["cannot infer the type of `a`\nhelp: write it, such as `|a: f32|`"]);
    assert_eq!(
        refusals("", "let y = g(|_a: f32| 1.0);"),
        ["cannot infer the return type of this closure\nhelp: write it, such as `|x: f32| -> f32 { … }`"]
    );
}

#[test]
fn every_type_in_a_body_is_resolved() {
    fn check(inside: Inside<'_>) {
        match inside {
            Inside::Expr(expr) => expr.for_each_inside(&mut check),
            Inside::Block(block) => block.for_each_inside(&mut check),
            Inside::Pattern(pattern) => pattern.for_each_inside(&mut check),
            Inside::Type(ty) => assert!(!format!("{ty:?}").contains("Variable("), "{ty:?}"),
        }
    }
    for body in [
        "let (a, [b, _]) = (1, [2.0; 2]); let Some(c) = x[0].checked_add(a) else { let d = 1; return; };",
        "let y: u32 = unsafe { ptx!(\"mov.u32 {}, 1;\", out(u32), options(pure), else { let a = 1; let (b, c) = (a, 2.0); b }) };",
        "let f = |a| { let b = 1; a + b + 2u8 }; let c = f(1); let d = g::<f32>(1.5); let e = match c { 1 => 2, other => 3 };",
        "while let Some(a) = x[0].checked_sub(1) { for i in 0..3 { let b = [i; 2]; } }",
    ] {
        let (function, errors) = infer("x: &[i32]", body);
        errors.check().expect("the test's function is accepted");
        check(Inside::Block(&function.body));
    }
}
