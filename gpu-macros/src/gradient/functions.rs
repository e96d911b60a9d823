//! `grad`, `value_and_grad`, `jvp` and `hessian` of a function, by its copies with dual numbers.

use super::{CURVATURES, Kind, LONGEST, MODULE, MOST_RESULTS, Order, Parameter, WITH_ITEMS, number};
use crate::model::RuntimePath;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

pub(super) struct Functions<'f> {
    pub(super) parameters: &'f [Parameter<'f>],
    pub(super) float: Ident,
    pub(super) order: Order,
    pub(super) runtime: &'f RuntimePath,
}

/// The numbers that a derivative is computed with: floats with the first copy, and dual numbers with the second one.
struct Numbers {
    /// The type of a float parameter.
    float: TokenStream,
    /// The dual number of it.
    dual: TokenStream,
    /// The function that makes one that does not move.
    still: TokenStream,
    one: TokenStream,
    /// The copy of the function.
    copy: TokenStream,
}

/// Which elements move: how fast that element of the parameter with that index does.
type Speed<'s> = &'s dyn Fn(usize, usize) -> Option<TokenStream>;

impl Functions<'_> {
    /// The functions, which are array functions too if all parameters are numbers.
    pub(super) fn expand(&self) -> TokenStream {
        let (module, float, runtime) = (Ident::new(MODULE, Span::call_site()), &self.float, self.runtime);
        let dual = number(Order::First, &float.to_string(), runtime);
        let first = Numbers {
            float: float.to_token_stream(),
            still: quote!(#dual::constant),
            one: quote!(1.0),
            copy: quote!(#module::dual),
            dual: dual.clone(),
        };
        let second = (self.order == Order::Second).then(|| {
            let second = number(Order::Second, &float.to_string(), runtime);
            Numbers {
                still: quote!(#second::still),
                one: quote!(#dual::constant(1.0)),
                copy: quote!(super::super::#module::second),
                float: dual,
                dual: second,
            }
        });
        let floats = self.parameters.iter().filter(|parameter| parameter.kind != Kind::Constant);
        let by = floats.map(|parameter| format!("`{}`", parameter.name)).collect::<Vec<_>>().join(", ");
        let functions = [
            ("grad", self.count(), format!("The derivative by {by}.")),
            ("value_and_grad", self.count() + 1, format!("The value, and the derivative by {by}.")),
            ("jvp", 2, format!("The value, and its derivative along a direction: how fast {by} move.")),
        ];
        let functions = functions.into_iter().filter(|(name, ..)| *name != "jvp" || self.has_jvp()).map(|(name, results, doc)| {
            let function = self.function(name, &first, &format_ident!("{name}"));
            let copy = second.as_ref().map(|second| {
                let copy = self.function(name, second, &format_ident!("dual"));
                quote_spanned! {Span::mixed_site()=>
                    #[doc(hidden)]
                    #[allow(warnings, clippy::all, clippy::pedantic)]
                    pub mod #module {
                        #[#runtime::gpu_device]
                        #copy
                    }
                }
            });
            let arguments = copy.map(|copy| {
                let word = format_ident!("{WITH_ITEMS}");
                quote!((#word { #copy }))
            });
            let attribute = self.attribute(results);
            quote_spanned! {Span::mixed_site()=>
                #[doc = #doc]
                #[#attribute #arguments]
                #[allow(unused, clippy::all, clippy::pedantic)]
                #function
            }
        });
        let hessian = second.as_ref().and_then(|second| self.hessian(&first, second, &by));
        quote!(#(#functions)* #hessian)
    }

    /// `vectorize` if that is possible for that many results.
    fn attribute(&self, results: usize) -> TokenStream {
        let runtime = self.runtime;
        if results <= MOST_RESULTS && !self.has_arrays() { quote!(#runtime::vectorize) } else { quote!(#runtime::gpu_device) }
    }

    fn has_arrays(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter.kind, Kind::Array(_)))
    }

    /// The indices of the parameters that the derivative is by.
    fn floats(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.parameters.len()).filter(|&index| self.parameters[index].kind != Kind::Constant)
    }

    fn count(&self) -> usize {
        self.floats().count()
    }

    /// A function has up to eight parameters.
    fn has_jvp(&self) -> bool {
        self.parameters.len() + self.count() <= 8
    }

    /// The indices of all numbers that the derivative is by: of the parameter, and of the element in it.
    fn elements(&self) -> Vec<(usize, usize)> {
        let length = |index: usize| match self.parameters[index].kind {
            Kind::Array(length) => length,
            _ => 1,
        };
        self.floats().flat_map(|index| (0..length(index)).map(move |element| (index, element))).collect()
    }

    /// The type of a parameter, with these numbers.
    fn ty(&self, index: usize, float: &TokenStream) -> TokenStream {
        match self.parameters[index].kind {
            Kind::Constant => self.parameters[index].ty.to_token_stream(),
            Kind::Float => float.clone(),
            Kind::Array(length) => quote!([#float; #length]),
        }
    }

    fn inputs(&self, float: &TokenStream) -> TokenStream {
        let (names, types) = (self.names(), (0..self.parameters.len()).map(|index| self.ty(index, float)));
        quote!(#(#names: #types),*)
    }

    fn names(&self) -> Vec<Ident> {
        (0..self.parameters.len()).map(|index| format_ident!("x{index}")).collect()
    }

    /// The arguments of a copy, made by `argument` of each number, and of the indices of its parameter and its element.
    fn arguments(&self, argument: impl Fn(TokenStream, usize, usize) -> TokenStream) -> TokenStream {
        let names = self.names();
        let arguments = self.parameters.iter().zip(&names).enumerate().map(|(index, (parameter, name))| match parameter.kind {
            Kind::Constant => quote!(#name),
            Kind::Float => argument(quote!(#name), index, 0),
            Kind::Array(length) => {
                let elements = (0..length).map(|element| argument(quote!(#name[#element]), index, element));
                quote!([#(#elements),*])
            }
        });
        quote!(#(#arguments),*)
    }

    /// A function without its attribute.
    fn function(&self, function: &str, numbers: &Numbers, name: &Ident) -> TokenStream {
        match function {
            "jvp" => self.along(numbers, name),
            _ => self.partials(numbers, name, function == "value_and_grad"),
        }
    }

    fn moving(&self, numbers: &Numbers, speed: Speed<'_>) -> TokenStream {
        let Numbers { dual, still, .. } = numbers;
        self.arguments(|value, index, element| match speed(index, element) {
            Some(speed) => quote!(#dual::variable(#value, #speed)),
            None => quote!(#still(#value)),
        })
    }

    /// The partial derivatives: one evaluation of the copy for each number.
    fn partials(&self, numbers: &Numbers, name: &Ident, with_value: bool) -> TokenStream {
        let Numbers { float, dual, one, copy, .. } = numbers;
        let mut calls = Vec::new();
        let mut partial = |by: usize, of: usize| {
            let name = format_ident!("partial{}", calls.len());
            let arguments = self.moving(numbers, &|index, element| ((index, element) == (by, of)).then(|| one.clone()));
            calls.push(quote!(let #name: #dual = #copy(#arguments);));
            quote!(#name.tangent)
        };
        let tangents: Vec<TokenStream> = self
            .floats()
            .map(|by| match self.parameters[by].kind {
                Kind::Array(length) => {
                    let elements = (0..length).map(|element| partial(by, element));
                    quote!([#(#elements),*])
                }
                _ => partial(by, 0),
            })
            .collect();
        let types: Vec<TokenStream> = self.floats().map(|index| self.ty(index, float)).collect();
        let value = |value: TokenStream| if with_value { vec![value] } else { Vec::new() };
        let results = together(&[value(quote!(partial0.value)), tangents].concat());
        let types = together(&[value(float.clone()), types].concat());
        let inputs = self.inputs(float);
        quote_spanned! {Span::mixed_site()=>
            pub fn #name(#inputs) -> #types {
                #(#calls)*
                #results
            }
        }
    }

    /// The value, and its derivative along a direction.
    fn along(&self, numbers: &Numbers, name: &Ident) -> TokenStream {
        let Numbers { float, dual, copy, .. } = numbers;
        let speeds: Vec<_> = self.floats().map(|index| format_ident!("d{index}")).collect();
        let types: Vec<TokenStream> = self.floats().map(|index| self.ty(index, float)).collect();
        let arguments = self.moving(numbers, &|index, element| {
            let speed = format_ident!("d{index}");
            Some(if self.parameters[index].kind == Kind::Float { quote!(#speed) } else { quote!(#speed[#element]) })
        });
        let inputs = self.inputs(float);
        quote_spanned! {Span::mixed_site()=>
            pub fn #name(#inputs, #(#speeds: #types),*) -> (#float, #float) {
                let along: #dual = #copy(#arguments);
                (along.value, along.tangent)
            }
        }
    }

    /// The second derivatives by each pair of numbers: one evaluation of the second copy for each pair.
    fn hessian(&self, first: &Numbers, second: &Numbers, by: &str) -> Option<TokenStream> {
        let elements = self.elements();
        let count = elements.len();
        if count > LONGEST {
            return None;
        }
        let module = Ident::new(MODULE, Span::call_site());
        let (Numbers { float, dual, still, one, .. }, second_dual, outer_still, outer_one) =
            (first, &second.dual, &second.still, &second.one);
        let mut calls = Vec::new();
        let entry = |i: usize, j: usize| format_ident!("entry{i}_{j}");
        for i in 0..count {
            for j in i..count {
                let arguments = self.arguments(|value, index, element| {
                    let inner =
                        if elements[j] == (index, element) { quote!(#dual::variable(#value, #one)) } else { quote!(#still(#value)) };
                    let is_outer = elements[i] == (index, element);
                    if is_outer { quote!(#second_dual::variable(#inner, #outer_one)) } else { quote!(#outer_still(#inner)) }
                });
                let (entry, whole, part) = (entry(i, j), format_ident!("whole{i}_{j}"), format_ident!("part{i}_{j}"));
                calls.push(quote! {
                    let #whole: #second_dual = #module::second(#arguments);
                    let #part: #dual = #whole.tangent;
                    let #entry: #float = #part.tangent;
                });
            }
        }
        let rows = (0..count).map(|i| {
            let entries = (0..count).map(|j| entry(i.min(j), i.max(j)));
            quote!([#(#entries),*])
        });
        let only = entry(0, 0);
        let (ty, result) =
            if count == 1 { (quote!(#float), quote!(#only)) } else { (quote!([[#float; #count]; #count]), quote!([#(#rows),*])) };
        let curvatures = (count == 2 && !self.has_arrays()).then(|| {
            let (name, attribute, inputs) = (format_ident!("{CURVATURES}"), self.attribute(3), self.inputs(float));
            let [first, both, last] = [entry(0, 0), entry(0, 1), entry(1, 1)];
            quote_spanned! {Span::mixed_site()=>
                #[doc(hidden)]
                #[#attribute]
                #[allow(unused, clippy::all, clippy::pedantic)]
                pub fn #name(#inputs) -> (#float, #float, #float) {
                    #(#calls)*
                    (#first, #both, #last)
                }
            }
        });
        let attribute = if count == 1 { self.attribute(1) } else { self.attribute(MOST_RESULTS + 1) };
        let (doc, inputs) = (format!("The second derivatives by {by}."), self.inputs(float));
        Some(quote_spanned! {Span::mixed_site()=>
            #[doc = #doc]
            #[#attribute]
            #[allow(unused, clippy::all, clippy::pedantic)]
            pub fn hessian(#inputs) -> #ty {
                #(#calls)*
                #result
            }

            #curvatures
        })
    }
}

/// A value, or a tuple of several.
fn together(parts: &[TokenStream]) -> TokenStream {
    match parts {
        [only] => only.clone(),
        _ => quote!((#(#parts),*)),
    }
}
