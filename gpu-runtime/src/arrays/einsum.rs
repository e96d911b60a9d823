//! Einstein's summation: of two arrays by one product of matrices, of more by one such product after the other.
//!
//! Every label is of one of four kinds: in both arrays and the result (a *batch*), only in the first and the result (*rows*), only in the
//! second and the result (*columns*), or not in the result (*inner*, which is summed). With the axes in this order, the arrays are as many
//! matrices, and the result is their product with its axes in another order. An array without an inner label is repeated along it.

use std::panic::Location;

use super::matmul::MatrixElement;
use crate::insertion_sort::insertion_sort;
use crate::memory::{DeviceArray, DeviceView, Layout, Shape};
use crate::source::Element;
use crate::ufunc::{ArrayLike, lazy};
use crate::{Error, Result};

/// The sums of products of the elements of two arrays, as labels of their axes say: `np.einsum("ij,jk->ik", a, b)`.
///
/// An axis with a label that is not in the result is summed. Without `->`, the result has the labels that occur once, in alphabetical order.
/// `...` stands for the other axes of an array, counted from the last one. [`einsum_of`] is for one array or for more.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let a = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?.reshape([2, 3])?;
/// let x = Device::cpu().to_device(&[1, 0, -1])?;
/// assert_eq!(einsum("ij,j->i", &a, &x)?.to_host()?, [-2, -2]);
/// assert_eq!(einsum("ij,ij->j", &a, &a)?.to_host()?, [17, 29, 45]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::ShapeMismatch`] if the labels do not go with the axes, or two axes with one label have different extents;
/// [`Error::ArraysOnDifferentDevices`]; and as for [`collect`](crate::Lazy::collect).
#[track_caller]
pub fn einsum<A, B>(labels: &str, a: A, b: B) -> Result<DeviceArray<A::Item>>
where
    A: ArrayLike<Item: MatrixElement>,
    B: ArrayLike<Item = A::Item>,
{
    let (a, b) = (a.lazy(), b.lazy());
    let (a, b) = (a.stored_with(&b)?, b.stored_with(&a)?);
    let (a, b) = (a.view(), b.view());
    let location = Location::caller();
    let mismatch = |help: String| {
        let (from, to) = (Box::new(a.shape()), Box::new(b.shape()));
        Error::ShapeMismatch { operation: "einsum", from, to, help, location }
    };
    let labels = match labels.contains("...") {
        true => with_letters(labels, &[a.rank(), b.rank()]).and_then(|labels| Labels::parse(&labels)),
        false => Labels::parse(labels),
    };
    let labels = labels.map_err(mismatch)?;
    labels.check(&a, &b).map_err(mismatch)?;
    super::matmul::check_devices("einsum", &a, &b)?;
    sum_products(&labels, Labelled::of(a, &labels.a), Labelled::of(b, &labels.b))
}

/// The sums of products of the elements of any number of arrays: `np.einsum("ij,jk,kl->il", a, b, c)`, from the first to the last.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let a = Device::cpu().to_device(&[1, 2, 3, 4])?.reshape([2, 2])?;
/// assert_eq!(einsum_of("ij,jk,kl->il", [&a, &a, &a])?.to_host()?, [37, 54, 81, 118]);
/// assert_eq!(einsum_of("ii->i", [&a])?.to_host()?, [1, 4]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// As for [`einsum`], also if there are not as many arrays as labels name.
///
/// # Panics
///
/// If there is no array.
// Compiled only where it is used.
#[inline]
#[track_caller]
pub fn einsum_of<T: MatrixElement, A: ArrayLike<Item = T>>(labels: &str, arrays: impl IntoIterator<Item = A>) -> Result<DeviceArray<T>> {
    let arrays: Vec<_> = arrays.into_iter().map(ArrayLike::lazy).collect();
    let shapes = arrays.iter().map(|array| array.shape()).collect::<Result<Vec<_>>>()?;
    let location = Location::caller();
    let mismatch = |help: String| {
        let shape = |shape: Option<&Shape>| Box::new(*shape.expect("`einsum_of` needs at least one array"));
        Error::ShapeMismatch { operation: "einsum", from: shape(shapes.first()), to: shape(shapes.last()), help, location }
    };
    let ranks: Vec<usize> = shapes.iter().map(Shape::rank).collect();
    let text = with_letters(labels, &ranks).map_err(mismatch)?;
    let (inputs, out) = text.split_once("->").expect("the result has been written");
    let of_arrays: Vec<&str> = inputs.split(',').collect();
    if of_arrays.len() != arrays.len() {
        return Err(mismatch(format!("the labels `{labels}` are those of {} arrays, and there are {}", of_arrays.len(), arrays.len())));
    }
    let device = arrays.iter().find_map(|array| array.own_device());
    let first = arrays[0].stored_near(device)?;
    let (mut so_far, mut of_so_far): (Option<DeviceArray<T>>, _) = (None, of_arrays[0].to_owned());
    for (number, (array, of_array)) in arrays.iter().zip(&of_arrays).enumerate().skip(1) {
        // Labels of later arrays and of the result are still needed.
        let later = of_arrays[number + 1..].concat() + out;
        let mut kept = String::new();
        for label in of_so_far.chars().chain(of_array.chars()) {
            if later.contains(label) && !kept.contains(label) {
                kept.push(label);
            }
        }
        if number + 1 == arrays.len() {
            kept = out.to_owned();
        }
        let step = format!("{of_so_far},{of_array}->{kept}");
        let product = match &so_far {
            None => einsum(&step, first.view(), array.stored_near(device)?.view())?,
            Some(product) => einsum(&step, product, array.stored_near(device)?.view())?,
        };
        (so_far, of_so_far) = (Some(product), kept);
    }
    match so_far {
        Some(product) => Ok(product),
        // One array is its product with the number 1.
        None => einsum(&format!("{inputs},->{out}"), first.view(), first.view().device().full([], T::UNIT)?.view()),
    }
}

