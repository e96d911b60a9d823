//! How names, labels and ranges are resolved.

use super::lower_function;
use crate::errors::Errors;
use crate::idents::context_in;
use crate::model::*;

fn lower(params: &str, body: &str) -> (Option<Function>, Errors) {
    let item: syn::ItemFn = syn::parse_str(&format!("fn k({params}) {{ {body} }}")).expect("the test's function parses");
    let errors = Errors::new();
    let kind = FunctionKind::Kernel(KernelOptions::default());
    let lowered = lower_function(Item::free(&item, kind, RuntimePath::default()), &errors);
    (lowered.map(|untyped| untyped.into_parts().0), errors)
}

#[track_caller]
fn accepted(params: &str, body: &str) -> Function {
    let (function, errors) = lower(params, body);
    errors.check().expect("the test's function is accepted");
    function.expect("an accepted function is lowered")
}

#[track_caller]
fn refused(params: &str, body: &str) -> Vec<String> {
    let (_, errors) = lower(params, body);
    let error = errors.check().expect_err("the test's function is refused");
    error.into_iter().map(|error| error.to_string()).collect()
}

/// Every use of a variable in the body, in order: the index of its declaration, `?` for what is no variable.
fn uses(function: &Function) -> String {
    let mut found = Vec::new();
    function.body.for_each_child(&mut |expr| collect_uses(expr, &mut found));
    found.join(" ")
}

fn collect_uses(expr: &Expr, found: &mut Vec<String>) {
    match &expr.kind {
        ExprKind::Local(local) => found.push(local.0.to_string()),
        ExprKind::Constant(_) => found.push("?".into()),
        _ => {}
    }
    expr.for_each_child(&mut |child| collect_uses(child, found));
}

/// The expressions of the body and everything in them that `pick` picks.
fn pick<T>(function: &Function, pick: &dyn Fn(&Expr) -> Option<T>) -> Vec<T> {
    fn walk<T>(expr: &Expr, pick: &dyn Fn(&Expr) -> Option<T>, picked: &mut Vec<T>) {
        picked.extend(pick(expr));
        expr.for_each_child(&mut |child| walk(child, pick, picked));
    }
    let mut picked = Vec::new();
    function.body.for_each_child(&mut |expr| walk(expr, pick, &mut picked));
    picked
}

#[test]
fn a_new_declaration_shadows_the_old_one() {
    let function = accepted("x: f32", "let x = x; let x = x; x;");
    assert_eq!(uses(&function), "0 1 2");
    assert_eq!(function.locals.len(), 3);
}

#[test]
fn a_constant_of_the_body_has_no_name_of_the_signature() {
    for (params, body) in [
        ("x: &mut [[f32; N]]", "const N: usize = 100; x[0][N - 1] = 1.0;"),
        ("w: usize", "const w: usize = 0; w;"),
        ("w: usize", "{ const w: usize = 0; w; }"),
    ] {
        let messages = refused(params, body);
        assert!(messages[0].starts_with("this constant has a name that the signature of the function uses"), "{messages:?}");
    }
    accepted("x: &mut [[f32; N]]", "const M: usize = 2; M;");
}

#[test]
fn nothing_is_filled_through_a_shared_reference_to_a_part() {
    for body in [
        "let part = &out[..2]; part.fill(0.0);",
        "let part = &out[..2]; part[1..].fill(0.0);",
        "for pair in out.chunks_exact(2) { pair.copy_from_slice(&out[..2]); }",
    ] {
        let messages = refused("out: &mut [f32]", body);
        assert!(messages[0].starts_with("this part is a shared reference"), "{messages:?}");
    }
    accepted("out: &mut [f32]", "let part = &mut out[..4]; part[1..].fill(0.0);");
}

#[test]
fn a_block_ends_the_scope_of_its_variables() {
    assert_eq!(uses(&accepted("x: f32", "{ let x = 1; x; } x;")), "1 0");
    assert_eq!(uses(&accepted("x: i32", "if x > 0 { let x = 2; x; } else { x; }")), "0 1 0");
    assert_eq!(uses(&accepted("i: usize", "for i in 0..i { i; } i;")), "0 1 0");
}

#[test]
fn the_parts_of_a_pattern_are_variables() {
    let function = accepted("", "let (a, (mut b, _)) = (1, (2, 3)); b = a; (b, _) = (a, b);");
    assert_eq!(
        function.locals.iter().map(|local| (local.name.to_string(), local.mutable)).collect::<Vec<_>>(),
        [("a".into(), false), ("b".into(), true)]
    );
}

