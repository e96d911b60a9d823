use super::*;
use crate::source::{CType, Sites};

/// The device function with this number.
fn callee<const N: usize>(unit: &'static SourceUnit) -> Callee {
    Callee { id: TypeId::of::<[(); N]>(), unit }
}

/// A unit without snippets and sites.
const fn unit(name: &'static str, prototype: &'static [Segment], body: &'static [Segment]) -> SourceUnit {
    SourceUnit { name, prototype, body, snippets: &[], sites: &const { Sites::none_in("src/main.rs") }, several_elements: false }
}

const fn template(text: &'static str, holes: &'static [Segment]) -> Segment {
    Segment::Template { text, holes }
}

/// The text after the snippets.
fn functions(source: &str) -> &str {
    source.strip_prefix(concat!(include_str!("snippets/types.cu"), "\n")).expect("the types come first")
}

#[test]
fn holes_are_filled_in_place() {
    static KERNEL: SourceUnit = unit(
        "fill",
        &[],
        &[
            Segment::Text("extern \"C\" __global__ void "),
            Segment::OwnName,
            Segment::Text("(f32* out) {\n  out[0] = "),
            Segment::Constant(|| format!("{:.1}f", 0.5)),
            Segment::Text(";\n}\n"),
        ],
    );
    let program = assemble(&KERNEL, Variant::Checked);
    assert_eq!(program.entry, "fill");
    assert_eq!(functions(&program.text), "\nextern \"C\" __global__ void fill(f32* out) {\n  out[0] = 0.5f;\n}\n");
}

#[test]
fn mutually_recursive_functions_are_declared_before_either_is_defined() {
    static EVEN: SourceUnit = unit(
        "even",
        &[Segment::Text("static __device__ bool "), Segment::OwnName, Segment::Text("(u32 n)")],
        &[
            Segment::Text("static __device__ bool "),
            Segment::OwnName,
            Segment::Text("(u32 n) { return n == 0u || "),
            Segment::Function(|| callee::<1>(&ODD)),
            Segment::Text("(n - 1u); }\n"),
        ],
    );
    static ODD: SourceUnit = unit(
        "odd",
        &[Segment::Text("static __device__ bool "), Segment::OwnName, Segment::Text("(u32 n)")],
        &[
            Segment::Text("static __device__ bool "),
            Segment::OwnName,
            Segment::Text("(u32 n) { return n != 0u && "),
            Segment::Function(|| callee::<2>(&EVEN)),
            Segment::Text("(n - 1u); }\n"),
        ],
    );
    static KERNEL: SourceUnit = unit(
        "parity",
        &[],
        &[
            Segment::Text("extern \"C\" __global__ void parity(bool* out, u32 n) { *out = "),
            Segment::Function(|| callee::<2>(&EVEN)),
            Segment::Text("(n); }\n"),
        ],
    );
    assert_eq!(
        functions(&readable_source(&KERNEL, Variant::Checked)),
        "static __device__ bool even(u32 n);\n\
         static __device__ bool odd(u32 n);\n\
         \nstatic __device__ bool even(u32 n) { return n == 0u || odd(n - 1u); }\n\
         \nstatic __device__ bool odd(u32 n) { return n != 0u && even(n - 1u); }\n\
         \nextern \"C\" __global__ void parity(bool* out, u32 n) { *out = even(n); }\n"
    );
}

#[test]
fn functions_that_share_a_name_are_told_apart() {
    static FIRST: SourceUnit = unit("f", &[], &[Segment::OwnName, Segment::Text("{1}\n")]);
    static SECOND: SourceUnit = unit("f", &[], &[Segment::OwnName, Segment::Text("{2}\n")]);
    static KERNEL: SourceUnit = unit(
        "f",
        &[],
        &[
            Segment::OwnName,
            Segment::Text(": "),
            Segment::Function(|| callee::<1>(&FIRST)),
            Segment::Text(" "),
            Segment::Function(|| callee::<2>(&SECOND)),
            Segment::Text(" "),
            Segment::Function(|| callee::<1>(&FIRST)),
        ],
    );
    let program = assemble(&KERNEL, Variant::Checked);
    assert_eq!(program.entry, "f");
    assert_eq!(functions(&program.text), "\nf_2{1}\n\nf_3{2}\n\nf: f_2 f_3 f_2\n");
}

