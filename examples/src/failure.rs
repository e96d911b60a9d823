//! Why an example ends with a non-zero exit code.

use std::error::Error;
use std::fmt;

/// Any error, or a message. It prints the message alone when `main` returns it, where `Box<dyn Error>` would print the
/// fields of the error's type.
pub struct Failure(Box<dyn Error>);

impl<E: Into<Box<dyn Error>>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Failure;

    #[test]
    fn a_message_is_printed_without_quotes() {
        assert_eq!(format!("{:?}", Failure::from("no root")), "no root");
    }
}
