//! Products of matrices in expressions: multiplied by the kernel that computes the rest, or before it.
//!
//! An element of a product is rounded to the type of the product before the rest is computed from it, either way. So an expression has the same meaning
//! whether one kernel computes it or two.

use std::fmt;
use std::panic::Location;
use std::sync::LazyLock;

use super::collect::Request;
use super::cuda::{Launcher, ProductKernel};
use super::formula::{Formula, Identity};
use super::input::{Input, InputKind, Inputs};
use super::plan::{Access, Operand, Plan};
use crate::Result;
use crate::backend::MemoryUse;
use crate::backend::cuda::Slots;
use crate::device::Device;
use crate::memory::{Layout, Shape};

/// An array that is not computed yet: a product of matrices, which the kernel that reads it may multiply, or another one.
pub(crate) trait Deferred {
    /// Where it will be, if that is known.
    fn device(&self) -> Option<&Device>;

    /// Computes it, and adds it as an array.
    fn compute<'s>(&'s self, inputs: &mut Inputs<'s>);

    /// How a kernel on that device, else on an H200, multiplies it where that kernel stores something else: if there are tensor cores for it, it is
    /// large enough, and nobody else wants it.
    fn in_tiles(&self, _device: Option<&Device>) -> Option<TiledProduct> {
        None
    }

    /// Calls `submit` with the operands of what is multiplied in tiles.
    fn with_operands(&self, _submit: &mut dyn FnMut(&Operands, &[MemoryUse<'_>]) -> Result<()>) -> Result<()> {
        unreachable!("it is not multiplied in tiles")
    }
}

/// A product that tensor cores multiply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TiledProduct {
    /// How many matrices, and their rows and columns: all its elements in C order.
    pub(crate) extents: [usize; 3],
    pub(crate) product: TileProduct,
}

/// How tensor cores multiply: what the text of a kernel depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TileProduct {
    pub(crate) element: TileElement,
    /// Rows and columns that a block multiplies.
    pub(crate) tile: [usize; 2],
    /// How much of the inner axis it multiplies at a time.
    pub(crate) depth: usize,
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Whether the matrices on the right lie by columns, and so are handed over transposed.
    pub(crate) is_right_by_columns: bool,
}

/// What tensor cores multiply.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TileElement {
    #[cfg(feature = "half")]
    F16,
    #[cfg(feature = "half")]
    Bf16,
    /// Of `f32`. The matrices on the right lie by columns.
    Tf32,
}

impl TileProduct {
    /// The bytes of an element.
    pub(super) fn size(self) -> usize {
        match self.element {
            #[cfg(feature = "half")]
            TileElement::F16 | TileElement::Bf16 => 2,
            TileElement::Tf32 => 4,
        }
    }

    /// An element in CUDA C: in memory.
    pub(super) fn c_type(self) -> &'static str {
        match self.element {
            #[cfg(feature = "half")]
            TileElement::F16 => "gr_f16",
            #[cfg(feature = "half")]
            TileElement::Bf16 => "gr_bf16",
            TileElement::Tf32 => "f32",
        }
    }

    /// The same as it is multiplied.
    pub(super) fn factor(self) -> &'static str {
        match self.element {
            TileElement::Tf32 => "gr_tf32",
            #[cfg(feature = "half")]
            _ => self.c_type(),
        }
    }
}

/// The operands of a product as a kernel takes them: the rows of their views begin at multiples of 16 bytes.
#[derive(Debug)]
pub(crate) struct Operands {
    pub(crate) a: Matrices,
    pub(crate) b: Matrices,
}

/// As many matrices, along the first of three axes.
#[derive(Debug)]
pub(crate) struct Matrices {
    pub(crate) address: u64,
    pub(crate) extents: [usize; 3],
    pub(crate) strides: [isize; 3],
}

impl fmt::Debug for dyn Deferred + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Deferred")
    }
}

/// Whether a kernel that multiplies can compute an expression from the product: its functions cannot fail, and there are some.
static CAN_FOLLOW: LazyLock<Slots<Identity, bool>> = LazyLock::new(Slots::default);

