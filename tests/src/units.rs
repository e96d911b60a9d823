//! Programs for NVRTC, many in one text: most of the time that a small text takes is the same for any.
//!
//! A [`Unit`] has the helpers that its programs share, and each program in a namespace of its own. So a program that lacks a helper or a
//! declaration is refused as it would be alone. Nobody looks at the machine code, so it is not optimized. What a namespace hides is a name
//! that means something in CUDA. So programs are alone, and in the very text that a launch compiles, where names or the user's own C are
//! what is tested; and so is one program of each topic.

use std::collections::HashSet;

use gpu_runtime::__private::{KernelOptions, Variant, unoptimized_cubin};
use gpu_runtime::{Error, Result};

use crate::bench::{Program, Source};

/// The topics whose kernels have names of CUDA, or C of the user's.
const ALONE: [&str; 2] = ["names", "foreign"];
/// The most programs of a unit.
const MOST: usize = 40;
const ARCHITECTURE: &str = "sm_90";

/// Programs that NVRTC compiles at once.
pub struct Unit<'a> {
    options: (bool, KernelOptions),
    /// Of all members. Empty where the only one is compiled as in a launch.
    helpers: &'a str,
    members: Vec<Member<'a>>,
}

struct Member<'a> {
    program: &'a Program,
    variant: Variant,
    functions: &'a str,
}

impl<'a> Unit<'a> {
    /// Every program with all checks, for several elements, and with indices of 32 bits, if it has these variants.
    pub fn of_all(programs: &'a [Program]) -> Vec<Self> {
        let mut units: Vec<Self> = Vec::new();
        let mut topics = HashSet::new();
        for program in programs {
            let variants = [
                (Variant::Checked, Some(&program.checked)),
                (Variant::SeveralElements, program.several_elements.as_ref()),
                (Variant::Narrow, program.narrow.as_ref()),
            ];
            for (variant, source) in variants.into_iter().filter_map(|(variant, source)| Some((variant, source?))) {
                let is_alone = topics.insert(program.topic) || ALONE.contains(&program.topic) || has_global_text(source);
                let helpers = if is_alone { "" } else { &source.helpers };
                let member = Member { program, variant, functions: &source.functions };
                let options = program.options;
                match units.iter_mut().find(|unit| !is_alone && unit.takes(options, helpers)) {
                    Some(unit) => unit.members.push(member),
                    None => units.push(Self { options, helpers, members: vec![member] }),
                }
            }
        }
        units
    }

    fn takes(&self, options: (bool, KernelOptions), helpers: &str) -> bool {
        self.options == options && self.helpers == helpers && self.members.len() < MOST
    }

    /// How many programs it has, with a kernel's variants counted.
    pub fn programs(&self) -> usize {
        self.members.len()
    }

    /// What NVRTC says against it; nothing if it compiles it to machine code.
    pub fn refusals(&self) -> Vec<String> {
        match &self.members[..] {
            [member] => member.compile().err().into_iter().collect(),
            members => {
                let (fmad, options) = self.options;
                let compiled = unoptimized_cubin(members[0].program.kernel, self.text(), fmad, options, ARCHITECTURE);
                let Err(error) = machine_code(compiled) else { return Vec::new() };
                let of_members: Vec<String> = members.iter().filter_map(|member| member.compile().err()).collect();
                if of_members.is_empty() { vec![format!("only together: {error}")] } else { of_members }
            }
        }
    }

    fn text(&self) -> String {
        let mut text = self.helpers.to_owned();
        for (number, member) in self.members.iter().enumerate() {
            // A namespace cannot have two functions with the same C name, and neither can two namespaces.
            let functions = member.functions.replace("extern \"C\" ", "");
            text.push_str(&format!("\nnamespace in_{number} {{\n{functions}\n}}\n"));
        }
        text
    }
}

impl Member<'_> {
    /// As a launch compiles it.
    fn compile(&self) -> std::result::Result<(), String> {
        machine_code((self.program.cubin)(self.variant, ARCHITECTURE))
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
