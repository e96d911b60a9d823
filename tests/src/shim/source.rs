//! From CUDA C to C++ that the host's compiler understands.
//!
//! Most of a program's text is helper functions, and most programs have the same. So programs with equal helpers form a [`Family`], whose
//! helpers are compiled once: they are in a namespace, and each program is in a namespace within it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::Write as _;

use crate::bench::{Program, Source};

/// Which names belong to the `number`-th program in one of its variants: the C function that runs it.
pub(super) fn name_to_run(variant: &str, number: usize) -> String {
    format!("run_{variant}_{number}")
}

/// The variants of a program that are compiled.
pub(super) struct Variants<'a> {
    /// The name of its C function.
    entry: &'static str,
    checked: &'a Source,
    /// If it is not the same.
    pub(super) unchecked: Option<&'a Source>,
    pub(super) several_elements: Option<&'a Source>,
    pub(super) narrow: Option<&'a Source>,
    /// The same with every check, if it is not the same.
    pub(super) narrow_checked: Option<&'a Source>,
}

impl<'a> Variants<'a> {
    pub(super) fn of(program: &'a Program) -> Self {
        let Program { entry, checked, unchecked, several_elements, narrow, narrow_checked, .. } = program;
        let unchecked = (unchecked != checked).then_some(unchecked);
        let narrow_checked = narrow_checked.as_ref().filter(|_| narrow_checked != narrow);
        Self { entry, checked, unchecked, several_elements: several_elements.as_ref(), narrow: narrow.as_ref(), narrow_checked }
    }

    fn sources(&self) -> impl Iterator<Item = (&'static str, &'a Source)> {
        let variants = [
            ("checked", Some(self.checked)),
            ("unchecked", self.unchecked),
            ("several_elements", self.several_elements),
            ("narrow", self.narrow),
            ("narrow_checked", self.narrow_checked),
        ];
        variants.into_iter().filter_map(|(variant, source)| Some((variant, source?)))
    }
}

/// The texts of C++ files that define a function for each variant of each program. There are several files, which are compiled at the same
/// time, and few, as the compiler takes a moment to start.
pub(super) fn write_all<'a>(programs: impl Iterator<Item = &'a Variants<'a>>) -> Vec<String> {
    const FILES: usize = 8;
    let mut families = Family::of_all(programs);
    families.sort_by_key(|family| Reverse(family.len()));
    let mut files = vec![String::new(); FILES.min(families.len())];
    for (number, family) in families.iter().enumerate() {
        let shortest = files.iter_mut().min_by_key(|file| file.len()).expect("the first family has a file");
        if shortest.is_empty() {
            shortest.push_str("#include \"cuda.h\"\n");
        }
        family.write(number, shortest);
    }
    files
}

/// Programs with the same helpers.
struct Family<'a> {
    helpers: Cow<'a, str>,
    members: Vec<Member<'a>>,
}

/// A variant of a program.
struct Member<'a> {
    /// Of the C function that runs it.
    name: String,
    /// The name of the kernel.
    entry: &'static str,
    functions: &'a str,
}

impl<'a> Family<'a> {
    fn of_all(programs: impl Iterator<Item = &'a Variants<'a>>) -> Vec<Self> {
        let mut families: Vec<Self> = Vec::new();
        for (number, variants) in programs.enumerate() {
            for (variant, source) in variants.sources() {
                let (helpers, functions) = divide(source);
                let member = Member { name: name_to_run(variant, number), entry: variants.entry, functions };
                match families.iter_mut().find(|family| family.helpers == helpers) {
                    Some(family) => family.members.push(member),
                    None => families.push(Self { helpers, members: vec![member] }),
                }
            }
        }
        families
    }

    fn len(&self) -> usize {
        self.helpers.len() + self.members.iter().map(|member| member.functions.len()).sum::<usize>()
    }

    fn write(&self, number: usize, text: &mut String) {
        let _ = write!(text, "\nnamespace family_{number} {{\n{}", translate(&self.helpers));
        for member in &self.members {
            self.write_member(member, text);
        }
        text.push_str("}\n#undef GR_COOPERATIVE\n");
    }