#[test]
fn instances_of_equal_text_are_one_function_only_if_they_have_one_identity() {
    static HERE: SourceUnit =
        unit("zero", &[], &[Segment::Type(|| CType::Scalar("f32")), Segment::Text(" "), Segment::OwnName, Segment::Text("();\n")]);
    static THERE: SourceUnit =
        unit("zero", &[], &[Segment::Type(|| CType::Scalar("f32")), Segment::Text(" "), Segment::OwnName, Segment::Text("();\n")]);
    static KERNEL: SourceUnit = unit(
        "k",
        &[],
        &[
            // One function whose constant has two addresses, and another one that shares one of them.
            Segment::Function(|| callee::<1>(&HERE)),
            Segment::Text(" "),
            Segment::Function(|| callee::<1>(&THERE)),
            Segment::Text(" "),
            Segment::Function(|| callee::<2>(&HERE)),
        ],
    );
    assert_eq!(functions(&readable_source(&KERNEL, Variant::Checked)), "\nf32 zero();\n\nf32 zero_2();\n\nzero zero zero_2\n");
}

#[test]
fn a_function_does_not_take_the_name_of_a_local_or_a_parameter() {
    static SCALE: SourceUnit = unit("scale", &[], &[Segment::OwnName, Segment::Text("(f32 scale_2) {}\n")]);
    static KERNEL: SourceUnit =
        unit("k", &[], &[Segment::Text("f32 scale = "), Segment::Function(|| callee::<1>(&SCALE)), Segment::Text("(x);")]);
    assert!(readable_source(&KERNEL, Variant::Checked).ends_with("\nscale_3(f32 scale_2) {}\n\nf32 scale = scale_3(x);\n"));
}

#[test]
fn sites_are_numbered_through_the_program_the_kernel_first() {
    static CALLEE_SITES: Sites = Sites::new("src/main.rs", "30:1i", &[]);
    static KERNEL_SITES: Sites = Sites::new("src/main.rs", "10:1i 20:1i", &[]);
    static CALLEE: SourceUnit =
        SourceUnit { sites: &CALLEE_SITES, ..unit("g", &[], &[Segment::Text("at "), Segment::Site(0), Segment::Text("\n")]) };
    static KERNEL: SourceUnit = SourceUnit {
        sites: &KERNEL_SITES,
        ..unit(
            "k",
            &[],
            &[Segment::Site(1), Segment::Text(" "), Segment::Function(|| callee::<1>(&CALLEE)), Segment::Text(" "), Segment::Site(0)],
        )
    };
    let program = assemble(&KERNEL, Variant::Checked);
    assert_eq!(functions(&program.text), "\nat 2\n\n1 g 0\n");
    assert_eq!(program.sites.iter().map(|site| site.line()).collect::<Vec<_>>(), [10, 20, 30]);
}

#[test]
fn the_unchecked_variant_has_neither_the_checks_nor_what_only_they_call() {
    static CHECK: SourceUnit = unit("check", &[], &[Segment::Text("void check() {}\n")]);
    static KERNEL: SourceUnit = unit("k", &[], &[template("a;`checked 1``0`();`}`b;", &[Segment::Function(|| callee::<1>(&CHECK))])]);
    assert_eq!(functions(&readable_source(&KERNEL, Variant::Unchecked)), "\na;b;\n");
    // `check` is in the text of another function here, and so the linker renames it.
    assert_eq!(functions(&readable_source(&KERNEL, Variant::Checked)), "\nvoid check() {}\n\na;check_2();b;\n");
}

#[test]
fn what_a_launch_proves_is_a_program_of_its_own() {
    static KERNEL: SourceUnit = unit("k", &[], &[template("`proved{`assume;`}`a;", &[])]);
    assert_eq!(functions(&readable_source(&KERNEL, Variant::Checked)), "\na;\n");
    assert_eq!(functions(&readable_source(&KERNEL, Variant::Unchecked)), "\nassume;a;\n");
    assert_eq!(Variant::Unchecked.distinct(&KERNEL), Variant::Unchecked);
}

