//! Methods that `Option` and `Result` have in common, where the macro does not see which of the two a value is.

/// An `Option` or a `Result`, of which generated code takes the value.
#[diagnostic::on_unimplemented(message = "this is a method of `Option` and `Result`, but a `{Self}` is neither", label = "a `{Self}`")]
pub trait Either {
    /// What is in `Some` or `Ok`.
    type Value;
    /// What is in `Err`.
    type Rest;

    /// The value, or the rest.
    fn into_result(self) -> Result<Self::Value, Self::Rest>;

    /// A place of the type of what is in `Some` or `Ok`, for the types of expressions that nothing evaluates.
    fn value(&self) -> &'static mut Self::Value
    where
        Self::Value: 'static,
    {
        unreachable!("only its type is used")
    }

    /// The same of what is in `Err`.
    fn rest(&self) -> &'static mut Self::Rest
    where
        Self::Rest: 'static,
    {
        unreachable!("only its type is used")
    }
}

impl<T> Either for Option<T> {
    type Value = T;
    type Rest = ();

    #[inline]
    fn into_result(self) -> Result<T, ()> {
        self.ok_or(())
    }
}

impl<T, E> Either for Result<T, E> {
    type Value = T;
    type Rest = E;

    #[inline]
    fn into_result(self) -> Result<T, E> {
        self
    }
}
