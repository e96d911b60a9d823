//! The CUDA C as the runtime's `SourceUnit`.

use super::associated::{expand_associated_callee, expand_operand_type, expand_overload, expand_value};
use super::bounds::expand_constant_conditions;
use super::called::called_name;
use super::cooperative::expand_cooperative;
use super::generics::expand_callee;
use super::sites::sites_name;
use super::tokens::expand_type;
use crate::emit::{Known, Overload, Piece, Source};
use crate::idents::text_of;
use crate::model::{Function, RuntimePath};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// `const UNIT` of a kernel or a device function, and what else its launches and callers need to know.
pub(super) fn expand_constant_unit(function: &Function, source: &Source) -> TokenStream {
    let cooperative = expand_cooperative(&function.runtime, &source.cooperation);
    let units = expand_units(function, source, &expand_constants(function));
    quote_spanned!(Span::mixed_site()=> #cooperative #units)
}

/// `const UNIT` and `const RACING_UNIT`, each behind these declarations.
pub(super) fn expand_units(function: &Function, source: &Source, declarations: &TokenStream) -> TokenStream {
    let (runtime, unit) = (&function.runtime, expand_unit(function, source));
    let racing = source.racing.as_deref().map(|racing| {
        let unit = expand_unit(function, racing);
        quote_spanned! {Span::mixed_site()=>
            const RACING_UNIT: ::core::option::Option<&'static #runtime::__private::SourceUnit> = {
                #declarations
                ::core::option::Option::Some(&#unit)
            };
        }
    });
    quote_spanned! {Span::mixed_site()=>
        const UNIT: &'static #runtime::__private::SourceUnit = {
            #declarations
            &#unit
        };
        #racing
    }
}

