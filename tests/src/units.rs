//! Programs for NVRTC, many in one text: most of the time that a small text takes is the same for any.
//!
//! A [`Unit`] has a namespace for each `Family`, the programs with the same helpers, and in it a namespace for each program. So a program
//! that lacks a helper or a declaration is refused as it would be alone. Nobody looks at the machine code, so it is not optimized. What a
//! namespace hides is a name that means something in CUDA. So programs are alone, and in the very text that a launch compiles, where names
//! or the user's own C are what is tested; and so is one program of each topic.

use std::collections::HashSet;
use std::fmt::Write as _;

use gpu_runtime::__private::{KernelOptions, Variant, unoptimized_cubin};
use gpu_runtime::{Error, Result};

use crate::bench::{Program, Source};

/// The topics whose kernels have names of CUDA, or C of the user's.
const ALONE: [&str; 2] = ["names", "foreign"];
/// The most bytes of a unit of several families.
const MOST: usize = 250_000;

/// Programs that NVRTC compiles at once.
pub struct Unit<'a> {
    architecture: &'static str,
    options: (bool, KernelOptions),
    /// One with one member is compiled as in a launch.
    families: Vec<Family<'a>>,
}

/// Programs with the same helpers.
struct Family<'a> {
    options: (bool, KernelOptions),
    helpers: &'a str,
    members: Vec<Member<'a>>,
}

struct Member<'a> {
    program: &'a Program,
    variant: Variant,
    functions: &'a str,
}

impl<'a> Unit<'a> {
    /// Every program for an architecture: with all checks, for several elements, and with indices of 32 bits, if it has these variants.
    pub fn of_all(programs: impl IntoIterator<Item = &'a Program>, architecture: &'static str) -> Vec<Self> {
        let (mut families, mut alone) = (Vec::<Family<'a>>::new(), Vec::new());
        let mut topics = HashSet::new();
        for program in programs {
            let variants = [
                (Variant::Checked, Some(&program.checked)),
                (Variant::SeveralElements, program.several_elements.as_ref()),
                (Variant::Narrow(u32::MAX), program.narrow.as_ref()),
            ];
            for (variant, source) in variants.into_iter().filter_map(|(variant, source)| Some((variant, source?))) {
                let options = program.options;
                let member = Member { program, variant, functions: &source.functions };
                let is_alone = topics.insert(program.topic) || ALONE.contains(&program.topic) || has_global_text(source);
                let family = families.iter_mut().find(|family| family.options == options && family.helpers == source.helpers);
                match family.filter(|_| !is_alone) {
                    Some(family) => family.members.push(member),
                    None => {
                        let list = if is_alone { &mut alone } else { &mut families };
                        list.push(Family { options, helpers: &source.helpers, members: vec![member] });
                    }
                }
            }
        }
        let mut units: Vec<Self> = Vec::new();
        for family in families {
            match units.iter_mut().find(|unit| unit.options == family.options && unit.len() + family.len() <= MOST) {
                Some(unit) => unit.families.push(family),
                None => units.push(Self::new(family, architecture)),
            }
        }
        units.extend(alone.into_iter().map(|family| Self::new(family, architecture)));
        units
    }

    fn new(family: Family<'a>, architecture: &'static str) -> Self {
        Self { architecture, options: family.options, families: vec![family] }
    }

    fn members(&self) -> impl Iterator<Item = &Member<'a>> {
        self.families.iter().flat_map(|family| &family.members)
    }

    fn len(&self) -> usize {
        self.families.iter().map(Family::len).sum()
    }

    /// How many programs it has, with a kernel's variants counted.
    pub fn programs(&self) -> usize {
        self.members().count()
    }

    /// What NVRTC says against it; nothing if it compiles it to machine code.
    pub fn refusals(&self) -> Vec<String> {
        let members: Vec<&Member<'_>> = self.members().collect();
        if let [member] = members[..] {
            return member.compile(self.architecture).err().into_iter().collect();
        }
        let (fmad, options) = self.options;
        let compiled = unoptimized_cubin(members[0].program.kernel, self.text(), fmad, options, self.architecture);
        let Err(error) = machine_code(compiled) else { return Vec::new() };
        let of_members: Vec<String> = members.iter().filter_map(|member| member.compile(self.architecture).err()).collect();
        if of_members.is_empty() { vec![format!("only together: {error}")] } else { of_members }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (number, family) in self.families.iter().enumerate() {
            let _ = writeln!(text, "namespace family_{number} {{");
            family.write(&mut text);
            text.push_str("}\n#undef GR_COOPERATIVE\n");
        }
        text
    }
}

impl Family<'_> {
    fn len(&self) -> usize {
        self.helpers.len() + self.members.iter().map(|member| member.functions.len()).sum::<usize>()
    }

    /// A namespace cannot have two functions with the same C name, and neither can two namespaces: nothing has C linkage.
    fn write(&self, text: &mut String) {
        text.push_str(&self.helpers.replace("extern \"C\" {", "inline namespace globals {"));
        for (number, member) in self.members.iter().enumerate() {
            let functions = member.functions.replace("extern \"C\" ", "");
            let _ = writeln!(text, "\nnamespace in_{number} {{\n{functions}\n}}");
        }
    }
}

impl Member<'_> {
    /// As a launch compiles it.
    fn compile(&self, architecture: &str) -> std::result::Result<(), String> {
        machine_code((self.program.cubin)(self.variant, architecture))
            .map_err(|error| format!("{} ({:?}): {error}", self.program.kernel, self.variant))
    }
}

/// Whether a text has what cannot be in a namespace, or would reach beyond it: specialisations, directives, linkage other than the kernel's.
fn has_global_text(Source { functions, .. }: &Source) -> bool {
    functions.contains("template <>") || functions.contains("\n#") || functions.matches("extern \"C\"").count() > 1
}

fn machine_code(compiled: Result<Vec<u8>>) -> std::result::Result<(), String> {
    match compiled {
        Ok(cubin) if cubin.starts_with(b"\x7fELF") => Ok(()),
        Ok(_) => Err("not machine code".to_owned()),
        Err(Error::Compile(error)) => Err(format!("{error}\n{error:?}")),
        Err(error) => Err(error.to_string()),
    }
}