#[test]
fn checks_remain_whose_conditions_do_not_all_hold() {
    static KERNEL: SourceUnit = unit("k", &[], &[template("`checked 1`a;`}``checked 2`b;`}``checked 3`c;`}``proved{`assume;`}`d;", &[])]);
    let text = |holding: u32| functions(&readable_source(&KERNEL, Variant::Partly(holding))).to_owned();
    assert_eq!(text(!0b01), "\na;c;d;\n");
    assert_eq!(text(!0b10), "\nb;c;d;\n");
    assert_eq!(text(u32::MAX), "\nd;\n");
    assert_eq!(Variant::Partly(!0b11).distinct(&KERNEL), Variant::Checked);
    assert_eq!(Variant::Partly(!0b01).distinct(&KERNEL), Variant::Partly(!0b01));
    // There is no such program with indices of 32 bits.
    assert_eq!(Variant::Narrow(!0b01).available(&KERNEL), Variant::Partly(!0b01));
    static NARROW: SourceUnit = unit("k", &[], &[template("`checked 1`a;`}``wide{`b;`}``narrow{`c;`}``proved{`assume;`}", &[])]);
    let text = |holding: u32| functions(&readable_source(&NARROW, Variant::Narrow(holding))).to_owned();
    assert_eq!((text(!0b01), text(u32::MAX)), ("\na;c;\n".to_owned(), "\nc;assume;\n".to_owned()));
}

#[test]
fn what_conditions_show_stands_where_all_of_them_hold() {
    static KERNEL: SourceUnit = unit("k", &[], &[template("x = `shown 3`a + b`}``checked 3`add(a, b)`}`;", &[])]);
    let text = |variant: Variant| functions(&readable_source(&KERNEL, variant)).to_owned();
    let variants = [Variant::Checked, Variant::Partly(!0b01), Variant::Partly(!0b100), Variant::Unchecked];
    let [sum, call] = ["\nx = a + b;\n", "\nx = add(a, b);\n"];
    assert_eq!(variants.map(text), [call, call, sum, sum]);
}

#[test]
fn comments_mark_the_checks_that_a_launch_may_leave_out() {
    static KERNEL: SourceUnit = unit("k", &[], &[template("a;\n`checked 1`if (x) check();\n`}`b;\n`one{`c;\n`}`", &[])]);
    assert_eq!(functions(&commented_source(&KERNEL)), "\na;\nif (x) check();  // unless proved\nb;\nc;\n");
    assert_eq!(functions(&readable_source(&KERNEL, Variant::Checked)), "\na;\nif (x) check();\nb;\nc;\n");
}

#[test]
fn what_depends_on_a_constant_is_there_if_the_constant_says_so() {
    const HOLES: &[Segment] = &[Segment::BeginIf(|| true), Segment::BeginIf(|| false)];
    static KERNEL: SourceUnit = unit("k", &[], &[template("a`0`b`1`c`0`d`}`e`}`f`}`g", HOLES)]);
    for variant in [Variant::Checked, Variant::Unchecked] {
        assert_eq!(functions(&readable_source(&KERNEL, variant)), "\nabfg\n");
    }
}

/// A kernel of both forms, in which `segment` stands between the alternatives.
const fn with_both_variants(segments: &'static [Segment]) -> SourceUnit {
    SourceUnit { several_elements: true, ..unit("k", &[], segments) }
}

const ALTERNATIVES: Segment = template("`one{`one;`}``several{`several;`}`", &[]);

#[test]
fn the_form_for_several_elements_has_its_alternatives_and_no_checks() {
    static KERNEL: SourceUnit = with_both_variants(&[ALTERNATIVES, template("`checked 1`check `site 0``}`x;", &[])]);
    assert_eq!(Variant::SeveralElements.available(&KERNEL), Variant::SeveralElements);
    assert_eq!(functions(&readable_source(&KERNEL, Variant::Checked)), "\none;check 0x;\n");
    assert_eq!(functions(&readable_source(&KERNEL, Variant::Unchecked)), "\none;x;\n");
    assert_eq!(functions(&readable_source(&KERNEL, Variant::SeveralElements)), "\nseveral;x;\n");
    let key = |variant| assemble(&KERNEL, variant).key_text;
    assert_ne!(key(Variant::Unchecked), key(Variant::SeveralElements));
}

