//! Kernels that were compiled ahead of time: many programs for several targets, in one piece of bytes.
//!
//! An entry has the hash of its program, as a file of the disk cache does. So a bundle that was made from another source, with other
//! options or with another version of this crate is never mistaken for this one: its entries are not found, and NVRTC compiles the kernel.
//!
//! ```text
//! magic, then for each entry: hash, format, target, length, code; then the checksum of all this
//! ```

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use super::key::{self, Hash};
use super::{Architecture, CompileError, Options, Program, Target};
use crate::insertion_sort::insertion_sort;

/// The first bytes. The last of them is the version of the format.
const MAGIC: [u8; 8] = *b"gpubndl\x01";
const HASH_BYTES: usize = size_of::<Hash>();
/// The longest name of a target, `compute_1000a`, fits. The rest is filled with zeros.
const TARGET_BYTES: usize = 16;

/// What a target of a bundle gives: machine code, or PTX that the driver compiles for GPUs which are newer than the bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CodeFormat {
    Cubin,
    Ptx,
}

/// A target of a bundle: `sm_90`, `sm_90a` or `compute_90`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BundleTarget {
    pub(crate) format: CodeFormat,
    pub(crate) target: Target,
}

impl BundleTarget {
    pub(crate) fn parse(name: &str) -> Result<Self, super::ParseArchitectureError> {
        match name.strip_prefix("compute_") {
            None => Ok(Self { format: CodeFormat::Cubin, target: name.parse()? }),
            Some(number) => {
                let target = format!("sm_{number}").parse().map_err(|_| super::ParseArchitectureError::new(name))?;
                Ok(Self { format: CodeFormat::Ptx, target })
            }
        }
    }

    /// With the features for which a kernel asks.
    pub(crate) fn with_features_of(self, options: &Options) -> Self {
        let wanted = match self.format {
            CodeFormat::Cubin => options.target_for(self.target.architecture),
            // PTX is for later architectures, unless the kernel itself asks for this one.
            CodeFormat::Ptx => Target::of(self.target.architecture, options.kernel.features),
        };
        let wanted = wanted.features;
        Self { target: Target { features: self.target.features.or(wanted), ..self.target }, ..self }
    }

    /// How well code for this target suits a device, if it runs there: machine code before PTX, the latest architecture first.
    fn rank_on(self, device: Architecture) -> Option<(bool, Architecture)> {
        let runs = match (self.format, self.target.features) {
            (CodeFormat::Ptx, None) => self.target.architecture <= device,
            _ => self.target.runs_on(device),
        };
        runs.then_some((self.format == CodeFormat::Cubin, self.target.architecture))
    }
}

impl fmt::Display for BundleTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.target.to_string();
        match self.format {
            CodeFormat::Cubin => f.write_str(&name),
            CodeFormat::Ptx => write!(f, "compute_{}", name.trim_start_matches("sm_")),
        }
    }
}

/// The hash of a program for a target.
pub(crate) fn hash(program: &Program, target: BundleTarget, options: &Options) -> Hash {
    let options = options.for_program(program);
    key::program_hash(program.deciding_text(options.keep_lines()), &target, &options)
}

/// Writes a bundle.
pub(crate) fn write(entries: &[(Hash, BundleTarget, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for (hash, target, code) in entries {
        let mut name = [0; TARGET_BYTES];
        let text = target.to_string();
        name[..text.len()].copy_from_slice(text.as_bytes());
        bytes.extend_from_slice(hash);
        bytes.extend_from_slice(&name);
        bytes.extend_from_slice(&(code.len() as u64).to_le_bytes());
        bytes.extend_from_slice(code);
    }
    let checksum: Hash = hmac_sha256::Hash::hash(&bytes);
    bytes.extend_from_slice(&checksum);
    bytes
}

/// A bundle whose code is found by its hash.
pub(crate) struct Index {
    bytes: Cow<'static, [u8]>,
    code: HashMap<Hash, (BundleTarget, Range<usize>)>,
    /// Each once.
    targets: Vec<BundleTarget>,
}

impl Index {
    /// Reads what [`write`] wrote.
    pub(crate) fn read(bytes: Cow<'static, [u8]>) -> Result<Self, CompileError> {
        let invalid = |reason: &str| CompileError::InvalidBundle { reason: reason.to_owned() };
        let Some(end) = bytes.len().checked_sub(HASH_BYTES).filter(|end| *end >= MAGIC.len() && bytes.starts_with(&MAGIC)) else {
            return Err(invalid("the bytes were not written by `Bundle::compile` of this version"));
        };
        if hmac_sha256::Hash::hash(&bytes[..end]) != bytes[end..] {
            return Err(invalid("the checksum differs: some of the bytes are missing or changed"));
        }
        let (mut code, mut targets, mut at) = (HashMap::new(), Vec::new(), MAGIC.len());
        while at < end {
            let entry = read_entry(&bytes[..end], at).ok_or_else(|| invalid("an entry is incomplete"))?;
            at = entry.code.end;
            if !targets.contains(&entry.target) {
                targets.push(entry.target);
            }
            code.insert(entry.hash, (entry.target, entry.code));
        }
        Ok(Self { bytes, code, targets })
    }

    /// The code of `program` that suits the device best.
    fn find(&self, program: &Program, device: Architecture, options: &Options) -> Option<(CodeFormat, &[u8])> {
        let mut targets: Vec<_> = self.targets.iter().filter_map(|target| Some((target.rank_on(device)?, *target))).collect();
        insertion_sort(&mut targets, |(a, _), (b, _)| a > b);
        targets.into_iter().find_map(|(_, target)| {
            let (_, range) = self.code.get(&hash(program, target, options))?;
            Some((target.format, &self.bytes[range.clone()]))
        })
    }
}

struct Entry {
    hash: Hash,
    target: BundleTarget,
    code: Range<usize>,
}

fn read_entry(bytes: &[u8], at: usize) -> Option<Entry> {
    let (hash, rest) = bytes.get(at..)?.split_first_chunk::<HASH_BYTES>()?;
    let (name, rest) = rest.split_first_chunk::<TARGET_BYTES>()?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok().filter(|length| *length <= rest.len())?;
    let start = bytes.len() - rest.len();
    let name = std::str::from_utf8(name).ok()?.trim_end_matches('\0');
    Some(Entry { hash: *hash, target: BundleTarget::parse(name).ok()?, code: start..start + length })
}

/// Those that the program has loaded. They are only added to, and found by what was compiled, so two users of them do not disturb each
/// other.
static LOADED: RwLock<Vec<Index>> = RwLock::new(Vec::new());

/// Lets later first launches find the kernels of a bundle.
pub(crate) fn load(index: Index) {
    LOADED.write().unwrap_or_else(PoisonError::into_inner).push(index);
}

/// The code of `program` for a device, from a bundle that was loaded.
pub(super) fn find(program: &Program, device: Architecture, options: &Options) -> Option<(CodeFormat, Vec<u8>)> {
    let loaded = LOADED.read().unwrap_or_else(PoisonError::into_inner);
    loaded.iter().find_map(|index| index.find(program, device, options)).map(|(format, code)| (format, code.to_vec()))
}

#[cfg(test)]
#[path = "bundle_tests.rs"]
mod tests;
