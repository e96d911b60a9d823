use crate::DeviceType;
use crate::compile::nvrtc::testing::nvrtc_or_skip;
use crate::compile::{Architecture, Options, Variant, readable_source};
use crate::source::KernelType as _;
use crate::source::{Segment, Sites, SourceUnit};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Inner {
    outer: u8,
    wide: f64,
}

mod other {
    use super::DeviceType;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C, align(32))]
    pub(super) struct Inner(pub(super) i16, pub(super) [super::Inner; 2]);
}

static KERNEL: SourceUnit = SourceUnit {
    name: "kernel",
    prototype: &[],
    body: &[
        Segment::Text("extern \"C\" __global__ void "),
        Segment::OwnName,
        Segment::Text("("),
        Segment::Type(<[other::Inner; 3]>::c_type),
        Segment::Text("* a, "),
        Segment::Type(Inner::c_type),
        Segment::Text(" b, "),
        Segment::Type(other::Inner::c_type),
        Segment::Text(" c) {}\n"),
    ],
    snippets: &[],
    sites: &Sites::none_in("src/main.rs"),
    several_elements: false,
};

#[test]
fn a_program_defines_each_struct_once_after_its_parts() {
    let source = readable_source(&KERNEL, Variant::Checked);
    let (_, program) = source.split_once("struct Inner {").expect("the definition comes after the snippets");
    let expected = r#"
  u8 outer;
  f64 wide;
};
static_assert(sizeof(Inner) == 16 && alignof(Inner) == 8, "the size and alignment are Rust's");
static_assert(GR_OFFSET(Inner, outer) == 0, "the offset is Rust's");
static_assert(GR_OFFSET(Inner, wide) == 8, "the offset is Rust's");

struct alignas(32) Inner_2 {
  i16 _0;
  gr_array<Inner, 2> _1;
};
static_assert(sizeof(Inner_2) == 64 && alignof(Inner_2) == 32, "the size and alignment are Rust's");
static_assert(GR_OFFSET(Inner_2, _0) == 0, "the offset is Rust's");
static_assert(GR_OFFSET(Inner_2, _1) == 8, "the offset is Rust's");


extern "C" __global__ void kernel(gr_array<Inner_2, 3>* a, Inner b, Inner_2 c) {}
"#;
    assert_eq!(program, expected);
}

#[test]
fn a_layout_that_is_not_rusts_does_not_compile() {
    const TEXT: &str = "a_layout_that_is_not_rusts_does_not_compile";
    let Some(nvrtc) = nvrtc_or_skip(TEXT) else { return };
    let source = readable_source(&KERNEL, Variant::Checked);
    let compile = |text: &str| nvrtc.compile("kernel.cu", text, Architecture { major: 9, minor: 0 }.into(), &Options::DEFAULT);
    assert!(compile(&source).is_ok());
    for (right, wrong) in [("wide) == 8", "wide) == 1"), ("sizeof(Inner) == 16", "sizeof(Inner) == 9"), ("alignas(32)", "alignas(64)")] {
        let changed = source.replace(right, wrong);
        assert!(changed != source && compile(&changed).is_err(), "{wrong} compiles");
    }
}

/// Declares what the program asks for, with what rustc says of the offset of the first element.
fn program_of_a_tuple() -> String {
    static TUPLES: SourceUnit = SourceUnit {
        name: "kernel",
        prototype: &[],
        body: &[
            Segment::Text("extern \"C\" __global__ void "),
            Segment::OwnName,
            Segment::Text("("),
            Segment::Type(<(u8, u64, u8, u16)>::c_type),
            Segment::Text(" a, "),
            Segment::Type(<[((u8, Inner, bool), f32); 2]>::c_type),
            Segment::Text("* b) { b[0][0]._1 = gr_frexp(1.0f)._0; }\n"),
        ],
        snippets: &["parts"],
        sites: &Sites::none_in("src/main.rs"),
        several_elements: false,
    };
    readable_source(&TUPLES, Variant::Checked)
}

#[test]
fn a_tuple_that_rustc_reorders_is_defined_in_that_order_before_it_is_used() {
    let source = program_of_a_tuple();
    let at = |text: &str| source.find(text).unwrap_or_else(|| panic!("no `{text}` in {source}"));
    assert!(at("template <> struct gr_tuple4<u8, u64, u8, u16> {") < at("gr_frexp"), "{source}");
    assert!(at("struct Inner {") < at("gr_tuple3<u8, Inner, bool>"), "{source}");
    assert!(at("gr_tuple3<u8, Inner, bool>") < at("gr_tuple2<gr_tuple3<u8, Inner, bool>, f32>"), "{source}");
    let offset = std::mem::offset_of!((u8, u64, u8, u16), 1);
    assert!(source.contains(&format!("static_assert(GR_OFFSET(gr_in_memory_0, _1) == {offset},")), "{source}");
}

#[test]
fn a_tuple_of_another_layout_does_not_compile() {
    let Some(nvrtc) = nvrtc_or_skip("a_tuple_of_another_layout_does_not_compile") else { return };
    let compile = |text: &str| nvrtc.compile("kernel.cu", text, Architecture { major: 9, minor: 0 }.into(), &Options::DEFAULT);
    let source = program_of_a_tuple();
    if let Err(error) = compile(&source) {
        panic!("{error}\n{error:?}\n{source}");
    }
    let changed =
        source.replace("template <> struct gr_tuple4<u8, u64, u8, u16> {", "template <> struct gr_tuple4<u8, u64, u8, u16> {\n  u8 more;");
    assert!(changed != source && compile(&changed).is_err());
}