    /// Appends a program in a namespace of its own, and the C function that runs it.
    fn write_member(&self, Member { name, entry, functions }: &Member<'_>, text: &mut String) {
        let functions = translate(functions);
        let together = self.helpers.contains("struct gr_grid {");
        let _ = write!(
            text,
            "\nnamespace in_{name} {{\n{functions}\n\
             extern \"C\" void {name}(void** shim_arguments, const shim_coordinates* shim_grid, const shim_coordinates* shim_block, \
             shim_failure* shim_outcome) {{\n"
        );
        let run = format!(
            "shim_run([](void** shim_values) {{ shim_call({entry}, shim_values); }}, shim_arguments, shim_grid, shim_block, {together});"
        );
        let _ = if self.helpers.contains("gr_panic_target gr_target;") {
            writeln!(
                text,
                "  gr_record shim_record = {{}};\n  u32 shim_flags[2] = {{}};\n  gr_target = {{&shim_record, shim_flags, 0}};\n  {run}\n\
                 \x20 shim_report(shim_record, shim_outcome);\n}}\n}}"
            )
        } else {
            writeln!(text, "  {run}\n}}\n}}")
        };
    }
}

/// The helpers that a program may share, and the rest.
fn divide(source: &Source) -> (Cow<'_, str>, &str) {
    let Source { helpers, functions } = source;
    // A template can be specialized only in its own namespace.
    if functions.contains("template <>") { ((helpers.clone() + functions).into(), "") } else { (helpers.into(), functions) }
}

/// CUDA C as C++.
fn translate(source: &str) -> String {
    // In a namespace nothing can have C linkage of its own, and PTX's `exit` means nothing here.
    let source = without_parts_for_nvrtc(source)
        .replace("extern \"C\" {", "inline namespace globals {")
        .replace("extern \"C\" ", "")
        // As much as any block has.
        .replace(
            "extern __shared__ __align__(16) unsigned char gr_dynamic[];",
            "alignas(16) static thread_local unsigned char gr_dynamic[227 << 10];",
        )
        .replace("asm volatile(\"exit;\");", "shim_exit();")
        .replace("asm volatile(\"\");", "__asm__ __volatile__(\"\");")
        .replace(r#"asm volatile("exit; // %0" ::"n"(place));"#, "shim_exit();")
        .replace(r#"asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(&record->state) : "memory");"#, "record->state = 1u;")
        .replace(r#"asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));"#, "now = ++shim_time;")
        .replace(r#"asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(a));"#, "root = sqrtf(a);")
        .replace(r#"asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(a));"#, "power = exp2f(a);")
        .replace(r#"asm volatile("" ::"l"(&array) : "memory");"#, "(void)array;")
        // Nothing is in front of it.
        .replace(r#"asm volatile("griddepcontrol.wait;" ::: "memory");"#, "")
        // A value that the compiler must not know.
        .replace("asm volatile(\"\" :", "__asm__ __volatile__(\"\" :")
        // Threads run one after the other: there is nothing to order.
        .replace("asm volatile(\"fence.", "shim_fence(\"")
        .replace("\" ::: \"memory\");", "\");");
    assert!(!source.contains("asm "), "the shim does not know this assembly:\n{source}");
    source
}

/// Without what only NVRTC gets to see: the branches of conditions about its macros.
fn without_parts_for_nvrtc(source: &str) -> String {
    let mut kept = String::with_capacity(source.len());
    let mut open: Vec<Condition> = Vec::new();
    for line in source.lines() {
        if line.starts_with("#if") {
            open.push(Condition::of(line));
        }
        let is_condition = open.last_mut().is_some_and(|condition| condition.take(line));
        if !is_condition && open.iter().all(|condition| !condition.hides) {
            kept.push_str(line);
            kept.push('\n');
        }
        if line.starts_with("#endif") {
            open.pop();
        }
    }
    kept
}

/// A condition of the preprocessor.
struct Condition {
    /// It asks for a macro that only NVRTC defines.
    is_about_nvrtc: bool,
    /// It asks for its absence: the host's compiler gets the first branch, and else the last one.
    is_for_host: bool,
    /// The host's compiler does not get the branch that is open.
    hides: bool,
}

impl Condition {
    /// By the line that opens it.
    fn of(line: &str) -> Self {
        let is_about_nvrtc = line.contains("__CUDACC_RTC__") || line.contains("__CUDA_ARCH_FEAT_");
        let is_for_host = line.contains("!defined(");
        Self { is_about_nvrtc, is_for_host, hides: is_about_nvrtc && !is_for_host }
    }

    /// Takes a line in it, and says whether that belongs to the condition and goes with it.
    fn take(&mut self, line: &str) -> bool {
        if !self.is_about_nvrtc {
            return false;
        }
        if line.starts_with("#elif") {
            self.hides = true;
        } else if line == "#else" {
            self.hides = self.is_for_host;
        }
        ["#if", "#elif", "#else", "#endif"].iter().any(|word| line.starts_with(word))
    }
}
