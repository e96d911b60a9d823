//! The command line of an example: numbers such as `--n 1000`, and `--cpu`.

use gpu_runtime::Device;

/// The options that a program was called with.
#[derive(Debug, PartialEq)]
pub struct Arguments {
    numbers: Vec<(&'static str, usize)>,
    cpu: bool,
}

impl Arguments {
    /// Reads the command line, on which each of `names` (such as `--n`) may be followed by a number. `about` says what the
    /// program does, for `--help`. Ends the program after `--help` and after an argument that it does not know.
    #[must_use]
    pub fn parse(about: &str, names: &[&'static str]) -> Self {
        match Self::read(names, std::env::args().skip(1)) {
            Ok(Some(arguments)) => arguments,
            Ok(None) => {
                println!("{about}\n\nOptions:");
                names.iter().for_each(|name| println!("  {name} NUMBER"));
                println!("  --cpu    run on the CPU even where there is a GPU");
                std::process::exit(0)
            }
            Err(message) => {
                eprintln!("error: {message}\nhelp: `--help` lists the options");
                std::process::exit(2)
            }
        }
    }

    /// `None` where help is asked for.
    fn read(names: &[&'static str], mut words: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut arguments = Self { numbers: Vec::new(), cpu: false };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--help" | "-h" => return Ok(None),
                "--cpu" => arguments.cpu = true,
                _ => {
                    let name = names.iter().find(|name| **name == word).ok_or_else(|| format!("unknown argument `{word}`"))?;
                    let value = words.next().ok_or_else(|| format!("`{name}` needs a number"))?;
                    let number = value.replace('_', "").parse().ok().filter(|number| *number > 0);
                    arguments.numbers.push((name, number.ok_or_else(|| format!("`{name} {value}`: not a positive number"))?));
                }
            }
        }
        Ok(Some(arguments))
    }

    /// The number given for `name`, the last one if it was given twice.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<usize> {
        self.numbers.iter().rev().find(|(given, _)| *given == name).map(|(_, number)| *number)
    }

    /// Whether `--cpu` was given.
    #[must_use]
    pub fn cpu(&self) -> bool {
        self.cpu
    }

    /// The device to run on: the first GPU, or the CPU where there is none or `--cpu` was given.
    ///
    /// # Errors
    ///
    /// There is a GPU, and it does not work.
    pub fn device(&self) -> gpu_runtime::Result<Device> {
        if self.cpu { Ok(Device::cpu()) } else { Device::best() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Option<Arguments>, String> {
        Arguments::read(&["--n", "--m"], words.iter().map(ToString::to_string))
    }

    #[test]
    fn the_last_number_of_a_name_counts() {
        let arguments = read(&["--n", "3", "--cpu", "--n", "1_000"]).unwrap().unwrap();
        assert_eq!(arguments.number("--n"), Some(1000));
        assert_eq!(arguments.number("--m"), None);
        assert!(arguments.cpu);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        assert_eq!(read(&["--k", "3"]).unwrap_err(), "unknown argument `--k`");
        assert_eq!(read(&["--n"]).unwrap_err(), "`--n` needs a number");
        assert_eq!(read(&["--n", "0"]).unwrap_err(), "`--n 0`: not a positive number");
        assert_eq!(read(&["--n", "x"]).unwrap_err(), "`--n x`: not a positive number");
    }

    #[test]
    fn help_wins() {
        assert_eq!(read(&["--cpu", "-h"]), Ok(None));
    }
}
