use super::*;
use crate::compile::{self, Variant, assemble};
use crate::source::{Features, KernelOptions, Segment, Sites, SourceUnit};

static UNIT: SourceUnit = SourceUnit {
    name: "k",
    prototype: &[],
    body: &[Segment::Text("extern \"C\" __global__ void k() {}\n")],
    snippets: &[],
    sites: &Sites::NONE,
    several_elements: false,
};

fn target(name: &str) -> BundleTarget {
    BundleTarget::parse(name).unwrap()
}

/// A bundle that has the name of each target as the code for it.
fn bundle(targets: &[&str], options: &Options) -> Vec<u8> {
    let program = assemble(&UNIT, Variant::Checked);
    let entries: Vec<_> =
        targets.iter().map(|&name| (hash(&program, target(name), options), target(name), name.as_bytes().to_vec())).collect();
    write(&entries)
}

fn found(index: &Index, device: u32, options: &Options) -> Option<String> {
    let program = assemble(&UNIT, Variant::Checked);
    let (_, code) = index.find(&program, Architecture::from_number(device), options)?;
    Some(String::from_utf8(code.to_vec()).unwrap())
}

#[test]
fn a_device_gets_its_own_code_then_that_of_its_generation_then_ptx() {
    let index = Index::read(bundle(&["compute_80", "sm_80", "sm_90", "sm_90a", "compute_90"], &Options::DEFAULT).into()).unwrap();
    for (device, expected) in
        [(80, Some("sm_80")), (86, Some("sm_80")), (90, Some("sm_90")), (100, Some("compute_90")), (120, Some("compute_90")), (75, None)]
    {
        let found = found(&index, device, &Options::DEFAULT);
        // Both targets have the same architecture.
        assert_eq!(found.as_deref().map(|name| name.trim_end_matches('a')), expected, "{device}");
    }
}

#[test]
fn a_program_with_other_options_is_not_found() {
    let index = Index::read(bundle(&["sm_90"], &Options::DEFAULT).into()).unwrap();
    assert_eq!(found(&index, 90, &Options::DEFAULT).as_deref(), Some("sm_90"));
    assert_eq!(found(&index, 90, &Options::with_fmad(false)), None);
}

#[test]
fn a_kernel_that_asks_for_a_suffix_gets_it_in_the_targets_that_have_it() {
    let options =
        Options { kernel: KernelOptions { features: Some(Features::Architecture), ..KernelOptions::DEFAULT }, ..Options::DEFAULT };
    let with_features = |name: &str, options| target(name).with_features_of(options).to_string();
    assert_eq!(with_features("sm_90", &options), "sm_90a");
    assert_eq!(with_features("sm_80", &options), "sm_80");
    assert_eq!(with_features("compute_100", &options), "compute_100a");
    let tiles = Options { kernel: KernelOptions { has_tiles: true, ..KernelOptions::DEFAULT }, ..Options::DEFAULT };
    for (name, expected) in [("sm_90", "sm_90a"), ("compute_90", "compute_90"), ("sm_100", "sm_100"), ("sm_80", "sm_80")] {
        assert_eq!(with_features(name, &tiles), expected);
    }
    assert_eq!(with_features("sm_90a", &Options::DEFAULT), "sm_90a", "the target says so itself");
    assert_eq!(target("compute_90a").rank_on(Architecture::from_number(100)), None);
}

#[test]
fn bytes_that_are_no_bundle_are_refused() {
    let intact = bundle(&["sm_90"], &Options::DEFAULT);
    let reason = |bytes: &[u8]| Index::read(bytes.to_vec().into()).map(drop).unwrap_err().to_string();
    for length in [0, 8, 39, intact.len() - 1] {
        assert!(reason(&intact[..length]).contains("bundle"), "{length}");
    }
    for changed in 0..intact.len() {
        let mut bytes = intact.clone();
        bytes[changed] ^= 1;
        assert!(reason(&bytes).contains("bundle"), "{changed}");
    }
    // With a checksum that is right.
    let mut short = intact[..intact.len() - HASH_BYTES - 1].to_vec();
    let checksum: Hash = hmac_sha256::Hash::hash(&short);
    short.extend_from_slice(&checksum);
    assert!(reason(&short).contains("an entry is incomplete"));
}

#[test]
fn what_was_loaded_needs_no_compiler() {
    // Options that no other test has, because what is loaded stays.
    let options = Options { kernel: KernelOptions { max_registers: Some(77), ..KernelOptions::DEFAULT }, ..Options::DEFAULT };
    load(Index::read(bundle(&["sm_990", "compute_990"], &options).into()).unwrap());
    let code = |device: u32| {
        let code = compile::code_for(&assemble(&UNIT, Variant::Checked), Architecture::from_number(device), &options);
        code.map(|code| (code.format, code.bytes))
    };
    assert_eq!(code(990).unwrap(), (CodeFormat::Cubin, b"sm_990".to_vec()));
    assert_eq!(code(1200).unwrap(), (CodeFormat::Ptx, b"compute_990".to_vec()));
    assert!(code(980).is_err(), "no compiler knows it");
}

#[test]
fn targets_read_back_as_they_are_written() {
    for name in ["sm_75", "sm_90a", "compute_90", "compute_100f"] {
        assert_eq!(target(name).to_string(), name);
    }
    for name in ["compute_", "compute_sm_90", "90", "compute_80a"] {
        let error = BundleTarget::parse(name).unwrap_err().to_string();
        assert!(error.contains(&format!("`{name}`")), "{error}");
    }
}
