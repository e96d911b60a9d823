//! Why a function of linear algebra has no result.

use std::fmt;

/// Why a function of linear algebra has no result: see [`Error::UnsuitableMatrix`](super::Error::UnsuitableMatrix).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatrixProblem {
    /// It does not have two axes.
    NotAMatrix,
    /// It does not have three axes.
    NotABatch,
    /// The function is for square matrices.
    NotSquare,
    /// The rows of the matrix depend on each other.
    Singular {
        /// The number of the pivot, from 0.
        pivot: usize,
    },
    /// It is not symmetric with positive eigenvalues only.
    NotPositiveDefinite,
    /// The iteration for its eigenvalues or singular values has no end: it contains NaN or infinity.
    NotConverged,
}

impl std::error::Error for MatrixProblem {}

impl fmt::Display for MatrixProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAMatrix => f.write_str("is not a matrix; pass an array with two axes"),
            Self::NotABatch => f.write_str("is not a batch of matrices; pass an array with three axes"),
            Self::NotSquare => f.write_str("is not a square matrix"),
            Self::Singular { pivot } => write!(f, "is singular: pivot {pivot} is 0"),
            Self::NotPositiveDefinite => f.write_str("is not positive definite"),
            Self::NotConverged => f.write_str("has elements for which the iteration does not converge; check it for NaN and infinity"),
        }
    }
}