#[test]
fn the_names_of_a_pattern_are_known_where_it_matched() {
    assert_eq!(uses(&accepted("x: i32", "match x { x if x > 0 => x, y => x } x;")), "0 1 1 0 0");
    assert_eq!(uses(&accepted("x: i32", "if let (x, 1) = (x, 2) && x > 0 { x; } else { x; } x;")), "0 1 1 0 0");
    assert_eq!(uses(&accepted("x: i32", "while let x = x { x; }")), "0 1");
    assert_eq!(uses(&accepted("x: i32", "let (x, 1) = (x, 2) else { x; return; }; x;")), "0 0 1");
}

#[test]
fn alternatives_bind_the_same_variables() {
    let function = accepted("x: i32", "match (x, 1) { (a, 0) | (0, a) => a, _ => 0 };");
    assert_eq!(uses(&function), "0 1");
}

#[test]
fn a_name_with_a_capital_is_compared_with() {
    let function = accepted("N: i32", "match N { LIMIT => 1, module::OTHER => 2, n => 3 };");
    assert_eq!(uses(&function), "0 ? ?");
    // It is a variable in a `let`, which compares with nothing.
    assert_eq!(accepted("", "let LIMIT = 1;").locals.len(), 1);
}

#[test]
fn a_name_that_is_no_variable_is_a_constant() {
    assert_eq!(uses(&accepted("x: f32", "x + LIMIT; module::LIMIT; f32::MAX;")), "0 ? ? ?");
}

#[test]
fn a_variable_whose_block_has_ended_is_reported() {
    assert!(refused("", "{ let a = 1; } let b = a;")[0].starts_with("`a` is not in scope here"));
}

#[test]
fn jumps_without_a_label_go_to_the_innermost_loop() {
    let function = accepted("n: i32", "'a: loop { while n > 0 { break; } 'b: { continue; } }");
    let jumps = pick(&function, &|expr| match &expr.kind {
        ExprKind::Break { label, named, .. } | ExprKind::Continue { label, named } => Some((label.0, *named)),
        _ => None,
    });
    // Loops and labelled blocks are numbered as they open; a block is not where `continue` goes.
    assert_eq!(jumps, [(1, false), (0, false)]);
}

#[test]
fn jumps_with_a_label_go_to_the_innermost_of_that_name() {
    let function = accepted("", "'a: loop { 'a: loop { break 'a; } 'b: { break 'b 1; }; break 'a; }");
    let jumps = pick(&function, &|expr| match &expr.kind {
        ExprKind::Break { label, named: true, .. } => Some(label.0),
        _ => None,
    });
    assert_eq!(jumps, [1, 2, 0]);
}

#[test]
fn a_label_is_known_in_its_own_loop_only() {
    assert!(refused("", "'a: loop { break; } loop { break 'a; }")[0].starts_with("there is no loop or block with the label `'a`"));
    assert_eq!(
        refused("", "break;"),
        ["`break` outside of a loop\nhelp: write `return` to end the thread, or move the `break` into the loop"]
    );
    assert_eq!(
        refused("", "'a: { continue; }"),
        ["`continue` outside of a loop\nhelp: write `return` to end the thread, or move the `continue` into the loop"]
    );
}

#[test]
fn ranges_keep_their_ends_and_adapters() {
    let function = accepted("n: i32", "for i in 1..n {} for i in (1..=n).rev() {} for i in ((0..9)).rev().step_by(2) {} for i in 0..3 {}");
    let ranges = pick(&function, &|expr| match &expr.kind {
        ExprKind::For { range: Range::Bounds { inclusive, adapters, .. }, .. } => {
            let names = adapters.iter().map(|adapter| match adapter {
                RangeAdapter::Rev(_) => "rev",
                RangeAdapter::StepBy { .. } => "step_by",
            });
            Some((*inclusive, names.collect::<Vec<_>>()))
        }
        _ => None,
    });
    assert_eq!(ranges, [(false, vec![]), (true, vec!["rev"]), (false, vec!["rev", "step_by"]), (false, vec![])]);
}

#[test]
fn a_grid_stride_loop_has_its_length() {
    let function = accepted("x: &[f32]", "for i in gpu_runtime::prelude::grid_stride(x.len()) {}");
    let paths = pick(&function, &|expr| match &expr.kind {
        ExprKind::For { range: Range::GridStride { path, .. }, .. } => Some(path.segments.len()),
        _ => None,
    });
    assert_eq!(paths, [3]);
}

#[test]
fn every_place_that_can_fail_has_a_site() {
    let function = accepted("x: &mut [i32], d: i32", "x[0] = x[1] / d; x[0] %= 2; assert!(d > 0); panic!(\"no\"); let a = d + 1;");
    let kinds: Vec<&str> = function
        .sites
        .iter()
        .map(|site| match &site.kind {
            SiteKind::Index => "index",
            SiteKind::Division => "division",
            SiteKind::Panic(_) => "panic",
            SiteKind::Assert(_) => "assert",
            _ => "another kind",
        })
        .collect();
    assert_eq!(kinds, ["index", "division", "index", "index", "division", "assert", "panic"]);
}

