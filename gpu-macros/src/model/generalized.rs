//! What `#[guvectorize]` says: which core axes the inputs and outputs of one call have.

/// The arguments of `#[guvectorize("…", …)]`.
pub(crate) struct Generalized {
    /// `None` after an error.
    pub(crate) signature: Option<CoreSignature>,
    /// `fmad = false`: no contraction of `a * b + c`.
    pub(crate) fmad: bool,
}

/// `(m,n),(n)->(m)`.
///
/// An input is a parameter: a slice, or without core axes a number. So is an output with core axes. Outputs without core axes are
/// what the function returns, a tuple if there are several. Then come parameters for extents.
#[derive(Debug, Clone)]
pub(crate) struct CoreSignature {
    /// As the user wrote it.
    pub(crate) text: String,
    /// In the order in which they first occur.
    pub(crate) dimensions: Vec<CoreDimension>,
    pub(crate) inputs: Vec<CoreAxes>,
    pub(crate) outputs: Vec<CoreAxes>,
}

/// The core axes of an input or output, as indices into [`CoreSignature::dimensions`].
pub(crate) type CoreAxes = Vec<usize>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoreDimension {
    /// A name, or the number that is its extent.
    pub(crate) name: String,
    /// If it is fixed.
    pub(crate) extent: Option<usize>,
}

impl CoreSignature {
    /// The inputs, and the outputs that are parameters, in order.
    pub(crate) fn operand_params(&self) -> impl Iterator<Item = &CoreAxes> {
        self.inputs.iter().chain(self.outputs.iter().filter(|axes| !axes.is_empty()))
    }

    /// How many outputs the function returns.
    pub(crate) fn returned(&self) -> usize {
        self.outputs.iter().filter(|axes| axes.is_empty()).count()
    }

    /// The named dimension of that name.
    pub(crate) fn dimension(&self, name: &str) -> Option<usize> {
        self.dimensions.iter().position(|dimension| dimension.extent.is_none() && dimension.name == name)
    }

    /// Core axes as the signature has them: `(m,n)`.
    pub(crate) fn axes_text(&self, axes: &CoreAxes) -> String {
        let names: Vec<&str> = axes.iter().map(|&dimension| self.dimensions[dimension].name.as_str()).collect();
        format!("({})", names.join(","))
    }
}