pub(super) fn expand_unit(function: &Function, source: &Source) -> TokenStream {
    let runtime = &function.runtime;
    let Source { name, snippets, several_elements, .. } = source;
    let prototype = expand_template(runtime, &source.prototype);
    let body = expand_template(runtime, &source.body);
    let sites = if function.sites.is_empty() {
        quote_spanned!(Span::mixed_site()=> #runtime::__private::Sites::none_in(::core::file!()))
    } else {
        sites_name().into_token_stream()
    };
    quote_spanned! {Span::mixed_site()=>
        #runtime::__private::SourceUnit {
            name: #name,
            prototype: &[#prototype],
            body: &[#body],
            snippets: &[#(#snippets),*],
            sites: &#sites,
            several_elements: #several_elements,
        }
    }
}

/// Copies of the `const` items in the body, for generated functions that evaluate them outside of it.
pub(super) fn expand_constants(function: &Function) -> TokenStream {
    let constants = &function.constants;
    quote_spanned!(Span::mixed_site()=> #(#[allow(dead_code)] #constants)*)
}

/// The pieces as one `Segment::Template`, whose tags the runtime's module `template` describes. Nothing for no pieces.
fn expand_template(runtime: &RuntimePath, pieces: &[Piece]) -> Option<TokenStream> {
    let mut template = Template { runtime, text: String::new(), holes: Vec::new() };
    template.write_pieces(pieces);
    let Template { text, holes, .. } = template;
    let holes = holes.iter().map(|(_, segment)| quote_spanned!(Span::mixed_site()=> #runtime::__private::Segment::#segment));
    (!text.is_empty()).then(|| {
        quote_spanned! {Span::mixed_site()=>
            #runtime::__private::Segment::Template { text: #text, holes: &[#(#holes),*] }
        }
    })
}

/// A template that is being written.
struct Template<'f> {
    runtime: &'f RuntimePath,
    text: String,
    /// What the tags with numbers stand for: each once, with its tokens as text.
    holes: Vec<(String, TokenStream)>,
}

impl Template<'_> {
    fn write_pieces(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.text.push_str(&text.replace('`', "``")),
                Piece::OwnName => self.text.push_str("`name`"),
                Piece::Start => self.text.push_str("`start`"),
                Piece::ForallBlock => self.text.push_str("`block`"),
                Piece::ElementsPerThread => self.text.push_str("`elements`"),
                Piece::Site(index) => self.write_tag(format_args!("site {index}")),
                Piece::Line(line) => self.write_tag(format_args!("line {line}")),
                Piece::Checked(unless, inner) => self.write_region(format_args!("checked {unless}"), inner),
                Piece::Shown(holding, inner) => self.write_region(format_args!("shown {holding}"), inner),
                Piece::Proved(inner) => self.write_region(format_args!("proved{{"), inner),
                Piece::If(condition, inner) => {
                    let number = self.hole(quote_spanned!(Span::mixed_site()=> BeginIf(|| #condition)));
                    self.write_region(format_args!("{number}"), inner);
                }
                Piece::Overloaded { callee, own, otherwise } => {
                    let number = self.overload(callee);
                    self.write_region(format_args!("own {number}"), own);
                    self.write_region(format_args!("other {number}"), otherwise);
                }
                Piece::Operator(callee, otherwise) => {
                    let number = self.overload(callee);
                    if otherwise.is_empty() {
                        self.write_tag(format_args!("{number}"));
                    } else {
                        self.write_tag(format_args!("own {number}``{number}``}}``other {number}"));
                        self.text.push_str(otherwise);
                        self.text.push_str("`}`");
                    }
                }
                Piece::Cooperative(inner) => self.write_region(format_args!("cooperative{{"), inner),
                Piece::Elements { one, several } => {
                    self.write_region(format_args!("one{{"), one);
                    self.write_region(format_args!("several{{"), several);
                }
                Piece::Width { wide, narrow } => {
                    self.write_region(format_args!("wide{{"), wide);
                    self.write_region(format_args!("narrow{{"), narrow);
                }
                Piece::Function { callee, .. } | Piece::NarrowFunction { callee, .. } => {
                    let name = callee.path.segments.last().map(|last| last.ident.span().start());
                    if let Some(start) = name {
                        self.write_tag(format_args!("call {}:{}", start.line, start.column + 1));
                    }
                    let number = self.hole(expand_hole(self.runtime, piece));
                    self.write_tag(format_args!("{number}"));
                }
                Piece::Foreign(_)
                | Piece::Linked(_)
                | Piece::NarrowIf(_)
                | Piece::Constant(_)
                | Piece::Value(_)
                | Piece::TableType(_)
                | Piece::Table(_)
                | Piece::Variant(..)
                | Piece::VariantTest(..)
                | Piece::Associated { .. }
                | Piece::OperandType(..)
                | Piece::TypeOf(_)
                | Piece::ElementsOf(_)
                | Piece::Type(_)
                | Piece::Tuple(_) => {
                    let number = self.hole(expand_hole(self.runtime, piece));
                    self.write_tag(format_args!("{number}"));
                }
            }
        }
    }

    fn write_tag(&mut self, tag: std::fmt::Arguments<'_>) {
        self.text.push_str(&format!("`{tag}`"));
    }

    fn write_region(&mut self, tag: std::fmt::Arguments<'_>, inner: &[Piece]) {
        if inner.is_empty() {
            return;
        }
        self.write_tag(tag);
        self.write_pieces(inner);
        self.text.push_str("`}`");
    }

    /// The number of the hole for this segment.
    fn hole(&mut self, segment: TokenStream) -> usize {
        let key = text_of(&segment);
        self.holes.iter().position(|(other, _)| *other == key).unwrap_or_else(|| {
            self.holes.push((key, segment));
            self.holes.len() - 1
        })
    }

    /// The number of the hole for the user's function of an operator.
    fn overload(&mut self, callee: &Overload) -> usize {
        let callee = expand_overload(self.runtime, callee);
        self.hole(quote_spanned!(Span::mixed_site()=> Overload(|| #callee)))
    }
}

/// The segment for what only rustc can fill in.
fn expand_hole(runtime: &RuntimePath, piece: &Piece) -> TokenStream {
    match piece {
        Piece::Foreign(text) => quote_spanned!(Span::mixed_site()=> Text(#text)),
        Piece::Linked(text) => quote_spanned!(Span::mixed_site()=> Linked(#text)),
        Piece::Constant(value) => quote_spanned!(Span::mixed_site()=> Constant(|| #runtime::__private::literal(#value))),
        Piece::Value(value) => quote_spanned!(Span::mixed_site()=> Value(|| #runtime::__private::constant(#value))),
        Piece::TableType(path) => quote_spanned!(Span::mixed_site()=> Constant(|| #runtime::__private::table_type(&#path))),
        Piece::Table(path) => quote_spanned!(Span::mixed_site()=> Constant(|| #runtime::__private::table(&#path))),
        Piece::Variant(value, Known::Nothing) => quote_spanned!(Span::mixed_site()=> Value(|| #runtime::__private::variant(#value))),
        Piece::Variant(value, like) => {
            let like = expand_value(runtime, like, Span::mixed_site());
            quote_spanned!(Span::mixed_site()=> Value(|| #runtime::__private::variant_like(|| #like, #value)))
        }
        Piece::VariantTest(owner, name) => {
            let owner = expand_value(runtime, owner, Span::mixed_site());
            quote_spanned!(Span::mixed_site()=> Constant(|| #runtime::__private::variant_test(|| #owner, #name)))
        }
        Piece::Function { callee, races } => {
            let (callee, instance) = (expand_callee(runtime, callee), instance_for(*races, "callee"));
            quote_spanned!(Span::mixed_site()=> Function(#callee::#instance))
        }
        Piece::NarrowFunction { callee, races, relies } => {
            let (callee, instance) = (expand_callee(runtime, callee), instance_for(*races, "callee"));
            quote_spanned!(Span::mixed_site()=> NarrowFunction { callee: #callee::#instance, relies: #relies })
        }
        Piece::NarrowIf(conditions) => {
            let holds = expand_constant_conditions(conditions);
            quote_spanned!(Span::mixed_site()=> NarrowIf(|| #holds))
        }
        Piece::Associated { callee, races } => {
            let (call, instance) = (expand_associated_callee(runtime, callee), instance_for(*races, "callee_of"));
            quote_spanned!(Span::mixed_site()=> Function(|| #runtime::calls::#instance(|| #call)))
        }
        Piece::OperandType(callee, is_right) => {
            let ty = expand_operand_type(runtime, callee, *is_right);
            quote_spanned!(Span::mixed_site()=> Type(|| #ty))
        }
        Piece::TypeOf(known) => {
            let value = expand_value(runtime, known, Span::mixed_site());
            quote_spanned!(Span::mixed_site()=> Type(|| #runtime::__private::ops::c_type_of(|| #value)))
        }
        Piece::ElementsOf(known) => {
            let value = expand_value(runtime, known, Span::mixed_site());
            quote_spanned! {Span::mixed_site()=> Constant(|| {
                #[allow(unused_imports)]
                use #runtime::__private::NoArray as _;
                (&#runtime::__private::lent(|| #value)).elements()
            })}
        }
        Piece::Type(name) => quote_spanned!(Span::mixed_site()=> Type(#runtime::calls::c_type::<#name>)),
        Piece::Tuple(ty) => {
            // Its elements have a spelling, or it had been refused.
            let ty = expand_type(ty, Span::mixed_site()).unwrap_or_else(|| quote_spanned!(Span::mixed_site()=> ()));
            quote_spanned!(Span::mixed_site()=> Type(#runtime::calls::c_type::<#ty>))
        }
        Piece::Text(_)
        | Piece::OwnName
        | Piece::Start
        | Piece::ForallBlock
        | Piece::ElementsPerThread
        | Piece::Site(_)
        | Piece::Checked(..)
        | Piece::Shown(..)
        | Piece::If(..)
        | Piece::Overloaded { .. }
        | Piece::Operator(..)
        | Piece::Proved(_)
        | Piece::Cooperative(_)
        | Piece::Elements { .. }
        | Piece::Width { .. }
        | Piece::Line(_) => unreachable!("it stands in the text"),
    }
}

/// The runtime's function of this name, or that for calls with arrays that may race.
fn instance_for(races: bool, name: &str) -> Ident {
    let name = if races { format!("racing_{name}") } else { name.to_owned() };
    Ident::new(&name, Span::mixed_site())
}

/// The type behind the path of a device function: `f::gpu_device`, with our name for `f`.
pub(super) fn device_path(path: &syn::Path) -> syn::Path {
    let name = called_name(path);
    let device = syn::Ident::new("gpu_device", name.span());
    syn::parse_quote!(#name::#device)
}