/// The labels with the result, and with unused letters for `...`, which stands for the axes of each array without a label of their own.
// Compiled only where it is used.
#[inline]
fn with_letters(text: &str, ranks: &[usize]) -> std::result::Result<String, String> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, out) = text.split_once("->").map_or((&text[..], None), |(inputs, out)| (inputs, Some(out)));
    let unused: Vec<char> = ('A'..='Z').chain('a'..='z').filter(|letter| !text.contains(*letter)).collect();
    let mut most = 0;
    let mut of_arrays = Vec::new();
    for (labels, rank) in inputs.split(',').zip(ranks.iter().copied().chain(std::iter::repeat(0))) {
        let others = rank.saturating_sub(labels.chars().filter(char::is_ascii_alphabetic).count());
        if others > unused.len() {
            return Err(format!("`{text}` has too many labels"));
        }
        let letters: String = unused[..others].iter().rev().collect();
        if labels.contains("...") {
            most = most.max(others);
        }
        of_arrays.push(labels.replacen("...", &letters, 1));
    }
    let letters: String = unused[..most].iter().rev().collect();
    let of_arrays = of_arrays.join(",");
    let out = match out {
        Some(out) => out.replacen("...", &letters, 1),
        None => letters + &labels_of_sums(inputs).into_iter().collect::<String>(),
    };
    Ok(format!("{of_arrays}->{out}"))
}

/// The labels of a result that is not written: those that the arrays have once, in the order of the alphabet.
fn labels_of_sums(inputs: &str) -> Vec<char> {
    let mut once: Vec<char> = inputs.chars().filter(char::is_ascii_alphabetic).collect();
    once.retain(|label| inputs.matches(*label).count() == 1);
    insertion_sort(&mut once, |a, b| a < b);
    once
}

/// The labels of the axes of both arrays, and of the result.
pub(crate) struct Labels {
    pub(crate) a: Vec<char>,
    pub(crate) b: Vec<char>,
    pub(crate) out: Vec<char>,
}

impl Labels {
    // Compiled only where it is used.
    #[inline]
    pub(crate) fn parse(text: &str) -> std::result::Result<Self, String> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (inputs, out) = text.split_once("->").map_or((&text[..], None), |(inputs, out)| (inputs, Some(out)));
        let (a, b) =
            inputs.split_once(',').ok_or_else(|| format!("the labels `{text}` must be those of two arrays, such as `ij,jk->ik`"))?;
        let [a, b]: [Vec<char>; 2] = [a, b].map(|labels| labels.chars().collect());
        if let Some(other) = a.iter().chain(&b).find(|c| !c.is_ascii_alphabetic()) {
            return Err(format!("the label `{other}` in `{text}` is not a letter"));
        }
        let count = |label: &char| a.iter().chain(&b).filter(|other| *other == label).count();
        let out = match out {
            Some(out) => out.chars().collect(),
            None => labels_of_sums(inputs),
        };
        for (i, label) in out.iter().enumerate() {
            if count(label) == 0 {
                return Err(format!("the result has the label `{label}`, which no array has"));
            }
            if out[..i].contains(label) {
                return Err(format!("the result has the label `{label}` twice"));
            }
        }
        Ok(Self { a, b, out })
    }

    /// Whether axes with one label have one extent.
    fn check<T: Element>(&self, a: &DeviceView<'_, T>, b: &DeviceView<'_, T>) -> std::result::Result<(), String> {
        for (which, labels, view) in [("first", &self.a, a), ("second", &self.b, b)] {
            if labels.len() != view.rank() {
                return Err(format!("there are {} labels for the {which} array, which has {} axes", labels.len(), view.rank()));
            }
        }
        let shapes = (a.shape(), b.shape());
        let axes = || self.a.iter().zip(shapes.0.extents()).chain(self.b.iter().zip(shapes.1.extents()));
        for (label, extent) in axes() {
            if let Some((_, other)) = axes().find(|(same, other)| *same == label && *other != extent) {
                return Err(format!("axes with the label `{label}` have {extent} and {other} elements"));
            }
        }
        Ok(())
    }
}

