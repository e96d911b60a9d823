//! What is computed for each element.

use super::{Column, Tile, TileElement};
use std::convert::Infallible;

/// What has elements in rows: a tile or a column.
pub trait Elements {
    /// An element.
    type Element: TileElement;
    /// The same shape with other elements.
    type With<U: TileElement>: Elements<Element = U>;

    #[doc(hidden)]
    fn elements(&self) -> &[Self::Element];
    #[doc(hidden)]
    fn of<U: TileElement>(elements: Box<[U]>) -> Self::With<U>;
}

impl<T: TileElement, const R: usize, const C: usize> Elements for Tile<T, R, C> {
    type Element = T;
    type With<U: TileElement> = Tile<U, R, C>;

    fn elements(&self) -> &[T] {
        &self.elements
    }
    fn of<U: TileElement>(elements: Box<[U]>) -> Tile<U, R, C> {
        Tile { elements }
    }
}

impl<T: TileElement, const R: usize> Elements for Column<T, R> {
    type Element = T;
    type With<U: TileElement> = Column<U, R>;

    fn elements(&self) -> &[T] {
        &self.elements
    }
    fn of<U: TileElement>(elements: Box<[U]>) -> Column<U, R> {
        Column { elements }
    }
}

/// `function` of each element, until it fails.
pub(super) fn try_map<A: Elements, U: TileElement, E>(a: &A, function: impl Fn(A::Element) -> Result<U, E>) -> Result<A::With<U>, E> {
    a.elements().iter().map(|element| function(*element)).collect::<Result<_, E>>().map(A::of)
}

/// `function` of each pair of elements, until it fails.
pub(super) fn try_zip<A, B, U: TileElement, E>(
    a: &A,
    b: &B,
    function: impl Fn(A::Element, B::Element) -> Result<U, E>,
) -> Result<A::With<U>, E>
where
    A: Elements,
    B: Elements<With<A::Element> = A>,
{
    a.elements().iter().zip(b.elements()).map(|(a, b)| function(*a, *b)).collect::<Result<_, E>>().map(A::of)
}

/// `function` of the row, the column and the value of each element, until it fails.
pub(super) fn try_map_at<T: TileElement, U: TileElement, E, const R: usize, const C: usize>(
    a: &Tile<T, R, C>,
    function: impl Fn(usize, usize, T) -> Result<U, E>,
) -> Result<Tile<U, R, C>, E> {
    let elements = a.elements.iter().enumerate();
    let elements = elements.map(|(position, element)| function(position / C, position % C, *element));
    elements.collect::<Result<_, E>>().map(|elements| Tile { elements })
}

fn always<T>(result: Result<T, Infallible>) -> T {
    let Ok(value) = result;
    value
}

macro_rules! elementwise {
    ($Type:ident<$($extent:ident),*>, $what:literal) => {
        impl<T: TileElement, $(const $extent: usize),*> $Type<T, $($extent),*> {
            #[doc = concat!("`function` of each element of the ", $what, ".")]
            #[must_use]
            pub fn map<U: TileElement>(self, function: impl Fn(T) -> U) -> $Type<U, $($extent),*> {
                always(try_map(&self, |element| Ok(function(element))))
            }

            #[doc = concat!("`function` of each pair of elements of two ", $what, "s.")]
            #[must_use]
            pub fn zip<B: TileElement, U: TileElement>(
                self,
                other: $Type<B, $($extent),*>,
                function: impl Fn(T, B) -> U,
            ) -> $Type<U, $($extent),*> {
                always(try_zip(&self, &other, |a, b| Ok(function(a, b))))
            }

            #[doc = concat!("The ", $what, " with elements of another type, each rounded as `as` rounds it.")]
            #[must_use]
            pub fn cast<U: TileElement>(self) -> $Type<U, $($extent),*> {
                self.map(|element| element.cast::<U>())
            }
        }
    };
}

elementwise!(Tile<R, C>, "tile");
elementwise!(Column<R>, "column");

impl<T: TileElement, const R: usize, const C: usize> Tile<T, R, C> {
    /// `function` of the row, the column and the value of each element. Rows and columns are those of the tile, from 0 on.
    #[must_use]
    pub fn map_at<U: TileElement>(self, function: impl Fn(usize, usize, T) -> U) -> Tile<U, R, C> {
        always(try_map_at(&self, |row, column, element| Ok(function(row, column, element))))
    }
}