/// An expression whose elements are computed by the kernel that multiplies its only product.
pub(super) struct Following<'a> {
    formula: Formula,
    plan: Plan,
    /// The number of the product among the inputs.
    number: usize,
    product: &'a dyn Deferred,
    tiles: TileProduct,
    /// The strides of the result along matrices, rows and columns.
    strides: [isize; 3],
}

impl<'a> Following<'a> {
    /// That of the elements of `formula`, of that shape and stored with that layout, unless two kernels have to compute it.
    pub(super) fn of(formula: Formula, inputs: &[Input<'a>], shape: Shape, layouts: &[Layout], device: Option<&Device>) -> Option<Self> {
        let [layout] = layouts else { return None };
        let mut deferred = inputs.iter().enumerate().filter(|(_, input)| matches!(input.kind, InputKind::Deferred { .. }));
        let (number, &Input { kind: InputKind::Deferred { array: product, offset: 0 }, layout: of_product, .. }) = deferred.next()? else {
            return None;
        };
        if deferred.next().is_some() || of_product.shape != shape || !of_product.is_c_order() {
            return None;
        }
        let TiledProduct { extents, product: tiles } = product.in_tiles(device)?;
        let strides_of = |layout: &Layout| -> Option<[isize; 3]> {
            let merged = layout.broadcast_to(shape)?.reshape(extents.into())?;
            // The stride of an axis with one element has no meaning.
            Some(std::array::from_fn(|axis| if extents[axis] == 1 { 0 } else { merged.strides()[axis] }))
        };
        let strides = strides_of(layout)?;
        let mut operands = Vec::with_capacity(inputs.len() + 1);
        for (index, input) in inputs.iter().enumerate() {
            let strides = if index == number { [0; 3] } else { strides_of(&input.layout)? };
            let access = if strides == [0; 3] { Access::Fixed } else { Access::Strided };
            operands.push(Operand { access, strides: strides.into() });
        }
        operands.push(Operand { access: Access::Strided, strides: strides.into() });
        let plan = Plan { len: shape.checked_len()?, extents: extents.into(), operands };
        let following = Self { formula, plan, number, product, tiles, strides };
        let can_follow = CAN_FOLLOW.find_or_make(&formula.id, || Ok(following.kernel(inputs).can_follow()));
        can_follow.ok().filter(|&can_follow| can_follow).map(|_| following)
    }

    /// Its kernel, for these inputs.
    pub(super) fn kernel(&self, inputs: &[Input<'_>]) -> ProductKernel {
        ProductKernel::new(self.formula, &self.plan, inputs, (self.number, self.tiles))
    }

    /// Stores the elements at `output`.
    ///
    /// # Safety
    ///
    /// The output is memory of the device with the layout that this was made for, which nothing else uses.
    pub(super) unsafe fn run(&self, request: &Request<'_>, output: *mut u8) -> Result<()> {
        let inputs = &request.inputs.list;
        self.product.with_operands(&mut |operands, uses| {
            let launch = |launcher: Launcher| {
                // SAFETY: the inputs and operands are on this GPU, and their shapes were compared; the caller guarantees the output.
                unsafe { self.kernel(inputs).launch(launcher, &self.plan, inputs, operands, (output, self.strides)) }
            };
            request.execute_with(uses, || unreachable!("the request is for a GPU"), launch)
        })
    }
}

impl<'a> Inputs<'a> {
    /// Computes those that are deferred.
    pub(super) fn compute_deferred(&mut self, function: &'static str, place: &'static Location<'static>) -> Result<()> {
        for number in 0..self.list.len() {
            if let InputKind::Deferred { array, offset } = self.list[number].kind {
                let mut computed = Inputs::default();
                array.compute(&mut computed);
                computed.check(function, place)?;
                let array = computed.list.pop().expect("it is an array, or failed");
                self.list[number].kind = array.kind.moved(offset, array.size);
            }
        }
        Ok(())
    }

    /// Whether there are some that are not computed.
    pub(super) fn has_deferred(&self) -> bool {
        self.list.iter().any(|input| matches!(input.kind, InputKind::Deferred { .. }))
    }
}
