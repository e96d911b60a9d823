//! The shape of an array, and the layout of its elements in memory.

use std::fmt;

use crate::{Error, Result};

/// The maximum number of axes of an array.
pub const MAX_RANK: usize = 7;

/// The extents of an array, one per axis, the outermost first: NumPy's `array.shape`.
///
/// Written as a number, or as an array of up to seven: `12`, `[3, 4]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    rank: u8,
    extents: [usize; MAX_RANK],
}

impl Shape {
    /// The shape with these extents, unless there are more than [`MAX_RANK`].
    #[must_use]
    pub fn from_extents(extents: &[usize]) -> Option<Self> {
        let mut shape =
            Self { rank: u8::try_from(extents.len()).ok().filter(|&rank| usize::from(rank) <= MAX_RANK)?, extents: [0; MAX_RANK] };
        shape.extents[..extents.len()].copy_from_slice(extents);
        Some(shape)
    }

    /// The extents, the outermost first.
    #[inline]
    #[must_use]
    pub fn extents(&self) -> &[usize] {
        &self.extents[..self.rank()]
    }

    /// How many axes there are. A scalar has none.
    #[inline]
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank.into()
    }

    /// How many elements there are: the product of the extents. `None` if it does not fit, or, as in NumPy, if it would not without the axes
    /// that have no elements. So the product of any of the extents fits, which proofs of kernels rest on.
    #[inline]
    #[must_use]
    pub fn checked_len(&self) -> Option<usize> {
        let of_others = self.extents().iter().try_fold(1usize, |product, &extent| product.checked_mul(extent.max(1)))?;
        Some(if self.extents().contains(&0) { 0 } else { of_others })
    }
}

/// The extent of an axis: `array.shape()[0]`. Panics if there is no such axis.
impl std::ops::Index<usize> for Shape {
    type Output = usize;

    #[inline]
    #[track_caller]
    fn index(&self, axis: usize) -> &usize {
        &self.extents()[axis]
    }
}

/// Allows `array.shape() == [3, 4]`.
impl<const N: usize> PartialEq<[usize; N]> for Shape {
    fn eq(&self, other: &[usize; N]) -> bool {
        self.extents() == other
    }
}

impl From<usize> for Shape {
    fn from(extent: usize) -> Self {
        Self::from([extent])
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(extents: [usize; N]) -> Self {
        const { assert!(N <= MAX_RANK, "an array has at most 7 axes") };
        Self::from_extents(&extents).expect("the rank was checked when this was compiled")
    }
}

/// `(rows, columns)`, as NumPy writes a shape.
impl From<(usize, usize)> for Shape {
    fn from((rows, columns): (usize, usize)) -> Self {
        Self::from([rows, columns])
    }
}

impl From<(usize, usize, usize)> for Shape {
    fn from((planes, rows, columns): (usize, usize, usize)) -> Self {
        Self::from([planes, rows, columns])
    }
}

/// Whether a shape can be changed to another with the same elements.
#[track_caller]
pub(crate) fn check_reshape(from: Shape, to: Shape) -> Result<()> {
    let (len, wanted) = (from.checked_len(), to.checked_len());
    if len == wanted && len.is_some() {
        return Ok(());
    }
    let count = |len: Option<usize>| len.map_or("too many".to_owned(), |len| len.to_string());
    let help = format!("the first has {} elements, the second {}", count(len), count(wanted));
    Err(Error::shape_mismatch("reshape", from, to, help))
}

impl fmt::Display for Shape {
    /// As NumPy and Rust write a tuple: `(3, 4)`, `(12,)`, `()`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.extents() {
            [extent] => write!(f, "({extent},)"),
            extents => {
                let extents: Vec<String> = extents.iter().map(usize::to_string).collect();
                write!(f, "({})", extents.join(", "))
            }
        }
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_written_as_a_tuple() {
        assert_eq!(Shape::from([]).to_string(), "()");
        assert_eq!(Shape::from(12).to_string(), "(12,)");
        assert_eq!(Shape::from([3, 4]).to_string(), "(3, 4)");
        assert_eq!(Shape::from((3, 4)), Shape::from([3, 4]));
        assert_eq!(Shape::from((2, 3, 4)), Shape::from([2, 3, 4]));
    }

    #[test]
    fn an_empty_axis_makes_a_shape_empty_whatever_the_others_are() {
        assert_eq!(Shape::from([usize::MAX, 2, 0]).checked_len(), None);
        assert_eq!(Shape::from([usize::MAX, 1, 0]).checked_len(), Some(0));
        assert_eq!(Shape::from([usize::MAX, 2]).checked_len(), None);
        assert_eq!(Shape::from([]).checked_len(), Some(1));
        assert_eq!(Shape::from([2, 3, 4]).checked_len(), Some(24));
    }

    #[test]
    fn eight_axes_are_refused() {
        assert!(Shape::from_extents(&[1; 7]).is_some());
        assert!(Shape::from_extents(&[1; 8]).is_none());
    }
}
