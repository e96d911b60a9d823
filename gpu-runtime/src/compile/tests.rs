use std::fs;
use std::path::Path;

use super::*;
use crate::source::{KernelOptions, Segment, Sites, SourceUnit};
use nvrtc::testing::nvrtc_or_skip;

const FAST: Options = Options::DEFAULT;
const HOPPER: Target = Target { architecture: Architecture { major: 9, minor: 0 }, features: None };

const fn kernel(name: &'static str, body: &'static [Segment]) -> SourceUnit {
    SourceUnit {
        name,
        prototype: &[],
        body,
        snippets: &["panic"],
        sites: &const { Sites::none_in("src/main.rs") },
        several_elements: false,
    }
}

static ADD: SourceUnit = kernel(
    "add",
    &[Segment::Template {
        text: "extern \"C\" __global__ void add(const f32* x, usize x_len, f32 k, f32* out, usize out_len) {\n\
               `line 12`  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < out_len) {\n\
               `checked 1`    if (i >= x_len) gr_panic(`site 0`, i, x_len);\n`}`    out[i] = x[i] * k + out[i];\n  }\n}\n",
        holes: &[],
    }],
);

static WRONG: SourceUnit = kernel(
    "wrong",
    &[
        Segment::Text("extern \"C\" __global__ void wrong(f32* out) {\n"),
        Segment::Line(40),
        Segment::Text("  out[0] = missing;\n"),
        Segment::Line(41),
        Segment::Text("  out[1] = 1.0f;\n}\n"),
    ],
);

fn store(folder: &Path) -> Store {
    Store::in_folder(folder)
}