#[test]
fn without_a_form_for_several_elements_there_is_the_one_without_checks() {
    static POSITION: SourceUnit = unit("position", &[], &[Segment::Text("threadIdx.x")]);
    static FAILING: SourceUnit = SourceUnit { several_elements: true, ..unit("failing", &[], &[Segment::Site(0)]) };
    static CALLER: SourceUnit = with_both_variants(&[Segment::Function(|| callee::<2>(&FAILING))]);
    for (why, kernel) in [
        ("the kernel knows its thread", const { &unit("k", &[], &[ALTERNATIVES]) }),
        ("the kernel can fail", const { &with_both_variants(&[ALTERNATIVES, Segment::Site(0)]) }),
        ("it can fail in that variant", const { &with_both_variants(const { &[template("`several{``site 0``}`", &[])] }) }),
        ("a function knows its thread", const { &with_both_variants(&[ALTERNATIVES, Segment::Function(|| callee::<1>(&POSITION))]) }),
        ("a function can fail", const { &with_both_variants(&[ALTERNATIVES, Segment::Function(|| callee::<2>(&FAILING))]) }),
        ("a function of a function can fail", const { &with_both_variants(&[ALTERNATIVES, Segment::Function(|| callee::<3>(&CALLER))]) }),
    ] {
        assert_eq!(Variant::SeveralElements.available(kernel), Variant::Unchecked, "{why}");
    }
    let called_in_checks = const {
        &with_both_variants(const { &[ALTERNATIVES, template("`checked 1``0``}`", &[Segment::Function(|| callee::<2>(&FAILING))])] })
    };
    assert_eq!(Variant::SeveralElements.available(called_in_checks), Variant::SeveralElements);
    assert_eq!(Variant::Checked.available(called_in_checks), Variant::Checked);
}

#[test]
fn line_directives_reach_nvrtc_only_and_end_with_their_function() {
    static CALLEE: SourceUnit = SourceUnit {
        sites: &const { Sites::none_in("src\\with \"quotes\".rs") },
        ..unit("g", &[], &[Segment::Text("void g() {"), Segment::Line(7), Segment::Text("  x; }\n")])
    };
    static KERNEL: SourceUnit = unit("k", &[], &[Segment::Function(|| callee::<1>(&CALLEE)), Segment::Text("();\n")]);
    let program = assemble(&KERNEL, Variant::Checked);
    let generated_line = program.text.lines().count();
    assert!(
        program.text.ends_with(&format!(
            "void g() {{\n#line 7 \"src\\\\with \\\"quotes\\\".rs\"\n  x; }}\n#line {} \"k.cu\"\n\ng_2();\n",
            generated_line - 1
        )),
        "{}",
        program.text
    );
    assert!(readable_source(&KERNEL, Variant::Checked).ends_with("\nvoid g() {  x; }\n\ng_2();\n"));
    assert!(!program.key_text.contains("#line"));
}

#[test]
fn a_kernel_that_moves_within_its_file_keeps_its_key() {
    static HERE: SourceUnit = unit("k", &[], &[Segment::Line(5), Segment::Text("  x;\n")]);
    static THERE: SourceUnit = unit("k", &[], &[Segment::Line(99), Segment::Text("  x;\n")]);
    static OTHER: SourceUnit = unit("k", &[], &[Segment::Line(5), Segment::Text("  y;\n")]);
    let key = |unit| assemble(unit, Variant::Checked).key_text;
    assert_eq!(key(&HERE), key(&THERE));
    assert_ne!(key(&HERE), key(&OTHER));
}

const WIDTH: Segment = template("`wide{`usize`}``narrow{`u32`}` n", &[]);
const NARROW: &[Segment] = &[Segment::NarrowIf(|| true), WIDTH];

/// A call of `callee` in a function that has both widths.
macro_rules! call {
    ($number:literal, $callee:ident, $relies:literal) => {
        template(
            "`wide{``0``}``narrow{``1``}`(n);",
            const {
                &[
                    Segment::Function(|| callee::<$number>(&$callee)),
                    Segment::NarrowFunction { callee: || callee::<$number>(&$callee), relies: $relies },
                ]
            },
        )
    };
}