/// An array whose axes have different labels.
struct Labelled<'a, T> {
    view: DeviceView<'a, T>,
    labels: Vec<char>,
}

impl<'a, T: Element> Labelled<'a, T> {
    /// Where axes have the same label, their diagonal.
    fn of(view: DeviceView<'a, T>, labels: &[char]) -> Self {
        let (mut unique, mut extents, mut strides) = (Vec::new(), Vec::new(), Vec::new());
        for ((&label, &extent), &stride) in labels.iter().zip(view.shape().extents()).zip(view.strides()) {
            match unique.iter().position(|&other| other == label) {
                Some(axis) => strides[axis] += stride,
                None => {
                    unique.push(label);
                    extents.push(extent);
                    strides.push(stride);
                }
            }
        }
        let shape = Shape::from_extents(&extents).expect("no more axes than before");
        // SAFETY: the elements are some of those of the view.
        let view = unsafe { DeviceView::new(view.owner(), view.pointer(), Layout::new(shape, &strides)) };
        Self { view, labels: unique }
    }

    fn extent(&self, label: char) -> Option<usize> {
        let axis = self.labels.iter().position(|&other| other == label)?;
        Some(self.view.shape().extents()[axis])
    }

    /// The array as matrices: one axis for each list of labels. Along labels that it does not have, it is repeated as often as `extents`
    /// says.
    #[track_caller]
    fn matrices(&self, lists: [&[char]; 3], extents: impl Fn(char) -> usize) -> Result<Matrices<'a, T>> {
        let strides = self.view.strides();
        let axis = |label: &char| match self.labels.iter().position(|other| other == label) {
            Some(axis) => (self.view.shape().extents()[axis], strides[axis]),
            None => (extents(*label), 0),
        };
        let (all, of_all): (Vec<usize>, Vec<isize>) = lists.iter().flat_map(|labels| labels.iter().map(axis)).unzip();
        let shape = Shape::from_extents(&all).ok_or(Error::ResultTooManyAxes {
            function: "einsum",
            rank: all.len(),
            location: Location::caller(),
        })?;
        // SAFETY: the elements are those of the view, some of them several times.
        let view = unsafe { DeviceView::new(self.view.owner(), self.view.pointer(), Layout::new(shape, &of_all)) };
        let merged = lists.map(|labels| labels.iter().map(|label| axis(label).0).product::<usize>());
        match view.reshape(merged) {
            Ok(view) => Ok(Matrices::Borrowed(view)),
            Err(_) => Ok(Matrices::Copied(lazy(view).collect()?.reshape(merged)?)),
        }
    }
}

/// Matrices where they are, or copied.
enum Matrices<'a, T> {
    Borrowed(DeviceView<'a, T>),
    Copied(DeviceArray<T>),
}

impl<T: Element> Matrices<'_, T> {
    fn view(&self) -> DeviceView<'_, T> {
        match self {
            Self::Borrowed(view) => *view,
            Self::Copied(array) => array.view(),
        }
    }
}

#[track_caller]
fn sum_products<T: MatrixElement>(labels: &Labels, a: Labelled<'_, T>, b: Labelled<'_, T>) -> Result<DeviceArray<T>> {
    let extent = |label| a.extent(label).or(b.extent(label)).expect("an array has the label");
    let of_result = |in_a, in_b| -> Vec<char> {
        labels.out.iter().copied().filter(|&label| a.extent(label).is_some() == in_a && b.extent(label).is_some() == in_b).collect()
    };
    let (batch, rows, columns) = (of_result(true, true), of_result(true, false), of_result(false, true));
    let mut inner: Vec<char> = a.labels.iter().chain(&b.labels).copied().filter(|label| !labels.out.contains(label)).collect();
    inner.sort_unstable_by_key(|label| (a.labels.iter().position(|other| other == label), *label));
    inner.dedup();
    let of_a = a.matrices([&batch, &rows, &inner], extent)?;
    let of_b = b.matrices([&batch, &inner, &columns], extent)?;
    // SAFETY: each is as many matrices, with the labels' extents, and `einsum` has compared the devices.
    let product = unsafe { T::multiply(of_a.view(), of_b.view())? };

    let found: Vec<char> = [batch, rows, columns].concat();
    let extents: Vec<usize> = found.iter().map(|&label| extent(label)).collect();
    let product = product.reshape(Shape::from_extents(&extents).expect("no more axes than the result"))?;
    let order: Vec<usize> =
        labels.out.iter().map(|label| found.iter().position(|other| other == label).expect("every label has a kind")).collect();
    if order.is_sorted() { Ok(product) } else { lazy(product.view().permute(order)).collect() }
}
