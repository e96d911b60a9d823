//! The parameters and the return type of a generalized function must match its signature.

use crate::errors::Errors;
use crate::model::*;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// Reports parameters that the signature of `#[guvectorize]` has no place for, and the other way round.
pub(crate) fn check_generalized(function: &Function, errors: &Errors) {
    let FunctionKind::Generalized(Generalized { signature: Some(signature), .. }) = &function.kind else { return };
    let checker = Checker { function, signature, errors };
    let operands = checker.check_operands();
    let has_output = checker.check_output();
    if let Some(operands) = operands {
        // A `&mut` parameter for what should be returned has been reported.
        checker.check_extents(operands, has_output);
    }
}

struct Checker<'f> {
    function: &'f Function,
    signature: &'f CoreSignature,
    errors: &'f Errors,
}

impl Checker<'_> {
    /// The parameters for inputs and outputs; returns how many of them there are, unless some are missing.
    fn check_operands(&self) -> Option<usize> {
        let Self { function, signature, errors } = self;
        let wanted = signature.operand_params().count();
        let found = function.params.len();
        if found < wanted {
            errors.push(
                function.name.span(),
                format!(
                    "`{}` needs {wanted} parameters besides the extents, but this function has {found}\nhelp: take {}",
                    signature.text,
                    self.wanted_params()
                ),
            );
            return None;
        }
        for (number, (axes, param)) in signature.operand_params().zip(&function.params).enumerate() {
            if number < signature.inputs.len() { self.check_input(param, axes) } else { self.check_output_param(param, axes) }
        }
        Some(wanted)
    }

    /// The required parameters for operands, for messages.
    fn wanted_params(&self) -> String {
        let inputs = self.signature.inputs.len();
        let params = self.signature.operand_params().enumerate().map(|(number, axes)| {
            let kind = match (number < inputs, axes.is_empty()) {
                (false, _) => "a `&mut [T]`",
                (true, false) => "a `&[T]`",
                (true, true) => "a number",
            };
            format!("{kind} for `{}`", self.signature.axes_text(axes))
        });
        params.collect::<Vec<_>>().join(", ")
    }

    fn check_input(&self, param: &Param, axes: &CoreAxes) {
        let Local { name, ty, .. } = self.function.local(param.local);
        let (text, element) = (self.signature.axes_text(axes), element_text(param));
        match ty {
            Type::Slice { mutable: true, .. } => self.errors.push(
                name.span(),
                format!("`{name}` is the input `{text}`, which is read-only\nhelp: write `{name}: {}`", input_text(axes, &element)),
            ),
            Type::Slice { .. } if axes.is_empty() => self.errors.push(
                name.span(),
                format!(
                    "`{name}` is the input `()`, a single element\nhelp: write `{name}: {element}`, or give it a core axis in the signature, such as `(n)`"
                ),
            ),
            single if single.is_array_element() && !axes.is_empty() => self.errors.push(
                name.span(),
                format!(
                    "`{name}` is the input `{text}`, an array\nhelp: write `{name}: &[{element}]`, or `()` in the signature for a single element"
                ),
            ),
            _ => {}
        }
    }

    fn check_output_param(&self, param: &Param, axes: &CoreAxes) {
        let Local { name, ty, .. } = self.function.local(param.local);
        if !matches!(ty, Type::Slice { mutable: true, .. } | Type::Refused) {
            self.errors.push(
                name.span(),
                format!(
                    "`{name}` is the output `{}`, which the function writes\nhelp: write `{name}: &mut [{}]`",
                    self.signature.axes_text(axes),
                    element_text(param)
                ),
            );
        }
    }

    /// The return type: the outputs without core axes. Whether it is right.
    fn check_output(&self) -> bool {
        let Self { function, signature, errors } = self;
        let span = function.output_tokens.as_ref().map_or_else(|| function.name.span(), Spanned::span);
        let returned = match &function.output {
            Type::Unit => 0,
            Type::Tuple(elements) if elements.iter().all(Type::is_array_element) => elements.len(),
            single if single.is_array_element() => 1,
            // Refused, with a reason of its own, or no element.
            _ if function.output_tokens.is_none() => return true,
            _ => usize::MAX,
        };
        let is_tuple = matches!(function.output, Type::Tuple(_));
        let wanted = signature.returned();
        if returned == wanted && is_tuple == (wanted > 1) {
            return true;
        }
        let help = match wanted {
            0 => "write its results into the `&mut [T]` parameters, or add an output `()` to the signature".to_owned(),
            1 => format!("return it, `-> {}`, and declare no parameter for it", self.output_element()),
            _ => format!("return them in order, as a tuple: `-> ({})`", vec![self.output_element(); wanted].join(", ")),
        };
        let message = match wanted {
            0 => format!("`{}` has no output `()`, so the function cannot return a value", signature.text),
            1 => format!("the function must return the output `()` of `{}`", signature.text),
            _ => format!("the function must return the {wanted} outputs `()` of `{}`", signature.text),
        };
        errors.push(span, format!("{message}\nhelp: {help}"));
        false
    }

    /// A guess at the type of an output, for messages: that of the first parameter.
    fn output_element(&self) -> String {
        self.function.params.first().map_or_else(|| "f32".to_owned(), element_text)
    }

    /// The parameters behind the operands: extents.
    fn check_extents(&self, operands: usize, has_output: bool) {
        let Self { function, signature, errors } = self;
        for param in &function.params[operands..] {
            let Local { name, ty, .. } = function.local(param.local);
            let is_dimension = signature.dimension(&name.unraw().to_string()).is_some();
            match ty {
                Type::Refused => {}
                Type::Slice { mutable: true, .. } if !has_output => {}
                &Type::USIZE if is_dimension => {}
                _ if is_dimension => {
                    errors.push(param.written.tokens.span(), format!("an extent must be a `usize`\nhelp: write `{name}: usize`"));
                }
                &Type::USIZE => {
                    errors.push(name.span(), format!("`{name}` is not a dimension of `{}`\nhelp: {}", signature.text, self.extents_help()));
                }
                _ => errors.push(
                    name.span(),
                    format!(
                        "`{}` does not list the parameter `{name}`\nhelp: add its core axes to the signature, or `()` for a single number",
                        signature.text
                    ),
                ),
            }
        }
    }

    fn extents_help(&self) -> String {
        let names: Vec<String> = self
            .signature
            .dimensions
            .iter()
            .filter(|dimension| dimension.extent.is_none())
            .map(|dimension| format!("`{}`", dimension.name))
            .collect();
        if names.is_empty() {
            "it has no named dimensions; declare any other parameter as an input, `()` for a single number".to_owned()
        } else {
            format!(
                "a parameter for an extent has the name of a dimension, here {}; declare any other number as an input, `()`",
                names.join(", ")
            )
        }
    }
}

/// The element type of a parameter, as the user wrote it.
fn element_text(param: &Param) -> String {
    let written = &param.written;
    written.element().unwrap_or(&written.tokens).to_string().replace(' ', "")
}

fn input_text(axes: &CoreAxes, element: &str) -> String {
    if axes.is_empty() { element.to_owned() } else { format!("&[{element}]") }
}
