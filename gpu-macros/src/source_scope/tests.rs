use super::Surroundings;
use crate::model::{Member, Scalar, Type};
use proc_macro2::Span;
use quote::{format_ident, quote};

/// Of the first function `k` in `source`.
fn around(source: &str) -> Surroundings {
    Surroundings::in_source(source, "k")
}

fn imports(source: &str) -> Vec<String> {
    around(source).imports().map(str::to_owned).collect()
}

#[test]
fn a_function_sees_the_imports_of_its_module_and_of_the_blocks_in_it() {
    let source = "use a::b; mod other { use c::d; } mod m { use e::{f, g}; #[doc = \"use x;\"] pub(crate) use h; // use i;
        fn outer() { use j::k; fn k() {} } fn after() { use l; } #[allow(unused)]
        use n; }";
    assert_eq!(imports(source), ["use e::{f, g};", "pub(crate) use h;", "use n;", "use j::k;"]);
    let import_of = |name| around(source).import_of(&format_ident!("{name}")).map(|path| quote!(#path).to_string());
    assert_eq!(["g", "k", "b", "l"].map(import_of), [Some("e :: g".to_owned()), Some("j :: k".to_owned()), None, None]);
    assert_eq!(around(source).module(), None, "it is an item of a function");
    assert_eq!(imports("fn k() {} use a::b;"), ["use a::b;"]);
}

#[test]
fn the_module_of_a_function_is_that_of_its_file_or_block() {
    assert_eq!(around("fn k() {}").module(), Some("file"));
    assert_eq!(around("mod a { mod b { } fn f() { '{' } fn k() {} }").module(), Some("a"));
    assert_eq!(around("const S: &str = \"mod a {\"; /* mod b { */ fn k<'a>() {}").module(), Some("file"));
    assert_eq!(around("r#\"mod a { \"\"# fn k() {}").module(), Some("file"));
    assert_eq!(around("r##\"mod a { \"# \"## fn k() {}").module(), Some("file"));
    assert_eq!(around("/* é { */ mod a { const C: char = '\\''; fn k() {} }").module(), Some("a"));
}

#[test]
fn imported_variants_have_paths() {
    let source = "/// A \"side\".\n#[derive(Copy)] pub(crate) enum Side { #[default] Left, Right = 2 } enum Other { Up }
        use Side::*; use crate::shapes::Shape::{self, Circle, Rect as Box}; use Unknown::*; use other::Other; fn k() {}";
    let path = |name| around(source).variant(&format_ident!("{name}")).map(|path| quote!(#path).to_string().replace(' ', ""));
    let known = ["Right", "Circle", "Box"].map(path).map(Option::unwrap_or_default);
    assert_eq!(known, ["Side::Right", "crate::shapes::Shape::Circle", "crate::shapes::Shape::Rect"]);
    assert_eq!(["Up", "Rect", "Other", "Shape", "Middle"].map(path), [const { None }; 5]);
}

#[test]
fn modules_beside_a_function_have_names() {
    let source = "pub mod shared; mod m { mod inner {} fn k() {} mod later; }";
    assert!(["inner", "later"].into_iter().all(|name| around(source).declares_module(name)));
    assert!(!around(source).declares_module("shared"));
    assert!(around("fn k() {} pub mod shared;").declares_module("shared"));
}

#[test]
fn types_beside_a_function_are_read_as_they_are_written() {
    let found = |source, name| around(source).type_of_module(name).map(|item| quote!(#item).to_string());
    let source = "/// A point.\n#[derive(Clone)] pub(crate) struct P<T> { x: [T; 2] } struct Q(f32); enum E { A { x: f32 } } fn k() {}";
    assert_eq!(found(source, "P").as_deref(), Some("# [derive (Clone)] pub (crate) struct P < T > { x : [T ; 2] }"));
    assert_eq!(found(source, "Q").as_deref(), Some("struct Q (f32) ;"));
    assert!(found(source, "E").is_some() && found(source, "A").is_none());
    assert!(found("fn k() {} struct P {}", "P").is_some());
    for hidden in ["struct P {} mod m { fn k() {} }", "struct P {} fn f() { struct P {} fn k() {} }", "m! { struct P {} fn k() {} }"] {
        assert_eq!(found(hidden, "P"), None, "{hidden}");
    }
    assert_eq!(found("#[cfg(a)] struct P {} #[cfg(b)] struct P {} fn k() {}", "P"), None, "one of two");
}

#[test]
fn fields_beside_a_function_have_the_types_that_are_written() {
    let source = "struct P { /// Steps.\n pub steps: u32, #[cfg(a)] flag: bool, v: V } struct G<T> { x: f32, y: T }
        struct Q(u32, i8); struct S { p: P, q: other::Q, g: G<u8> } struct T(#[cfg(a)] u8, u8);
        struct A { rows: [[f32; 2]; 3], named: [f32; N], of_own: [P; 2], of_unknown: [V; 2], of_generic: [G; 2] } fn k() {}";
    let name =
        |name: &str| name.parse().map_or_else(|_| Member::Name(format_ident!("{name}")), |at| Member::Position(at, Span::mixed_site()));
    let of = |owner, path: &str| around(source).type_of_field(&format_ident!("{owner}"), &path.split('.').map(name).collect::<Vec<_>>());
    let is_scalar = |owner, path, scalar| of(owner, path) == Some(Type::Scalar(scalar));
    assert!(is_scalar("P", "steps", Scalar::U32) && is_scalar("Q", "1", Scalar::I8) && is_scalar("S", "p.steps", Scalar::U32));
    let rows = of("A", "rows").unwrap();
    assert!(matches!(&rows, Type::Array(row, length) if matches!(&**row, Type::Array(..)) && length.value() == Some(3)), "{rows:?}");
    let own = of("A", "of_own").unwrap();
    assert!(matches!(&own, Type::Array(element, _) if matches!(&**element, Type::Named(_))), "{own:?}");
    let unknown = [("P", "flag"), ("P", "v"), ("P", "w"), ("G", "x"), ("R", "x"), ("P", "v.x"), ("S", "p"), ("S", "q.0"), ("S", "g.x")];
    for (owner, path) in
        unknown.into_iter().chain([("S", "p.v"), ("Q", "2"), ("T", "1"), ("A", "named"), ("A", "of_unknown"), ("A", "of_generic")])
    {
        assert_eq!(of(owner, path), None, "{owner}.{path}");
    }
}

#[test]
fn functions_of_types_beside_a_function_are_found() {
    let types = "struct P {} impl P { fn a(&self, mut by: f32, (x, y): (u8, u8)) -> f32 {} fn b(f: impl Fn(u8, u8) -> u8, ) {} fn d(f: impl Fn(u8) -> u8) -> u8 { g(1, 2) } }";
    let parameters = |source: &str, name| around(source).function_of_type("P", name).map(|found| found.parameters);
    let source = format!("{types} trait T {{ fn a(); fn c(self); }} impl T for P {{ fn a() {{}} fn c(self) {{}} }} fn k() {{}}");
    assert_eq!(parameters(&source, "a").unwrap(), ["&self", "mut by", "(x, y)"]);
    assert_eq!(parameters(&source, "b").unwrap(), ["f"]);
    assert_eq!(parameters(&source, "d").unwrap(), ["f"]);
    assert_eq!(parameters(&source, "c").unwrap(), ["self"]);
    for unknown in [
        format!("{types} mod m {{ fn k() {{}} }}"),
        format!("{types} impl P {{ #[cfg(a)] fn a() {{}} }} fn k() {{}}"),
        format!("mod m {{ {types} }} struct P {{}} fn k() {{}}"),
    ] {
        assert_eq!(parameters(&unknown, "a"), None, "{unknown}");
    }
}

#[test]
fn functions_of_traits_beside_a_function_are_found() {
    let source = "trait A { fn a(&self, by: f32) -> f32; } pub trait B: A { fn b(); } mod m { trait C {} } fn k() {}";
    let found = |of: &str, name| around(source).function_of_trait(&syn::parse_str(of).unwrap(), name);
    assert_eq!(found("A", "a"), Some(Some(vec!["&self".to_owned(), "by".to_owned()])));
    assert_eq!(found("A", "b"), Some(None));
    assert_eq!([found("B", "b"), found("C", "c"), found("m::A", "a")], [None, None, None]);
}

#[test]
fn a_function_of_a_type_is_told_from_others() {
    let owner = |source| around(source).owner().map(|block| quote::ToTokens::to_token_stream(&block.self_ty).to_string());
    let generic = "impl<T: Fn() -> f32> S<T> where T: Copy { const N: usize = 1; #[gpu_kernel] pub fn k() {} }";
    assert_eq!(owner(generic).as_deref(), Some("S < T >"));
    assert_eq!(owner("/// A type.\n#[cfg(test)] impl S { fn f() {} fn k() {} }").as_deref(), Some("S"));
    assert_eq!(owner("impl S { fn f() {} } fn k() -> impl Copy {}"), None);
    assert_eq!(owner("impl S { fn f() { fn k() {} } }"), None);
}

#[test]
fn what_methods_beside_a_function_return_is_found() {
    let source = "type Found = Option<u8>; impl V { fn map(self, f: impl Fn(u8) -> u8) -> V {} fn get(&self) -> Option<u8> {} fn new() -> V {} } \
                  fn first() -> Result<u8, u8> {} fn both() -> V {} impl W { fn both() -> Option<V> {} } fn k() {}";
    let around = around(source);
    let name = |text: &str| syn::parse_str::<proc_macro2::Ident>(text).unwrap();
    assert_eq!(["map", "get", "new", "first"].map(|method| around.has_method(&name(method))), [true, true, false, false]);
    let methods = ["map", "get", "new", "both", "none"].map(|method| around.returns_own_type(&name(method), true));
    assert_eq!(methods, [true, false, true, false, false]);
    assert_eq!(["first", "both", "new"].map(|function| around.returns_own_type(&name(function), false)), [false, true, false]);
    assert_eq!(["Found", "V"].map(|ty| around.declares_alias(&syn::parse_str(ty).unwrap())), [true, false]);
}

#[test]
fn constants_of_the_module_are_numbers() {
    let number = |around: &str, name: &str| Surroundings::in_source(&format!("{around} fn k() {{}}"), "k").number(name);
    assert_eq!(number("const B: usize = 128;", "B"), Some(128));
    assert_eq!(number("pub(crate) const HALF: u32 = 0x20; const B: usize = 4 * (16 - HALF / 16) - 1;", "B"), Some(55));
    // One that may be another constant, not be there, or be no such number.
    for around in [
        "",
        "mod other { const B: usize = 1; }",
        "#[cfg(unix)] const B: usize = 1;",
        "const B: usize = 1; const B: usize = 2;",
        "const B: u8 = 256;",
        "const B: usize = 1 - 2;",
        "const B: usize = B;",
        "const B: usize = f();",
        "const B: f32 = 1.0;",
        "const B: Size = 1;",
        "const B: usize = other::C;",
    ] {
        assert_eq!(number(around, "B"), None, "{around}");
    }
    let inside = |body: &str| Surroundings::in_source(&format!("const B: usize = 1; fn f() {{ {body} fn k() {{}} }}"), "k").number("B");
    assert_eq!((inside(""), inside("const B: usize = 2;")), (Some(1), None));
}

#[test]
fn types_of_constants_are_those_that_are_written() {
    let of = |around: &str, path: &str| {
        Surroundings::in_source(&format!("{around} fn k() {{}}"), "k").type_of_constant(&syn::parse_str(path).expect("a path"))
    };
    for (around, path, scalar) in [
        ("const B: usize = f();", "B", Scalar::Usize),
        ("pub(crate) const B: f32 = 1.5;", "B", Scalar::F32),
        ("pub mod sizes { pub const B: i32 = 1; }", "sizes::B", Scalar::I32),
        ("const B: bool = true; fn f() { const B: i32 = 1; }", "B", Scalar::Bool),
    ] {
        assert_eq!(of(around, path), Some(scalar), "{around}");
    }
    for (around, path) in [
        ("const B: Size = 1;", "B"),
        ("use other::B; const B: usize = 1;", "B"),
        ("#[cfg(unix)] const B: usize = 1;", "B"),
        ("const B: usize = 1; const B: i32 = 2;", "B"),
        ("mod other { const B: usize = 1; }", "B"),
        ("mod sizes { mod inner { pub const B: usize = 1; } }", "sizes::B"),
        ("mod sizes { pub const B: usize = 1; } mod sizes { }", "sizes::B"),
        ("mod sizes { pub const B: usize = 1; } mod sizes;", "sizes::B"),
        ("mod sizes { mod inner { pub const B: usize = 1; } }", "sizes::inner::B"),
        ("const B: usize = 1;", "Self::B"),
    ] {
        assert_eq!(of(around, path), None, "{around}");
    }
    let of_type = Surroundings::in_source("struct S; impl S { const B: u32 = 1; fn k() {} }", "k");
    assert_eq!(of_type.type_of_constant(&syn::parse_quote!(Self::B)), Some(Scalar::U32));
    assert_eq!(of_type.type_of_constant(&syn::parse_quote!(S::B)), Some(Scalar::U32));
    assert_eq!(of_type.type_of_constant(&syn::parse_quote!(R::B)), None);
    let inside = Surroundings::in_source("mod m { pub const B: u32 = 1; } fn f() { mod m { pub const B: i32 = 1; } fn k() {} }", "k");
    assert_eq!(inside.type_of_constant(&syn::parse_quote!(m::B)), None);
}
