//! Kernels that the driver starts before the one in front is done: programmatic dependent launches.
//!
//! Between two kernels of a stream, the GPU is idle for about a microsecond: the second is fetched and its blocks are made after the last
//! write of the first has arrived in memory. From compute capability 9.0 on, a launch may say that its kernel does not rely on that. Its blocks
//! then start when the last block in front has ended, and its first statement, `griddepcontrol.wait`, waits for the writes.
//!
//! # Who says so
//!
//! The macros and the runtime write that statement at the start of all their kernels, as [`Segment::Start`](crate::source::Segment::Start).
//! Every thread executes it before it accesses memory, so a kernel sees everything that the one in front has done, and as that one has waited
//! too, everything before it. A launch of such a kernel has the attribute. A kernel that the user has written in CUDA C or PTX has not
//! the statement, a cooperative launch does not need it: they start when the one in front is done, as do copies, events and calls of the host.
//! What is in front of a kernel that starts early may be anything.
//!
//! In a graph, an edge says it: the one to a kernel that follows one kernel only. Where several edges go to a kernel, or several from
//! one, full ones are as quick or quicker (measured on an H200).
//!
//! # Why no kernel lets the next one start earlier
//!
//! `griddepcontrol.launch_dependents` at the start of a kernel lets the blocks of the next one come to multiprocessors that have room. They wait
//! there, and keep out the kernels of other streams: ten kernels of 20 µs beside one of 1 ms on 8 multiprocessors took 1.17 ms
//! instead of 0.2 ms. A kernel of many blocks took up to twice as long with it, and a chain of small ones gained nothing more.

use std::sync::OnceLock;

use super::sys;
use crate::compile::{Architecture, Code, CodeFormat, Program};

/// Whether launches of `program`, compiled to `code` for a GPU of that architecture, may start early.
pub(super) fn is_possible(program: &Program, code: &Code, architecture: Architecture) -> bool {
    const WAIT: &[u8] = b"griddepcontrol.wait";
    let has_wait = || match code.format {
        // It is of the GPU's generation.
        CodeFormat::Cubin => architecture.major >= 9,
        // It may be of an earlier one.
        CodeFormat::Ptx => code.bytes.windows(WAIT.len()).any(|bytes| bytes == WAIT),
    };
    program.waits_for_previous && has_wait() && is_on()
}

fn is_on() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| std::env::var_os("GPU_RUNTIME_EARLY_START").is_none_or(|value| value != "off"))
}

/// What says so in a launch.
pub(super) fn attribute() -> sys::CUlaunchAttribute {
    sys::CUlaunchAttribute {
        id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        pad: [0; 4],
        value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
    }
}

/// Whether graphs can have such edges: from CUDA 12.3 on.
pub(super) fn has_edges() -> bool {
    sys::functions().cuGraphAddDependencies_v2.is_there()
}

/// Adds the edge that says so in a graph.
///
/// # Safety
///
/// Both are nodes of `graph`, kernels, without an edge between them.
pub(super) unsafe fn add_edge(graph: sys::CUgraph, from: sys::CUgraphNode, to: sys::CUgraphNode) -> sys::Status {
    // From when the blocks of the kernel have ended.
    let edge = sys::EdgeData { from_port: 1, to_port: 0, kind: 1, reserved: [0; 5] };
    // SAFETY: the caller guarantees the nodes; the driver copies what the pointers refer to.
    unsafe { sys::call!((cuGraphAddDependencies_v2: sys::AddDependencies)(graph, &from, &to, &edge, 1)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::nvrtc::testing::nvrtc_or_skip;
    use crate::compile::{Options, Variant, assemble, ptx};
    use crate::source::{Segment, Sites, SourceUnit};

    const HEAD: Segment = Segment::Text("extern \"C\" __global__ void k(const f32* __restrict__ x, f32* __restrict__ out) {\n");
    const BODY: Segment = Segment::Text("  out[threadIdx.x] = x[threadIdx.x + 1];\n}\n");

    const fn unit(body: &'static [Segment]) -> SourceUnit {
        SourceUnit { name: "k", prototype: &[], body, snippets: &[], sites: &Sites::NONE, several_elements: false }
    }

    static WAITS: SourceUnit = unit(&[HEAD, Segment::Start, BODY]);
    static DOES_NOT: SourceUnit = unit(&[HEAD, BODY]);

    #[test]
    fn a_kernel_starts_early_if_its_code_waits() {
        let cases = [
            (&WAITS, CodeFormat::Cubin, "", 90, true),
            (&WAITS, CodeFormat::Cubin, "", 120, true),
            (&WAITS, CodeFormat::Cubin, "", 89, false),
            (&WAITS, CodeFormat::Ptx, "\tgriddepcontrol.wait;\n", 100, true),
            (&WAITS, CodeFormat::Ptx, "\tret;\n", 90, false),
            (&DOES_NOT, CodeFormat::Cubin, "", 90, false),
            (&DOES_NOT, CodeFormat::Ptx, "\tgriddepcontrol.wait;\n", 90, false),
        ];
        for (unit, format, text, architecture, expected) in cases {
            let code = Code { format, bytes: text.as_bytes().to_vec() };
            let program = assemble(unit, Variant::Checked);
            let possible = is_possible(&program, &code, Architecture::from_number(architecture));
            assert_eq!(possible, expected && is_on(), "{text:?} for {architecture}: {}", program.key_text);
        }
    }

    #[test]
    fn a_kernel_waits_before_it_reads_memory_and_not_on_earlier_gpus() {
        if nvrtc_or_skip("a_kernel_waits_before_it_reads_memory_and_not_on_earlier_gpus").is_none() {
            return;
        }
        let text = |number| ptx(&assemble(&WAITS, Variant::Checked), Architecture::from_number(number).into(), &Options::DEFAULT).unwrap();
        let hopper = text(90);
        let (wait, read) = (hopper.find("griddepcontrol.wait"), hopper.find("ld.global"));
        assert!(wait.is_some() && wait < read, "{hopper}");
        assert!(!text(80).contains("griddepcontrol"), "{}", text(80));
    }
}