#[test]
fn shared_arrays_are_numbered() {
    let function = accepted("", "let mut a = shared::<[f32; 4]>(); let mut b = shared::<[u8; 2]>();");
    let slots = pick(&function, &|expr| match &expr.kind {
        ExprKind::Intrinsic { intrinsic: Intrinsic::Shared(slot), .. } => Some(*slot),
        _ => None,
    });
    assert_eq!(slots, [0, 1]);
}

#[test]
fn what_follows_from_a_refusal_is_not_refused_again() {
    for body in
        ["let (f, _) = (|v: f32| v, 1); let a = f(x[0]);", "let a = x.iter().map(|v| v + 1.0).collect();", "let a = x.get(0..2).unwrap();"]
    {
        assert_eq!(refused("x: &[f32]", body).len(), 1, "{body}");
    }
}

#[test]
fn independent_mistakes_are_all_reported() {
    let messages = refused("x: u128, y: &[f32]", "let a = 'c'; let b = \"text\"; y.iter();");
    assert_eq!(messages.len(), 4, "{messages:?}");
}

#[test]
fn a_refused_parameter_takes_any_argument() {
    let (function, errors) = lower("x: Vec<f32>, _: f32, y: &[f32]", "");
    assert!(errors.check().is_err());
    let types: Vec<Type> = function.expect("the launcher can be written").locals.into_iter().map(|local| local.ty).collect();
    assert_eq!(types[0], Type::Refused);
    assert_eq!(types.len(), 3);
}

#[test]
fn only_what_may_be_valid_rust_is_shown_to_rustc_again() {
    let may_be_valid = |body: &str| {
        let (_, errors) = lower("x: &[f32]", body);
        let may_be_valid = errors.may_be_valid_rust();
        assert!(errors.check().is_err(), "{body} is accepted");
        may_be_valid
    };
    assert!(may_be_valid("match x[0] { ref a => {} }"));
    assert!(may_be_valid("let f = (|a: f32| a, 1);"));
    assert!(!may_be_valid("break;"));
    assert!(!may_be_valid("let a = f32::powf(x[0]);"));
    assert!(!may_be_valid("x[0] = 1.0;"));
}

#[test]
fn a_constant_of_an_inner_block_is_used_in_it_alone() {
    accepted("a: &mut [i32]", "{ const N: i32 = 1; a[0] = N; { a[1] = N; } }");
    accepted("a: &mut [i32]", "if true { a[0] = N; } const N: i32 = 1; let n = N;");
    for body in [
        "const N: i32 = 1; { const N: i32 = 2; a[0] = N; } a[1] = N;",
        "{ const N: i32 = 1; a[0] = N; } a[1] = N;",
        "{ const N: i32 = 1; a[0] = N; } a[1] = r#N;",
        "{ const N: i32 = 1; a[0] = N; } { const N: i32 = 2; a[1] = N; }",
        "{ const N: i32 = 1; a[0] = N; } assert!(N == 3);",
        "{ const N: i32 = 1; a[0] = N; } let b = [0; N];",
    ] {
        let errors = refused("a: &mut [i32]", body);
        assert!(
            errors[0].starts_with("this block declares a constant `N`, but another `N` exists outside of the block"),
            "{body}: {errors:?}"
        );
    }
}

#[test]
fn names_made_up_for_a_loop_are_those_of_nothing_in_the_function() {
    let names = |body| accepted("x: &[usize], y: &[f32]", body).locals.iter().map(|local| local.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names("for (&a, &b) in x.iter().zip(y) { f(a, b); }"), ["x", "y", "index", "a", "b"]);
    assert_eq!(names("for (&index, &b) in x.iter().zip(y) { f(index, b); }"), ["x", "y", "index2", "index", "b"]);
    assert_eq!(names("for &a in x.iter() { index(a); }"), ["x", "y", "index2", "a"]);
    assert_eq!(names("for (&y, &x) in x.iter().zip(y) { f(x, y); }"), ["x", "y", "index", "element", "element2", "y", "x"]);
}

#[test]
fn the_macro_that_a_name_comes_from_is_read_off_its_span() {
    assert_eq!(context_in("#5 bytes(10..11)").as_deref(), Some("#5"));
    assert_eq!(context_in("#0 bytes(0..1)").as_deref(), Some("#0"));
    for other in ["bytes(10..11)", "Span", "# bytes(1..2)", "#x bytes(1..2)", "main.rs:3:1: 3:2 (#5)"] {
        assert_eq!(context_in(other), None, "{other}");
    }
}
