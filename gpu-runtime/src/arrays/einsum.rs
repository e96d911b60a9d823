//! Einstein's summation: of two arrays by one product of matrices, of more by one such product after the other.
//!
//! Every label is of one of four kinds: in both arrays and the result (a *batch*), only in the first and the result (*rows*), only in the
//! second and the result (*columns*), or in both and not in the result (*inner*, which is summed). With the axes in this order, the arrays are
//! as many matrices, and the result is their product with its axes in another order. What only one array has, and the result does not, is
//! summed before.
//!
//! The axes of `...` have digits for labels, which nobody can write. Those with one element are broadcast: dropped where the other array has
//! more of them.

use std::panic::Location;

use super::matmul::MatrixElement;
use crate::insertion_sort::insertion_sort;
use crate::memory::{DeviceArray, DeviceView, Layout, Shape};
use crate::source::Element;
use crate::ufunc::{ArrayLike, Reductions as _, Summand, lazy};
use crate::{Error, Result};

/// The sums of products of the elements of two arrays, as labels of their axes say: `np.einsum("ij,jk->ik", a, b)`.
///
/// An axis with a label that is not in the result is summed. Without `->`, the result has the labels that occur once, in alphabetical order.
/// `...` stands for the other axes of an array, counted from the last one; those with one element are broadcast. [`einsum_of`] is for one
/// array or for more.
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
/// [`Error::ResultTooManyAxes`];
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
    let labels = match labels.contains("...") {
        true => with_digits(labels, &[a.rank(), b.rank()]).and_then(|labels| Labels::of(&labels)),
        false => Labels::parse(labels),
    };
    einsum_of_two(labels, a, b)
}

#[track_caller]
fn einsum_of_two<T: MatrixElement>(
    labels: std::result::Result<Labels, String>,
    a: DeviceView<'_, T>,
    b: DeviceView<'_, T>,
) -> Result<DeviceArray<T>> {
    let location = Location::caller();
    let mismatch = |help: String| {
        let (from, to) = (Box::new(a.shape()), Box::new(b.shape()));
        Error::ShapeMismatch { operation: "einsum", from, to, help, location }
    };
    let labels = labels.map_err(mismatch)?;
    labels.check(&a, &b).map_err(mismatch)?;
    super::matmul::check_devices("einsum", &a, &b)?;
    let is_broadcast = |label: char, extent: usize, (labels, other): (&[char], &DeviceView<'_, T>)| {
        let has_more = labels.iter().zip(other.shape().extents()).any(|(same, of_other)| *same == label && *of_other != 1);
        label.is_ascii_digit() && extent == 1 && has_more
    };
    let of_a = Labelled::of(a, &labels.a, |label, extent| is_broadcast(label, extent, (&labels.b, &b)));
    let of_b = Labelled::of(b, &labels.b, |label, extent| is_broadcast(label, extent, (&labels.a, &a)));
    sum_products(&labels.out, of_a, of_b)
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
    let text = with_digits(labels, &ranks).map_err(mismatch)?;
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
            None => einsum_of_two(Labels::of(&step), first.view(), array.stored_near(device)?.view())?,
            Some(product) => einsum_of_two(Labels::of(&step), product.view(), array.stored_near(device)?.view())?,
        };
        (so_far, of_so_far) = (Some(product), kept);
    }
    match so_far {
        Some(product) => Ok(product),
        // One array is its product with the number 1.
        None => einsum_of_two(Labels::of(&format!("{inputs},->{out}")), first.view(), first.view().device().full([], T::UNIT)?.view()),
    }
}

/// The labels with the result, and with digits for `...`, which stands for the axes of each array without a label of their own. The last of
/// them is `0`.
// Compiled only where it is used.
#[inline]
fn with_digits(text: &str, ranks: &[usize]) -> std::result::Result<String, String> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, out) = text.split_once("->").map_or((&text[..], None), |(inputs, out)| (inputs, Some(out)));
    let digits = |count: usize| -> String { (b'0'..b'0' + count as u8).rev().map(char::from).collect() };
    let mut most = 0;
    let mut of_arrays = Vec::new();
    for (labels, rank) in inputs.split(',').zip(ranks.iter().copied().chain(std::iter::repeat(0))) {
        check_letters(&labels.replacen("...", "", 1), &text)?;
        let others = rank.saturating_sub(labels.chars().filter(char::is_ascii_alphabetic).count());
        if labels.contains("...") {
            most = most.max(others);
        }
        of_arrays.push(labels.replacen("...", &digits(others), 1));
    }
    let of_arrays = of_arrays.join(",");
    let out = match out {
        Some(out) => {
            check_letters(&out.replacen("...", "", 1), &text)?;
            out.replacen("...", &digits(most), 1)
        }
        None => digits(most) + &labels_of_sums(inputs).into_iter().collect::<String>(),
    };
    Ok(format!("{of_arrays}->{out}"))
}

