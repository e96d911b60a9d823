//! What messages call an instance of a generic kernel: `axpy::<f32>`, `tiled::<16>`.

/// The longest name. What does not fit is left out.
const CAPACITY: usize = 192;

/// A name that is put together while the program is compiled, as it depends on what a kernel is generic over.
#[derive(Debug, Clone, Copy)]
pub struct InstanceName {
    bytes: [u8; CAPACITY],
    len: usize,
    arguments: usize,
}

impl InstanceName {
    /// The kernel's name, to which an argument for each of its parameters is added.
    #[must_use]
    pub const fn new(kernel: &str) -> Self {
        Self { bytes: [0; CAPACITY], len: 0, arguments: 0 }.push(kernel)
    }

    /// Adds the name of a type, or `true` or `false`.
    #[must_use]
    pub const fn text(self, argument: &str) -> Self {
        self.begin_argument().push(argument)
    }

    /// Adds a number.
    #[must_use]
    pub const fn integer(self, value: i128) -> Self {
        let begun = self.begin_argument();
        let signed = if value < 0 { begun.push("-") } else { begun };
        signed.digits(value.unsigned_abs())
    }

    /// Closes the list of arguments.
    #[must_use]
    pub const fn finish(self) -> Self {
        if self.arguments == 0 { self } else { self.push(">") }
    }

    /// The name.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => panic!("only whole strings are added"),
        }
    }

    const fn begin_argument(self) -> Self {
        let separated = self.push(if self.arguments == 0 { "::<" } else { ", " });
        Self { arguments: separated.arguments + 1, ..separated }
    }

    const fn digits(self, value: u128) -> Self {
        let before = if value >= 10 { self.digits(value / 10) } else { self };
        let digit = [b'0' + (value % 10) as u8];
        match std::str::from_utf8(&digit) {
            Ok(digit) => before.push(digit),
            Err(_) => before,
        }
    }

    const fn push(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        if self.len + text.len() <= CAPACITY {
            let mut index = 0;
            while index < text.len() {
                self.bytes[self.len + index] = text[index];
                index += 1;
            }
            self.len += text.len();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::InstanceName;

    #[test]
    fn a_name_lists_its_arguments_as_a_call_would() {
        const NAME: InstanceName = InstanceName::new("tiled").text("f32").integer(16).text("true").integer(-105).finish();
        assert_eq!(NAME.as_str(), "tiled::<f32, 16, true, -105>");
        assert_eq!(InstanceName::new("axpy").text("f64").finish().as_str(), "axpy::<f64>");
        assert_eq!(InstanceName::new("plain").finish().as_str(), "plain");
    }

    #[test]
    fn a_name_too_long_stays_whole_text() {
        let long = "é".repeat(150);
        assert_eq!(InstanceName::new(&long).text("f32").finish().as_str(), "::<f32>");
    }
}
