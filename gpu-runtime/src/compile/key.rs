//! What a cached cubin depends on.
//!
//! A key has two halves. The *program* half covers the input: source, options, architecture, and the versions of this crate and of the file
//! format. The *compiler* half covers the NVRTC library. If NVRTC is installed, both must match, so an upgrade of CUDA recompiles. Without
//! NVRTC, the program half alone finds a cubin: any NVRTC that compiled this text for this architecture produced a correct cubin, and a
//! machine that lacks the compiler can still run the kernels that it has run before.

use std::fmt::Display;

use super::Options;

/// A SHA-256 over fields.
pub(crate) type Hash = [u8; 32];

/// The name of a cubin in the disk cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    /// What was compiled.
    pub(crate) program: Hash,
    /// What compiled it.
    pub(crate) compiler: Hash,
}

/// The program half of a key.
pub(crate) fn program_hash(key_text: &str, target: &dyn Display, options: &Options) -> Hash {
    let target = target.to_string();
    let mut fields = vec![env!("CARGO_PKG_VERSION"), key_text, &target];
    let options = options.arguments();
    fields.extend(options.iter().map(String::as_str));
    hash_fields("program", fields.into_iter().map(str::as_bytes))
}

/// The compiler half of a key.
pub(crate) fn compiler_hash<'a>(fields: impl IntoIterator<Item = &'a [u8]>) -> Hash {
    hash_fields("compiler", fields)
}

/// Every field goes in after its length, so that no two lists of fields have the same bytes.
fn hash_fields<'a>(kind: &'a str, fields: impl IntoIterator<Item = &'a [u8]>) -> Hash {
    let mut hasher = hmac_sha256::Hash::new();
    for field in std::iter::once(kind.as_bytes()).chain(fields) {
        hasher.update((field.len() as u64).to_le_bytes());
        hasher.update(field);
    }
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::KernelOptions;

    #[test]
    fn each_input_changes_the_program_hash() {
        let hash = |text: &str, target: &str| program_hash(text, &target, &Options::DEFAULT);
        let reference = hash("text", "sm_90");
        assert_eq!(reference, hash("text", "sm_90"));
        for (text, target) in [("texts", "sm_90"), ("text", "sm_91"), ("text", "sm_90a")] {
            assert_ne!(reference, hash(text, target), "{text} {target}");
        }
    }

    #[test]
    fn each_option_changes_the_program_hash() {
        let with = |kernel| Options { fmad: true, linked: false, kernel };
        let none = KernelOptions::DEFAULT;
        let options = [
            Options::DEFAULT,
            Options::with_fmad(false),
            with(KernelOptions { max_registers: Some(32), ..none }),
            with(KernelOptions { max_registers: Some(33), ..none }),
            with(KernelOptions { fast_math: true, ..none }),
            with(KernelOptions { opt: Some(0), ..none }),
            with(KernelOptions { opt: Some(3), ..none }),
            with(KernelOptions { lineinfo: true, ..none }),
        ];
        let hashes: std::collections::HashSet<Hash> = options.iter().map(|options| program_hash("text", &"sm_90", options)).collect();
        assert_eq!(hashes.len(), options.len());
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        let hash = |fields: &[&str]| compiler_hash(fields.iter().map(|field| field.as_bytes()));
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_ne!(hash(&["ab"]), hash(&["ab", ""]));
    }
}