#[test]
fn a_function_has_the_width_of_what_calls_it() {
    // It does the same in 32 bits, what calls it too, and something that may pass more calls it as well.
    static LEAF: SourceUnit = unit("leaf", NARROW, &[WIDTH, Segment::Text(";")]);
    static CALLER: SourceUnit = unit("caller", NARROW, &[WIDTH, Segment::Text(" "), call!(1, LEAF, false)]);
    static WIDE: SourceUnit =
        unit("wide", &[Segment::Text("usize n")], &[Segment::Function(|| callee::<1>(&LEAF)), Segment::Text("(n * n);")]);
    static KERNEL: SourceUnit = unit("k", &[], &[WIDTH, Segment::Text(" "), call!(2, CALLER, false), call!(3, WIDE, false)]);
    assert_eq!(
        functions(&readable_source(&KERNEL, Variant::Narrow(u32::MAX))),
        "u32 n;\nu32 n;\nusize n;\nusize n;\n\nu32 n leaf(n);\n\nu32 n;\n\nleaf_2(n * n);\n\nusize n;\n\nu32 n caller(n);wide(n);\n"
    );
    assert_eq!(
        functions(&readable_source(&KERNEL, Variant::Checked)),
        "usize n;\nusize n;\nusize n;\n\nusize n leaf(n);\n\nusize n;\n\nleaf(n * n);\n\nusize n caller(n);wide(n);\n"
    );
}

#[test]
fn a_kernel_relies_on_functions_in_32_bits() {
    static LEAF: SourceUnit = unit("leaf", NARROW, &[WIDTH]);
    static WIDE: SourceUnit = unit("wide", &[Segment::NarrowIf(|| false), WIDTH], &[WIDTH]);
    static OF_LEAF: SourceUnit = unit("f", NARROW, &[call!(1, LEAF, true)]);
    static OF_WIDE: SourceUnit = unit("f", NARROW, &[call!(2, WIDE, true)]);
    static RECURSIVE: SourceUnit = unit("f", NARROW, &[call!(3, RECURSIVE, true), call!(1, LEAF, true)]);
    let is_narrow = |kernel: &'static SourceUnit| Variant::Narrow(u32::MAX).available(kernel) == Variant::Narrow(u32::MAX);
    assert!(is_narrow({
        static KERNEL: SourceUnit = unit("k", &[], &[WIDTH, call!(1, LEAF, true)]);
        &KERNEL
    }));
    assert!(is_narrow({
        static KERNEL: SourceUnit = unit("k", &[], &[WIDTH, call!(2, WIDE, false)]);
        &KERNEL
    }));
    assert!(!is_narrow({
        static KERNEL: SourceUnit = unit("k", &[], &[WIDTH, call!(2, WIDE, true)]);
        &KERNEL
    }));
    assert!(is_narrow({
        static KERNEL: SourceUnit = unit("k", &[], &[WIDTH, call!(4, OF_LEAF, true)]);
        &KERNEL
    }));
    assert!(!is_narrow({
        static KERNEL: SourceUnit = unit("k", &[], &[WIDTH, call!(5, OF_WIDE, true)]);
        &KERNEL
    }));
    assert!(is_narrow({
        static KERNEL: SourceUnit = unit("k", &[], &[WIDTH, call!(6, RECURSIVE, true)]);
        &KERNEL
    }));
    // A function that relies on another in vain has 64 bits, in a kernel that has 32 and does not mind.
    static KERNEL: SourceUnit = unit("k", &[], &[WIDTH, Segment::Text(" "), call!(5, OF_WIDE, false)]);
    assert_eq!(
        functions(&readable_source(&KERNEL, Variant::Narrow(u32::MAX))),
        "usize n;\nusize n;\n\nwide(n);\n\nusize n\n\nu32 n f(n);\n"
    );
    // What only a callee has is no reason for a program of the kernel.
    assert!(!is_narrow({
        static KERNEL: SourceUnit = unit("k", &[], &[Segment::Function(|| callee::<1>(&LEAF))]);
        &KERNEL
    }));
}
