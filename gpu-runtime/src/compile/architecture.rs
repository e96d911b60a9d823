//! The architecture of a GPU, as compilers and devices name it.

use std::fmt;
use std::str::FromStr;

/// A compute capability, such as 9.0: the features of a GPU and the machine code that it runs.
///
/// Shown and parsed as CUDA's `sm_90`.
///
/// ```
/// use gpu_runtime::Architecture;
///
/// let hopper = Architecture { major: 9, minor: 0 };
/// assert_eq!(hopper.to_string(), "sm_90");
/// assert_eq!("sm_120".parse::<Architecture>()?, Architecture { major: 12, minor: 0 });
/// # Ok::<(), gpu_runtime::ParseArchitectureError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Architecture {
    /// The generation: 7 for Volta and Turing, 8 for Ampere and Ada, 9 for Hopper, 10 and 12 for Blackwell.
    pub major: u32,
    /// The member of the generation.
    pub minor: u32,
}

impl Architecture {
    /// Whether machine code for `self` runs on a `device` of that architecture: the same generation, no later member. CUDA guarantees this
    /// only between discrete GPUs, not if one is part of a Tegra.
    pub(crate) fn runs_on(self, device: Self) -> bool {
        self == device || self.major == device.major && self.minor < device.minor && !self.is_of_tegra() && !device.is_of_tegra()
    }

    /// Whether it is the architecture of a system on a chip: Jetson X1 and X2, Xavier, Orin, and both names of Thor.
    fn is_of_tegra(self) -> bool {
        matches!((self.major, self.minor), (5, 3) | (6, 2) | (7, 2) | (8, 7) | (10, 1) | (11, 0))
    }

    /// From one number, such as 90 or 120, as NVRTC and PTX write it.
    pub(crate) fn from_number(number: u32) -> Self {
        Self { major: number / 10, minor: number % 10 }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}{}", self.major, self.minor)
    }
}

/// The text is not an architecture of the form `sm_90`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a GPU architecture: write the generation and member after `sm_`, as in `sm_90`")]
pub struct ParseArchitectureError(String);

impl ParseArchitectureError {
    pub(super) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl FromStr for Architecture {
    type Err = ParseArchitectureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || ParseArchitectureError::new(text);
        let digits = text.strip_prefix("sm_").ok_or_else(refused)?;
        if !(2..=4).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(refused());
        }
        digits.parse().map(Self::from_number).map_err(|_| refused())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::Target;

    #[test]
    fn names_read_back_as_they_are_written() {
        for (major, minor) in [(5, 0), (7, 5), (9, 0), (10, 3), (12, 1)] {
            let architecture = Architecture { major, minor };
            assert_eq!(architecture.to_string().parse(), Ok(architecture));
        }
    }

    #[test]
    fn other_text_is_refused_with_an_example() {
        for text in ["", "90", "sm_", "sm_9", "sm_-90", "sm_9x", "sm_99999"] {
            let error = text.parse::<Architecture>().unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("sm_90"), "{error}");
        }
    }

    #[test]
    fn machine_code_runs_on_later_members_of_its_generation_only() {
        let architecture = Architecture::from_number;
        assert!(architecture(80).runs_on(architecture(86)));
        assert!(!architecture(86).runs_on(architecture(80)));
        assert!(!architecture(80).runs_on(architecture(90)));
    }

    #[test]
    fn the_nearest_architecture_is_none_of_a_tegra_but_the_devices_own() {
        // What NVRTC 11.6 and 12.8 know, and 13.0 in part.
        let early = [50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87];
        let late = [70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120];
        let latest = [75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121];
        let nearest = |known: &[u32], device: u32| {
            let known: Vec<_> = known.iter().copied().map(Architecture::from_number).collect();
            Target::from(Architecture::from_number(device)).nearest_of(&known).map(|target| target.architecture)
        };
        for (known, device, expected) in [
            (&early[..], 89, Some(86)),
            (&early, 87, Some(87)),
            (&late, 103, Some(100)),
            (&late, 101, Some(101)),
            (&late, 121, Some(120)),
            (&late, 110, None),
            (&latest, 110, Some(110)),
            (&latest, 101, None),
            (&latest, 103, Some(103)),
        ] {
            assert_eq!(nearest(known, device), expected.map(Architecture::from_number), "{device}");
        }
    }
}