/// An error if one of the labels in `text` is no letter.
fn check_letters(labels: &str, text: &str) -> std::result::Result<(), String> {
    match labels.chars().find(|c| !c.is_ascii_alphabetic()) {
        Some(other) => Err(format!("the label `{other}` in `{text}` is not a letter")),
        None => Ok(()),
    }
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
    /// Those of a text that the user has written, without `...`.
    // Compiled only where it is used.
    #[inline]
    pub(crate) fn parse(text: &str) -> std::result::Result<Self, String> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        if text.contains("...") {
            return Err(format!("`...` in `{text}` has no gradient: write a label for each axis"));
        }
        let labels = Self::of(&text)?;
        for own in [&labels.a, &labels.b, &labels.out] {
            check_letters(&own.iter().collect::<String>(), &text)?;
        }
        Ok(labels)
    }

    /// Those of a text in which `...` are digits.
    #[inline]
    fn of(text: &str) -> std::result::Result<Self, String> {
        let (inputs, out) = text.split_once("->").map_or((text, None), |(inputs, out)| (inputs, Some(out)));
        let (a, b) =
            inputs.split_once(',').ok_or_else(|| format!("the labels `{text}` must be those of two arrays, such as `ij,jk->ik`"))?;
        let [a, b]: [Vec<char>; 2] = [a, b].map(|labels| labels.chars().collect());
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

    /// Whether axes with one label have one extent, but for axes of `...` with one element.
    fn check<T: Element>(&self, a: &DeviceView<'_, T>, b: &DeviceView<'_, T>) -> std::result::Result<(), String> {
        for (which, labels, view) in [("first", &self.a, a), ("second", &self.b, b)] {
            if labels.len() != view.rank() {
                return Err(format!("there are {} labels for the {which} array, which has {} axes", labels.len(), view.rank()));
            }
        }
        let shapes = (a.shape(), b.shape());
        let axes = || self.a.iter().zip(shapes.0.extents()).chain(self.b.iter().zip(shapes.1.extents()));
        for (label, extent) in axes() {
            let Some((_, other)) = axes().find(|(same, other)| *same == label && *other != extent) else { continue };
            if !label.is_ascii_digit() {
                return Err(format!("axes with the label `{label}` have {extent} and {other} elements"));
            }
            if *extent != 1 && *other != 1 {
                return Err(format!("axes of `...` have {extent} and {other} elements"));
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
    /// Where axes have the same label, their diagonal. Axes that are broadcast, which have one element, are left out.
    fn of(view: DeviceView<'a, T>, labels: &[char], is_broadcast: impl Fn(char, usize) -> bool) -> Self {
        let (mut unique, mut extents, mut strides) = (Vec::new(), Vec::new(), Vec::new());
        for ((&label, &extent), &stride) in labels.iter().zip(view.shape().extents()).zip(view.strides()) {
            if is_broadcast(label, extent) {
                continue;
            }
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

    /// The sums along labels that only this array has and the result has not, with the other labels, if there are such.
    #[track_caller]
    fn sums(&self, other: &Self, out: &[char]) -> Result<Option<(DeviceArray<T>, Vec<char>)>>
    where
        T: Summand,
    {
        let is_kept = |label: &char| out.contains(label) || other.labels.contains(label);
        let (kept, summed): (Vec<char>, Vec<char>) = self.labels.iter().copied().partition(is_kept);
        if summed.is_empty() {
            return Ok(None);
        }
        let extents: Vec<usize> = kept.iter().filter_map(|&label| self.extent(label)).collect();
        let sums = lazy(self.matrices([&kept, &summed, &[]])?.view()).sum_axis(1)?;
        Ok(Some((sums.reshape(Shape::from_extents(&extents).expect("no more axes than before"))?, kept)))
    }

    /// The array as matrices: one axis for each list of labels, of which it has all.
    #[track_caller]
    fn matrices(&self, lists: [&[char]; 3]) -> Result<Matrices<'a, T>> {
        let axis = |label: &char| self.labels.iter().position(|other| other == label).expect("a label of the array");
        let view = self.view.permute(lists.concat().iter().map(axis).collect::<Vec<_>>());
        let merged = lists.map(|labels| labels.iter().map(|label| self.view.shape().extents()[axis(label)]).product::<usize>());
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
fn sum_products<T: MatrixElement>(out: &[char], a: Labelled<'_, T>, b: Labelled<'_, T>) -> Result<DeviceArray<T>> {
    let (sums_a, sums_b) = (a.sums(&b, out)?, b.sums(&a, out)?);
    let a = sums_a.as_ref().map_or(a, |(sums, labels)| Labelled { view: sums.view(), labels: labels.clone() });
    let b = sums_b.as_ref().map_or(b, |(sums, labels)| Labelled { view: sums.view(), labels: labels.clone() });
    let extent = |label| a.extent(label).or(b.extent(label)).expect("an array has the label");
    let of_result = |in_a, in_b| -> Vec<char> {
        out.iter().copied().filter(|&label| a.extent(label).is_some() == in_a && b.extent(label).is_some() == in_b).collect()
    };
    let (batch, rows, columns) = (of_result(true, true), of_result(true, false), of_result(false, true));
    let inner: Vec<char> = a.labels.iter().copied().filter(|label| !out.contains(label)).collect();
    let of_a = a.matrices([&batch, &rows, &inner])?;
    let of_b = b.matrices([&batch, &inner, &columns])?;
    let found: Vec<char> = [batch, rows, columns].concat();
    let extents: Vec<usize> = found.iter().map(|&label| extent(label)).collect();
    let too_many = Error::ResultTooManyAxes { function: "einsum", rank: found.len(), location: Location::caller() };
    let shape = Shape::from_extents(&extents).ok_or(too_many)?;
    // SAFETY: each is as many matrices, with the labels' extents, and `einsum` has compared the devices.
    let product = unsafe { T::multiply(of_a.view(), of_b.view())? }.reshape(shape)?;
    let order: Vec<usize> =
        out.iter().map(|label| found.iter().position(|other| other == label).expect("every label has a kind")).collect();
    if order.is_sorted() { Ok(product) } else { lazy(product.view().permute(order)).collect() }
}