#[test]
fn a_kernel_compiles_for_every_supported_generation() {
    if nvrtc_or_skip("a_kernel_compiles_for_every_supported_generation").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for variant in [Variant::Checked, Variant::Unchecked] {
        let program = assemble(&ADD, variant);
        for target in ["sm_75", "sm_90", "sm_90a"].map(|name| name.parse().unwrap()) {
            let cubin = cached_cubin(Compilers::installed(), Some(&store(folder.path())), &program, target, &FAST).unwrap();
            assert!(cubin.starts_with(b"\x7fELF"), "{target}");
            let ptx = ptx(&program, target, &FAST).unwrap();
            assert!(ptx.contains(&format!(".target {target}")) && ptx.contains(".entry add("), "{ptx}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6);
}

#[test]
fn contraction_is_an_option() {
    if nvrtc_or_skip("contraction_is_an_option").is_none() {
        return;
    }
    let program = assemble(&ADD, Variant::Unchecked);
    assert!(ptx(&program, HOPPER, &FAST).unwrap().contains("fma.rn.f32"));
    assert!(!ptx(&program, HOPPER, &Options::with_fmad(false)).unwrap().contains("fma.rn.f32"));
}

#[test]
fn a_panic_ends_the_thread_and_its_target_is_visible_to_the_host() {
    if nvrtc_or_skip("a_panic_ends_the_thread_and_its_target_is_visible_to_the_host").is_none() {
        return;
    }
    let ptx = ptx(&assemble(&ADD, Variant::Checked), HOPPER, &FAST).unwrap();
    assert!(ptx.contains(".global .align 8 .b8 gr_target[24]"), "{ptx}");
    assert!(ptx.contains("exit;"), "{ptx}");
}

#[test]
fn an_error_in_the_source_names_the_rust_line() {
    if nvrtc_or_skip("an_error_in_the_source_names_the_rust_line").is_none() {
        return;
    }
    let error = cached_cubin(Compilers::installed(), None, &assemble(&WRONG, Variant::Checked), HOPPER, &FAST).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("kernel `wrong`"), "{message}");
    assert!(message.contains("src/main.rs:40: error: identifier \"missing\" is undefined in `out[0] = missing;`"), "{message}");
    let CompileError::Rejected { messages, log, cuda_source, .. } = error else { panic!("{error:?}") };
    assert_eq!(messages.len(), 1);
    assert!(log.contains("src/main.rs(40)") && cuda_source.as_str().contains("out[0] = missing;"), "{log}");
}

#[test]
fn a_gpu_newer_than_nvrtc_is_refused_with_both_names() {
    let Some(library) = nvrtc_or_skip("a_gpu_newer_than_nvrtc_is_refused_with_both_names") else { return };
    let future = Architecture { major: 99, minor: 0 }.into();
    let message = cubin(&assemble(&ADD, Variant::Checked), future, &FAST).unwrap_err().to_string();
    let (major, minor) = library.version();
    for part in ["sm_990".to_owned(), format!("NVRTC {major}.{minor}"), "newer".to_owned()] {
        assert!(message.contains(&part), "`{part}` is not in: {message}");
    }
    let past = cubin(&assemble(&ADD, Variant::Checked), Architecture { major: 3, minor: 0 }.into(), &FAST).unwrap_err().to_string();
    assert!(past.contains("sm_30") && past.contains("older"), "{past}");
}

#[test]
fn a_later_member_of_a_known_generation_gets_code_of_an_earlier_one() {
    let Some(library) = nvrtc_or_skip("a_later_member_of_a_known_generation_gets_code_of_an_earlier_one") else { return };
    assert_eq!(library.target_for(HOPPER), Ok(HOPPER));
    assert_eq!(library.target_for(Architecture { major: 9, minor: 9 }.into()), Ok(HOPPER));
}

#[test]
fn a_cached_cubin_is_used_as_it_is_and_a_broken_one_is_compiled_again() {
    if nvrtc_or_skip("a_cached_cubin_is_used_as_it_is_and_a_broken_one_is_compiled_again").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let program = assemble(&ADD, Variant::Checked);
    let compile = || cached_cubin(Compilers::installed(), Some(&store), &program, HOPPER, &FAST).unwrap();
    let fresh = compile();
    let entry = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let intact = fs::read(&entry).unwrap();

    // A mark that only the cache can have put there: an intact entry of other contents.
    let compiler = Compilers::installed().iter().find(|compiler| compiler.library().is_ok()).unwrap();
    let key = Key { program: key::program_hash(&program.key_text, &HOPPER, &FAST), compiler: compiler.identity().unwrap() };
    store.put(&key, b"marked");
    assert_eq!(compile(), b"marked");

    fs::write(&entry, &intact[..intact.len() / 2]).unwrap();
    assert_eq!(compile(), fresh);
    assert_eq!(fs::read(&entry).unwrap(), intact);
}

#[test]
fn without_nvrtc_a_kernel_runs_from_the_cache_and_else_says_what_to_install() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let none = Compilers::default();
    let program = assemble(&ADD, Variant::Checked);
    let error = cached_cubin(&none, Some(&store), &program, HOPPER, &FAST).unwrap_err();
    assert!(matches!(error, CompileError::NvrtcNotFound { .. }));
    assert!(error.to_string().contains("pip install nvidia-cuda-nvrtc"), "{error}");

    let key = Key { program: key::program_hash(&program.key_text, &HOPPER, &FAST), compiler: [7; 32] };
    store.put(&key, b"from another day");
    assert_eq!(cached_cubin(&none, Some(&store), &program, HOPPER, &FAST).unwrap(), b"from another day");
    let other = Options::with_fmad(false);
    assert!(cached_cubin(&none, Some(&store), &program, HOPPER, &other).is_err(), "other options are another program");
}

#[test]
fn options_reach_the_compiler() {
    if nvrtc_or_skip("options_reach_the_compiler").is_none() {
        return;
    }
    static SINE: SourceUnit = kernel(
        "sine",
        &[
            Segment::Text("extern \"C\" __global__ void sine(f32* x) {\n"),
            Segment::Line(77),
            Segment::Text("  x[threadIdx.x] = sinf(x[threadIdx.x]) / x[threadIdx.x + 1];\n}\n"),
        ],
    );
    let program = assemble(&SINE, Variant::Checked);
    let ptx_with = |kernel| ptx(&program, HOPPER, &Options { fmad: true, linked: false, kernel }).unwrap();
    let none = KernelOptions::DEFAULT;
    let (plain, fast) = (ptx_with(none), ptx_with(KernelOptions { fast_math: true, ..none }));
    assert!(!plain.contains("sin.approx") && plain.contains("div.rn.f32"), "{plain}");
    assert!(fast.contains("sin.approx.ftz.f32") && fast.contains("div.approx.ftz.f32"), "{fast}");
    let lines = ptx_with(KernelOptions { lineinfo: true, ..none });
    assert!(lines.contains("src/main.rs") && lines.contains(" 77 ") && !plain.contains("src/main.rs"), "{lines}");
}

#[test]
fn the_machine_code_follows_the_options() {
    if nvrtc_or_skip("the_machine_code_follows_the_options").is_none() {
        return;
    }
    // Sixty values that are all alive at once.
    static WIDE: SourceUnit = kernel(
        "wide",
        &[
            Segment::Text("extern \"C\" __global__ void wide(f32* x) {\n"),
            Segment::Line(31),
            Segment::Text(
                "  f32 s[60];\n  #pragma unroll\n  for (int i = 0; i < 60; i++) s[i] = x[i * 32];\n  __syncthreads();\n  \
                 #pragma unroll\n  for (int i = 0; i < 60; i++) x[i * 32 + 1] = s[59 - i] * s[i];\n}\n",
            ),
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    let compile = |program: &Program, kernel| {
        let options = Options { fmad: true, linked: false, kernel };
        cached_cubin(Compilers::installed(), Some(&store(folder.path())), program, HOPPER, &options).unwrap()
    };
    let program = assemble(&WIDE, Variant::Checked);
    let none = KernelOptions::DEFAULT;
    let plain = compile(&program, none);
    assert!(registers(&plain) > 32, "{}", registers(&plain));
    assert!(registers(&compile(&program, KernelOptions { max_registers: Some(32), ..none })) <= 32);
    assert_ne!(compile(&program, KernelOptions { opt: Some(0), ..none }), plain);

    // With an option in between, a kernel without is what it was.
    assert_eq!(compile(&program, none), plain);

    let lineinfo = KernelOptions { lineinfo: true, ..none };
    let with_lines = compile(&program, lineinfo);
    let names_the_file = |cubin: &[u8]| cubin.windows(7).any(|window| window == b"main.rs");
    assert!(names_the_file(&with_lines) && !names_the_file(&plain));
    // A kernel that moves within its file keeps its machine code, unless that has line numbers in it.
    let moved = Program { text: program.text.replace("#line 31", "#line 32"), ..assemble(&WIDE, Variant::Checked) };
    assert_ne!(moved.text, program.text);
    assert_eq!(compile(&moved, none), plain);
    assert_ne!(compile(&moved, lineinfo), with_lines);
}

/// The registers of the only kernel in a cubin: the attribute `EIATTR_REGCOUNT` is a list of a symbol's index and that number.
fn registers(cubin: &[u8]) -> u32 {
    let at = cubin.windows(4).position(|window| window == [0x04, 0x2f, 0x08, 0x00]).expect("a count of registers");
    u32::from_le_bytes(cubin[at + 8..at + 12].try_into().expect("4 bytes"))
}
