//! Why a function of linear algebra has no result.

/// Why a function of linear algebra has no result: see [`Error::UnsuitableMatrix`](super::Error::UnsuitableMatrix).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixProblem {
    /// It does not have two axes.
    #[error("is not a matrix; pass an array with two axes")]
    NotAMatrix,
    /// It does not have one axis, or no elements where there must be some.
    #[error("is not a vector; {help}")]
    NotAVector {
        /// What to pass, or to call.
        help: &'static str,
    },
    /// It does not have three axes.
    #[error("is not a batch of matrices; pass an array with three axes")]
    NotABatch,
    /// It has more rows, columns or elements that are stored than the function can number.
    #[error("is too large: `{of}` numbers rows, columns and stored elements by `{by}`")]
    TooLarge {
        /// What numbers them.
        of: &'static str,
        /// The type of the numbers.
        by: &'static str,
    },
    /// The function is for square matrices.
    #[error("is not a square matrix")]
    NotSquare,
    /// The rows of the matrix depend on each other.
    #[error("is singular: pivot {pivot} is 0")]
    Singular {
        /// The number of the pivot, from 0.
        pivot: usize,
    },
    /// It is not symmetric with positive eigenvalues only.
    #[error("is not positive definite")]
    NotPositiveDefinite,
    /// The iteration for its eigenvalues or singular values has no end: it contains NaN or infinity.
    #[error("has elements for which the iteration does not converge; check it for NaN and infinity")]
    NotConverged,
}
