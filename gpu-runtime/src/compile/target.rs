//! What machine code is compiled for: an architecture, and whether the code may use what later architectures lack.

use std::fmt;
use std::str::FromStr;

use super::{Architecture, ParseArchitectureError};
use crate::source::Features;

/// The first architecture that has such instructions.
const fn first_with(features: Features) -> Architecture {
    match features {
        Features::Architecture => Architecture { major: 9, minor: 0 },
        Features::Family => Architecture { major: 10, minor: 0 },
    }
}

const fn suffix(features: Features) -> &'static str {
    match features {
        Features::Architecture => "a",
        Features::Family => "f",
    }
}

/// A target of the compiler, such as `sm_90` or `sm_90a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub(crate) architecture: Architecture,
    pub(crate) features: Option<Features>,
}

impl Target {
    /// For a kernel that asks for `features`. Architectures that are older than all of these have none to use.
    pub(crate) fn of(architecture: Architecture, features: Option<Features>) -> Self {
        Self { architecture, features: features.filter(|features| architecture >= first_with(*features)) }
    }

    /// Whether machine code for it runs on a `device` of that architecture.
    pub(crate) fn runs_on(self, device: Architecture) -> bool {
        match self.features {
            Some(Features::Architecture) => self.architecture == device,
            Some(Features::Family) | None => self.architecture.runs_on(device),
        }
    }

    /// The target with the latest of the architectures `known`, which are in order, whose machine code runs where that for this one does.
    pub(crate) fn nearest_of(self, known: &[Architecture]) -> Option<Self> {
        let targets = known.iter().rev().map(|&architecture| Self { architecture, ..self });
        targets.into_iter().find(|target| target.runs_on(self.architecture))
    }
}

impl From<Architecture> for Target {
    fn from(architecture: Architecture) -> Self {
        Self { architecture, features: None }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.architecture, self.features.map_or("", suffix))
    }
}

impl FromStr for Target {
    type Err = ParseArchitectureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        for features in [Features::Architecture, Features::Family] {
            if let Some(plain) = text.strip_suffix(suffix(features)) {
                let architecture: Architecture = plain.parse().map_err(|_| ParseArchitectureError::new(text))?;
                return match Self::of(architecture, Some(features)) {
                    Self { features: Some(_), .. } => Ok(Self { architecture, features: Some(features) }),
                    Self { features: None, .. } => Err(ParseArchitectureError::new(text)),
                };
            }
        }
        text.parse().map(|architecture: Architecture| architecture.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str) -> Target {
        name.parse().unwrap()
    }

    #[test]
    fn names_read_back_as_they_are_written_and_other_suffixes_are_refused() {
        for name in ["sm_75", "sm_90", "sm_90a", "sm_100f", "sm_120a"] {
            assert_eq!(target(name).to_string(), name);
        }
        for name in ["sm_80a", "sm_90f", "sm_90b", "a", "sm_a", "90a"] {
            let error = name.parse::<Target>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{name}`")), "{error}");
        }
    }

    #[test]
    fn what_only_some_architectures_have_runs_on_these_only() {
        let runs_on = |name: &str, device: u32| target(name).runs_on(Architecture::from_number(device));
        assert!(runs_on("sm_90a", 90) && !runs_on("sm_100a", 103) && !runs_on("sm_90a", 100));
        assert!(runs_on("sm_100f", 103) && !runs_on("sm_103f", 100) && !runs_on("sm_100f", 120));
        assert!(runs_on("sm_80", 86));
    }

    #[test]
    fn a_kernel_that_asks_for_features_gets_those_that_exist() {
        let of = |device, features| Target::of(Architecture::from_number(device), features).to_string();
        assert_eq!(of(90, Some(Features::Architecture)), "sm_90a");
        assert_eq!(of(86, Some(Features::Architecture)), "sm_86");
        assert_eq!(of(90, Some(Features::Family)), "sm_90");
        assert_eq!(of(103, Some(Features::Family)), "sm_103f");
        assert_eq!(of(103, None), "sm_103");
    }

    #[test]
    fn the_nearest_target_keeps_its_features() {
        let known = [80, 90, 100].map(Architecture::from_number);
        let nearest = |name: &str| target(name).nearest_of(&known).map(|target| target.to_string());
        assert_eq!(nearest("sm_90a").as_deref(), Some("sm_90a"));
        assert_eq!(nearest("sm_103f").as_deref(), Some("sm_100f"));
        assert_eq!(nearest("sm_103a"), None, "code for sm_100a does not run there");
        assert_eq!(nearest("sm_86").as_deref(), Some("sm_80"));
    }
}
