//! What the file shows of the code around a function, which an attribute does not get: its modules, and what they import.
//!
//! Only names are read. What follows from them is asserted in the generated code, so that rustc decides. Where there is no file, or the
//! text is not that of the function, nothing is known.

mod file;

use self::file::{Block, File, Kind};
use crate::host_tool::is_editor;
use crate::model::{Length, Member, NamedType, Scalar, Type, begins_with_capital};
use proc_macro2::{Ident, Span};
use std::cell::RefCell;
use std::iter;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use syn::ext::IdentExt;

/// How many constants are followed one after the other.
const DEPTH_OF_NUMBERS: usize = 8;

/// The blocks around a function, from the file to the innermost.
#[derive(Default)]
pub(crate) struct Surroundings {
    file: Arc<File>,
    path: PathBuf,
    /// Their numbers in the file.
    blocks: Vec<usize>,
    /// The types whose fields were asked for.
    types: RefCell<Vec<(String, Option<Rc<syn::DeriveInput>>)>>,
}

/// A function in an `impl`.
pub(crate) struct FunctionOfType {
    /// The `impl` without its functions.
    pub(crate) header: syn::ItemImpl,
    /// The names of its parameters, as patterns.
    pub(crate) parameters: Vec<String>,
}

impl Surroundings {
    /// Of the function of this name.
    pub(crate) fn of(name: &Ident) -> Self {
        if !proc_macro::is_available() || is_editor() {
            return Self::default();
        }
        let span = name.span().unwrap();
        let found = span.local_file().and_then(|path| {
            let file = File::of(&path)?;
            let at = file.lines.get(span.line().checked_sub(1)?)? + span.column().saturating_sub(1);
            Some(Self { path, ..Self::in_file(file, at, &name.unraw().to_string())? })
        });
        found.unwrap_or_default()
    }

    /// Of the first function of this name in `source`.
    #[cfg(test)]
    pub(crate) fn in_source(source: &str, name: &str) -> Self {
        let file = File::in_source(source, "file".to_owned());
        let at = file.code.find(&format!("fn {name}")).expect("there is a function") + 3;
        Self::in_file(file.into(), at, name).expect("the name stands there")
    }

    /// Of the function whose name stands at `at`. `None` if another text does.
    fn in_file(file: Arc<File>, at: usize, name: &str) -> Option<Self> {
        let is_there = file.code.get(at..)?.trim_start_matches("r#").starts_with(name);
        let last = file.blocks.partition_point(|block| block.text.start <= at).checked_sub(1);
        let outwards = iter::successors(last, |&number| file.blocks[number].outer);
        let mut blocks: Vec<usize> = outwards.filter(|&number| file.blocks[number].text.contains(&at)).collect();
        blocks.reverse();
        is_there.then_some(Self { file, path: PathBuf::new(), blocks, types: RefCell::default() })
    }

    fn innermost(&self) -> Option<&Block> {
        self.blocks.last().map(|&number| &self.file.blocks[number])
    }

    /// The name of the module in which the function is an item.
    pub(crate) fn module(&self) -> Option<&str> {
        match &self.innermost()?.kind {
            Kind::Module(name) => Some(name.as_str()),
            _ => None,
        }
    }

    /// Whether the function is an item of a module, of another name, that has one function of this name.
    pub(crate) fn has_one_function(&self, name: &Ident) -> bool {
        self.innermost()
            .zip(self.module())
            .is_some_and(|(block, module)| name.unraw() != module && block.functions.iter().filter(|(known, _)| name == known).count() == 1)
    }

    /// The header of the `impl` in which the function stands, with an empty block.
    pub(crate) fn owner(&self) -> Option<syn::ItemImpl> {
        match &self.innermost()?.kind {
            Kind::Impl(header) => syn::parse_str(&format!("{header} {{}}")).ok(),
            _ => None,
        }
    }

    /// The path by which the function sees this name, if it is imported.
    pub(crate) fn import_of(&self, name: &Ident) -> Option<syn::Path> {
        let text = name.unraw().to_string();
        let imports =
            self.imports().filter(|import| import.contains(&text)).filter_map(|import| syn::parse_str::<syn::ItemUse>(import).ok());
        let mut names = imports.flat_map(|import| imported_names(&import.tree, &[]));
        names.find(|(imported, _)| imported == name).map(|(_, path)| path)
    }

    /// Whether the function sees all of a module, or of an enum, by an import.
    pub(crate) fn imports_all_of_something(&self) -> bool {
        self.imports().any(|import| import.contains('*'))
    }

    /// The path of a variant whose name the function sees by an import of it, or of all variants of an enum of this file.
    pub(crate) fn variant(&self, name: &Ident) -> Option<syn::Path> {
        let text = name.unraw().to_string();
        let mut imports = self.imports().filter(|import| import.contains(&text) || imports_all_of_type(import));
        let has_variant = |owner: &Ident| self.has_variant(owner, name);
        imports.find_map(|import| imported_variant(&syn::parse_str::<syn::ItemUse>(import).ok()?.tree, name, &has_variant))
    }

    /// Whether an enum `owner` of the file has this variant.
    pub(crate) fn has_variant(&self, owner: &Ident, name: &Ident) -> bool {
        let types = self.file.blocks.iter().flat_map(|block| &block.types).filter(|(known, _)| owner == known);
        let mut enums = types.filter_map(|(_, text)| syn::parse_str::<syn::ItemEnum>(self.file.code[text.clone()].trim()).ok());
        enums.any(|item| item.variants.iter().any(|variant| variant.ident == *name))
    }

    /// The imports that the function sees.
    fn imports(&self) -> impl Iterator<Item = &str> {
        self.visible().flat_map(|block| &block.imports).map(String::as_str)
    }

    /// Whether the function sees a module of this name that is declared next to it.
    pub(crate) fn declares_module(&self, name: &str) -> bool {
        self.visible().any(|block| block.modules.iter().any(|module| module == name))
    }

    /// The struct or enum of this name in the module of the function, as it is written. `None` if another one may have the name here.
    pub(crate) fn type_of_module(&self, name: &str) -> Option<syn::DeriveInput> {
        syn::parse_str(self.text_of_type(name)?).ok()
    }

    /// The struct or enum that the function most likely sees by this name: that of its module, or the one of the file that its imports lead to.
    pub(crate) fn likely_type(&self, name: &str) -> Option<syn::DeriveInput> {
        let beyond = || {
            let own = self.file.only_type(name).map(str::to_owned);
            own.or_else(|| self.imported_files(name).iter().find_map(|path| File::of(path)?.only_type(name).map(str::to_owned)))
        };
        let text = self.text_of_type(name).map(str::to_owned).or_else(beyond)?;
        syn::parse_str(&text).ok()
    }

    /// The files of this crate in which modules may be that a name is imported from.
    fn imported_files(&self, name: &str) -> Vec<PathBuf> {
        let Some(folder) = self.path.parent() else { return Vec::new() };
        let root = folder.ancestors().find(|folder| ["lib.rs", "main.rs"].iter().any(|root| folder.join(root).is_file())).unwrap_or(folder);
        let paths = self.imports().filter(|import| import.contains(name) || import.contains('*'));
        let paths =
            paths.filter_map(|import| syn::parse_str::<syn::ItemUse>(import).ok()).flat_map(|import| modules_of(&import.tree, name));
        let mut files = Vec::new();
        for module in paths {
            let Some((first, inner)) = module.split_first() else { continue };
            let folders = match first.as_str() {
                "crate" => vec![root],
                "super" => folder.ancestors().take(2).collect(),
                _ => vec![folder],
            };
            let inner = if ["crate", "super", "self"].contains(&first.as_str()) { inner } else { &module[..] };
            let inner: Vec<_> = inner.iter().filter(|segment| *segment != "super").collect();
            for folder in folders {
                for depth in (1..=inner.len()).rev() {
                    let path = inner[..depth].iter().fold(folder.to_owned(), |path, segment| path.join(segment));
                    files.extend([path.with_extension("rs"), path.join("mod.rs")]);
                }
            }
        }
        files.retain(|file| file.is_file());
        files
    }

    /// The type of a field of a struct in the module of the function, or of one of a field that is such a struct, if it is written as a
    /// number, `bool`, or an array or an `Option` of these, or as an array of another type of that module.
    pub(crate) fn type_of_field(&self, owner: &Ident, members: &[Member]) -> Option<Type> {
        let span = owner.span();
        let array_of_own = |ty: &syn::Type| {
            let (element, length) = array_type(ty, span)?;
            let syn::Type::Path(syn::TypePath { qself: None, path, .. }) = element else { return None };
            let item = self.type_of_module(&path.get_ident()?.to_string())?;
            let element = Type::Named(NamedType { path: path.clone() });
            item.generics.params.is_empty().then(|| Type::Array(Box::new(element), length))
        };
        self.with_field(owner, members, &|ty| written_type(ty, span).or_else(|| array_of_own(ty)))
    }

    /// Whether such a field is written as an array or an `Option`, of any elements.
    pub(crate) fn is_of_std(&self, owner: &Ident, members: &[Member]) -> bool {
        let is_of_std = |ty: &syn::Type| match ty {
            syn::Type::Array(_) => Some(true),
            syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident == "Option"),
            _ => None,
        };
        self.with_field(owner, members, &is_of_std) == Some(true)
    }

    fn with_field<R>(&self, owner: &Ident, members: &[Member], read: &dyn Fn(&syn::Type) -> Option<R>) -> Option<R> {
        let (member, rest) = members.split_first()?;
        let item = self.type_read_once(owner.unraw().to_string()).filter(|item| item.generics.params.is_empty())?;
        let syn::Data::Struct(syn::DataStruct { fields, .. }) = &item.data else { return None };
        let is_member = |(index, field): &(usize, &syn::Field)| match member {
            Member::Name(name) => field.ident.as_ref() == Some(name),
            Member::Position(position, _) => field.ident.is_none() && index == position,
        };
        // Behind an attribute, such as `cfg`, it may not be there. The positions of others depend on it.
        let has_attributes = fields.iter().any(|field| !field.attrs.is_empty()) && matches!(fields, syn::Fields::Unnamed(_));
        let (_, field) = fields.iter().enumerate().find(is_member).filter(|(_, field)| field.attrs.is_empty() && !has_attributes)?;
        match (&field.ty, rest) {
            (ty, []) => read(ty),
            (syn::Type::Path(syn::TypePath { qself: None, path, .. }), rest) => self.with_field(path.get_ident()?, rest, read),
            _ => None,
        }
    }

    /// [`type_of_module`](Self::type_of_module), for one that is asked for several times.
    fn type_read_once(&self, name: String) -> Option<Rc<syn::DeriveInput>> {
        let mut types = self.types.borrow_mut();
        if let Some((_, known)) = types.iter().find(|(known, _)| *known == name) {
            return known.clone();
        }
        let item = self.type_of_module(&name).map(Rc::new);
        types.push((name, item.clone()));
        item
    }

    fn text_of_type(&self, name: &str) -> Option<&str> {
        let block = self.visible().filter(|block| block.types.iter().any(|(known, _)| known == name)).last()?;
        let mut same = block.types.iter().filter(|(known, _)| known == name);
        match (&block.kind, same.next(), same.next()) {
            (Kind::Module(_), Some((_, text)), None) => Some(&self.file.code[text.clone()]),
            _ => None,
        }
    }

    /// The number that a constant of the module of the function is, as the text shows: a literal, or what is computed from such constants.
    /// `None` if another constant may have the name.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.number_to_depth(name, DEPTH_OF_NUMBERS)
    }

    /// Whether the text declares a constant of this name, wherever.
    pub(crate) fn declares_constant(&self, name: &str) -> bool {
        self.file.blocks.iter().flat_map(|block| &block.constants).any(|(known, _)| known == name)
    }

    fn number_to_depth(&self, name: &str, depth: usize) -> Option<u64> {
        let depth = depth.checked_sub(1)?;
        let (item, scalar) = self.constant(name)?;
        let number = self.evaluate(&item.expr, depth).filter(|_| scalar.is_integer())?;
        (number >> (scalar.bits() - 1) == 0).then_some(number)
    }

    /// The type of the constant at `path`, as the text shows: of the module of the function, of one that stands in it, or in the `impl` of the
    /// function. `None` if another constant may have the name.
    pub(crate) fn type_of_constant(&self, path: &syn::Path) -> Option<Scalar> {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect();
        let (_, scalar) = match &names[..] {
            [name] if self.import_of(path.get_ident()?).is_none() => self.constant(name)?,
            [owner, name] if self.is_owner(owner) => self.constant_in(self.innermost()?, name)?,
            [module, name] => self.constant_in(self.module_in_module(module)?, name)?,
            _ => return None,
        };
        Some(scalar)
    }

    /// Whether the function stands in an `impl` of the type of this name.
    fn is_owner(&self, name: &str) -> bool {
        self.owner().is_some_and(|owner| match &*owner.self_ty {
            syn::Type::Path(ty) => name == "Self" || ty.path.segments.last().is_some_and(|last| last.ident == name),
            _ => false,
        })
    }

    /// The only module of this name that stands in the module of the function.
    fn module_in_module(&self, name: &str) -> Option<&Block> {
        let module = self.visible().next()?;
        let hides = |block: &Block| !matches!(block.kind, Kind::Module(_) | Kind::Impl(_));
        let is_one = module.modules.iter().filter(|known| *known == name).count() == 1 && !self.visible().any(hides);
        let is_in_it = |block: &Block| block.outer.is_some_and(|outer| std::ptr::eq(&raw const self.file.blocks[outer], module));
        let is_named = |block: &&Block| matches!(&block.kind, Kind::Module(known) if known == name) && is_in_it(block);
        self.file.blocks.iter().find(is_named).filter(|_| is_one)
    }

    /// The constant of this name in the module of the function, and its type.
    fn constant(&self, name: &str) -> Option<(syn::ItemConst, Scalar)> {
        let is_named = |block: &&Block| block.constants.iter().any(|(known, _)| known == name);
        let block = self.visible().filter(is_named).last().filter(|block| matches!(block.kind, Kind::Module(_)))?;
        self.constant_in(block, name)
    }

    /// The only constant of this name in `block`.
    fn constant_in(&self, block: &Block, name: &str) -> Option<(syn::ItemConst, Scalar)> {
        let mut same = block.constants.iter().filter(|(known, _)| known == name);
        let (Some((_, text)), None) = (same.next(), same.next()) else { return None };
        // One under a `cfg` may not be there, and another constant of that name in its place.
        let item: syn::ItemConst =
            syn::parse_str(self.file.code[text.clone()].trim()).ok().filter(|item: &syn::ItemConst| item.attrs.is_empty())?;
        let syn::Type::Path(syn::TypePath { qself: None, path, .. }) = &*item.ty else { return None };
        let scalar = Scalar::from_name(&path.get_ident()?.to_string())?;
        Some((item, scalar))
    }

    /// A constant expression of numbers that are not negative.
    fn evaluate(&self, expr: &syn::Expr, depth: usize) -> Option<u64> {
        match expr {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse().ok(),
            syn::Expr::Paren(paren) => self.evaluate(&paren.expr, depth),
            syn::Expr::Path(syn::ExprPath { qself: None, path, .. }) => self.number_to_depth(&path.get_ident()?.to_string(), depth),
            syn::Expr::Binary(syn::ExprBinary { left, op, right, .. }) => {
                let (left, right) = (self.evaluate(left, depth)?, self.evaluate(right, depth)?);
                match op {
                    syn::BinOp::Add(_) => left.checked_add(right),
                    syn::BinOp::Sub(_) => left.checked_sub(right),
                    syn::BinOp::Mul(_) => left.checked_mul(right),
                    syn::BinOp::Div(_) => left.checked_div(right),
                    syn::BinOp::Rem(_) => left.checked_rem(right),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether one in the module of the function does not mention `word`.
    pub(crate) fn has_type_without(&self, word: &str) -> bool {
        self.visible().flat_map(|block| &block.types).any(|(_, text)| !self.file.code[text.clone()].contains(word))
    }

    /// Whether the file implements the trait of this name for a type, other than by a derive.
    pub(crate) fn implements(&self, name: &str, ty: &str) -> bool {
        let of_type = |rest: &str| rest.split_whitespace().next().is_some_and(|word| word.starts_with(ty));
        self.file.code.split(&format!("{name} for ")).skip(1).any(of_type)
    }

    /// The function `name` of the type `ty`, which stands in the module of the function, in an `impl` next to it. `None` if there is not
    /// exactly one in the text.
    pub(crate) fn function_of_type(&self, ty: &str, name: &str) -> Option<FunctionOfType> {
        self.text_of_type(ty)?;
        let functions = self.beside().filter_map(|block| match &block.kind {
            Kind::Impl(header) => {
                let parameters = parameters_of(&self.file.code[block.text.clone()], name)?;
                let header: syn::ItemImpl = syn::parse_str(&format!("{header} {{}}")).ok()?;
                let is_of_type =
                    matches!(&*header.self_ty, syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == ty));
                is_of_type.then_some(FunctionOfType { header, parameters })
            }
            _ => None,
        });
        let (own, of_traits): (Vec<_>, Vec<_>) = functions.partition(|function| function.header.trait_.is_none());
        let [function] = <[FunctionOfType; 1]>::try_from(if own.is_empty() { of_traits } else { own }).ok()?;
        Some(function)
    }

    /// The parameters of the function `name` of the trait `of`, which stands in the module of the function and has no supertraits;
    /// `Some(None)` if it has no such function.
    pub(crate) fn function_of_trait(&self, of: &syn::Path, name: &str) -> Option<Option<Vec<String>>> {
        let of = of.get_ident()?;
        let mut found = self.beside().filter(|block| matches!(&block.kind, Kind::Trait { name, .. } if of == name));
        let block =
            found.next().filter(|block| found.next().is_none() && matches!(block.kind, Kind::Trait { has_supertraits: false, .. }))?;
        let text = &self.file.code[block.text.clone()];
        match parameters_of(text, name) {
            None if text.contains(&format!("fn {name}")) => None,
            parameters => Some(parameters),
        }
    }

    /// The function `name` next to the function, without its block. `None` if there is not exactly one in the text.
    pub(crate) fn function_of_module(&self, name: &str) -> Option<syn::Signature> {
        let mut found = self
            .visible()
            .flat_map(|block| block.functions.iter().map(move |function| (block, function)))
            .filter(|(_, (known, _))| known == name);
        let (_, (_, header)) = found.next().filter(|(block, _)| found.next().is_none() && matches!(block.kind, Kind::Module(_)))?;
        // Most functions that are called have the attribute, and those that are not need no parser.
        let header = Some(header).filter(|header| !header.contains("#[gpu_device]"))?;
        let is_plain = |item: &syn::ItemFn| item.attrs.iter().all(|attribute| attribute.path().get_ident().is_some_and(is_not_ours));
        syn::parse_str(&format!("{header} {{}}")).ok().filter(is_plain).map(|item: syn::ItemFn| item.sig)
    }

    /// Whether the file declares a macro of this name.
    pub(crate) fn declares_macro(&self, name: &str) -> bool {
        let declared = self.file.code.split("macro_rules!").skip(1);
        declared.into_iter().any(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| !word.is_empty()) == Some(name))
    }

    /// Whether a type or a trait beside the function has a method of this name.
    pub(crate) fn has_method(&self, name: &Ident) -> bool {
        self.functions_beside(name, true).any(|header| header.contains("self"))
    }

    /// Whether the functions of this name beside the function, of types or of none, return a type of the user's, as its name shows.
    pub(crate) fn returns_own_type(&self, name: &Ident, are_of_types: bool) -> bool {
        let is_std = |output: &str| ["Option", "Result"].iter().any(|std| output.starts_with(std));
        let is_own = |header: &str| {
            let output = header.rsplit_once("->").map_or("", |(_, output)| output.trim_start());
            output.starts_with(char::is_uppercase) && !is_std(output)
        };
        self.functions_beside(name, are_of_types).map(is_own).reduce(|one, other| one && other) == Some(true)
    }

    /// What stands in front of the blocks of functions of this name, of types and traits or of none.
    fn functions_beside(&self, name: &Ident, of_types: bool) -> impl Iterator<Item = &str> {
        let blocks = self.beside().filter(move |block| block.kind.has_methods() == of_types);
        blocks.flat_map(|block| &block.functions).filter(move |(known, _)| name == known).map(|(_, header)| header.as_str())
    }

    /// Whether the file gives this name to a type that has another.
    pub(crate) fn declares_alias(&self, path: &syn::Path) -> bool {
        path.get_ident().is_some_and(|name| self.file.code.contains(&format!("type {name}")))
    }

    /// Whether `name` certainly leads to a device function that stands next to the function.
    pub(crate) fn declares_device_function(&self, name: &str) -> bool {
        let functions = self.visible().filter(|block| !block.kind.has_methods()).flat_map(|block| &block.functions);
        let mut found = functions.filter(|(known, _)| known == name);
        // The module of a function in a module of its name has another place.
        found.next().is_some_and(|(_, header)| header.contains("#[gpu_device]") && !header.contains("cfg"))
            && found.next().is_none()
            && self.module() != Some(name)
    }

    /// The types of the parameters of such a device function that has no type parameters.
    pub(crate) fn parameters_of_device_function(&self, name: &str) -> Option<Vec<syn::Type>> {
        if !self.declares_device_function(name) {
            return None;
        }
        let header = self.visible().find_map(|block| block.functions.iter().find(|(known, _)| known == name).map(|(_, header)| header))?;
        let syn::Signature { generics, inputs, .. } = syn::parse_str::<syn::ItemFn>(&format!("{header} {{}}")).ok()?.sig;
        let types = inputs.into_iter().map(|input| if let syn::FnArg::Typed(param) = input { Some(*param.ty) } else { None });
        if generics.params.is_empty() { types.collect() } else { None }
    }

    /// What the device function of this name next to the function returns, as it is written. `None` if there is not exactly one in the text.
    pub(crate) fn output_of_device_function(&self, name: &str) -> Option<syn::Type> {
        let mut found = self.visible().flat_map(|block| &block.functions).filter(|(known, _)| known == name);
        let (_, header) = found.next().filter(|_| found.next().is_none())?;
        let is_device_function = header.contains("gpu_device") && !header.contains("cfg");
        let syn::Signature { generics, output, .. } =
            is_device_function.then(|| syn::parse_str::<syn::ItemFn>(&format!("{header} {{}}")))?.ok()?.sig;
        match output {
            syn::ReturnType::Type(_, ty) if generics.params.is_empty() => Some(*ty),
            _ => None,
        }
    }

    /// Whether the function sees all of the runtime's prelude.
    pub(crate) fn imports_prelude(&self, runtime: &str) -> bool {
        self.imports().any(|import| {
            let path = import.trim_start_matches("pub ").strip_prefix("use ").map(|path| path.trim_start_matches("::"));
            path.and_then(|path| path.strip_prefix(runtime)).is_some_and(|rest| rest == "::prelude::*;")
        })
    }

    /// The blocks in the innermost module of the function, without those of modules in it.
    fn beside(&self) -> impl Iterator<Item = &Block> {
        let module = self.visible().next();
        let is_module = |block: &&Block| matches!(block.kind, Kind::Module(_));
        let module_of =
            move |inner: &Block| self.file.blocks.iter().filter(is_module).rfind(|outer| outer.text.contains(&inner.text.start));
        self.file.blocks.iter().filter(move |block| module_of(block).zip(module).is_some_and(|(around, module)| around.text == module.text))
    }

    /// The innermost module, and the blocks in it.
    fn visible(&self) -> impl Iterator<Item = &Block> {
        let blocks = self.blocks.iter().map(|&number| &self.file.blocks[number]);
        let module = blocks.clone().rposition(|block| matches!(block.kind, Kind::Module(_)));
        blocks.skip(module.unwrap_or(0))
    }
}

/// A number, `bool`, or an `Option` or an array of a literal length of these.
pub(crate) fn written_type(ty: &syn::Type, span: Span) -> Option<Type> {
    match ty {
        syn::Type::Path(syn::TypePath { qself: None, path: syn::Path { leading_colon: None, segments }, .. })
            if segments.len() == 1 && segments[0].ident == "Option" =>
        {
            let syn::PathArguments::AngleBracketed(arguments) = &segments[0].arguments else { return None };
            match arguments.args.first() {
                Some(syn::GenericArgument::Type(ty)) if arguments.args.len() == 1 => written_type(ty, span).map(Type::option),
                _ => None,
            }
        }
        syn::Type::Path(syn::TypePath { qself: None, path, .. }) => Scalar::from_name(&path.get_ident()?.to_string()).map(Type::Scalar),
        ty => array_type(ty, span).and_then(|(element, length)| Some(Type::Array(Box::new(written_type(element, span)?), length))),
    }
}

/// The elements of an array type, and its literal length.
fn array_type(ty: &syn::Type, span: Span) -> Option<(&syn::Type, Length)> {
    match ty {
        syn::Type::Array(syn::TypeArray { elem, len: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }), .. }) => {
            Some((elem, Length::of_elements(length.base10_parse().ok()?, span)))
        }
        _ => None,
    }
}

/// The modules that the tree imports `name` from, or everything.
fn modules_of(tree: &syn::UseTree, name: &str) -> Vec<Vec<String>> {
    match tree {
        syn::UseTree::Path(path) => {
            let first = path.ident.unraw().to_string();
            modules_of(&path.tree, name).into_iter().map(|rest| [vec![first.clone()], rest].concat()).collect()
        }
        syn::UseTree::Group(group) => group.items.iter().flat_map(|tree| modules_of(tree, name)).collect(),
        syn::UseTree::Name(imported) if imported.ident == name => vec![Vec::new()],
        syn::UseTree::Glob(_) => vec![Vec::new()],
        syn::UseTree::Name(_) | syn::UseTree::Rename(_) => Vec::new(),
    }
}

/// Whether an attribute of this name can neither be ours nor stand for it.
pub(crate) fn is_not_ours(name: &Ident) -> bool {
    ["allow", "doc", "cfg", "expect", "warn", "deny", "rustfmt", "inline", "must_use", "cold", "deprecated"]
        .iter()
        .any(|other| name == other)
}

/// Whether the function stands in a module of its name. Then the module that is generated for it cannot be imported with it: next to
/// `mod scale;`, `use scale::scale;` would give the name `scale` to two modules.
pub(crate) fn is_in_module_of_its_name(name: &Ident) -> bool {
    let text = name.unraw().to_string();
    Surroundings::of(name).module() == Some(text.as_str())
}

/// The names that `tree` imports, each with its path.
pub(crate) fn imported_names(tree: &syn::UseTree, prefix: &[Ident]) -> Vec<(Ident, syn::Path)> {
    let full = |name: &Ident| {
        let names = prefix.iter().chain([name]);
        syn::parse_quote!(#(#names)::*)
    };
    match tree {
        syn::UseTree::Path(path) => {
            let prefix: Vec<Ident> = prefix.iter().chain([&path.ident]).cloned().collect();
            imported_names(&path.tree, &prefix)
        }
        syn::UseTree::Name(name) => vec![(name.ident.clone(), full(&name.ident))],
        syn::UseTree::Rename(rename) => vec![(rename.rename.clone(), full(&rename.ident))],
        syn::UseTree::Group(group) => group.items.iter().flat_map(|tree| imported_names(tree, prefix)).collect(),
        syn::UseTree::Glob(_) => Vec::new(),
    }
}

/// Whether it imports all of something with the name of a type.
fn imports_all_of_type(import: &str) -> bool {
    let name_before = |at: usize| import[..at].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
    import.match_indices("::*").any(|(at, _)| name_before(at).is_some_and(|name| name.starts_with(char::is_uppercase)))
}

/// The parameters of the only function of this name in the text of an `impl`.
fn parameters_of(text: &str, name: &str) -> Option<Vec<String>> {
    let mut found =
        text.split("fn ").skip(1).filter_map(|rest| rest.trim_start().strip_prefix(name)).filter(|rest| rest.starts_with(['(', ' ']));
    let signature = found.next().filter(|_| found.next().is_none())?.trim_start().strip_prefix('(')?;
    let (mut open, mut parameters) = (0, vec![String::new()]);
    // The end of an arrow is no bracket.
    for c in signature.replace("->", " ").chars() {
        match c {
            ')' if open == 0 => break,
            ',' if open == 0 => parameters.push(String::new()),
            _ => {
                open += i32::from("([{<".contains(c)) - i32::from(")]}>".contains(c));
                parameters.last_mut()?.push(c);
            }
        }
    }
    let pattern = |parameter: String| parameter.split(':').next().unwrap_or_default().trim().to_owned();
    Some(parameters.into_iter().map(pattern).filter(|pattern| !pattern.is_empty()).collect())
}

/// The path of the variant `name`, if `tree` imports it, by its name or with all of an enum that has it.
pub(crate) fn imported_variant(tree: &syn::UseTree, name: &Ident, has_variant: &dyn Fn(&Ident) -> bool) -> Option<syn::Path> {
    find_variant(tree, &mut Vec::new(), name, has_variant)
}

/// The same in the part `tree` of an import, behind `path`.
fn find_variant(tree: &syn::UseTree, path: &mut Vec<Ident>, name: &Ident, has_variant: &dyn Fn(&Ident) -> bool) -> Option<syn::Path> {
    let owner = path.last().filter(|owner| begins_with_capital(owner));
    let variant = match tree {
        syn::UseTree::Path(inner) => {
            path.push(inner.ident.clone());
            let found = find_variant(&inner.tree, path, name, has_variant);
            path.pop();
            return found;
        }
        syn::UseTree::Group(group) => return group.items.iter().find_map(|tree| find_variant(tree, path, name, has_variant)),
        syn::UseTree::Name(imported) => owner.and(Some(&imported.ident)).filter(|imported| *imported == name)?,
        syn::UseTree::Rename(imported) => owner.and(Some(&imported.ident)).filter(|_| imported.rename == *name)?,
        syn::UseTree::Glob(_) => owner.filter(|owner| has_variant(owner)).and(Some(name))?,
    };
    let names = path.iter().chain([variant]);
    Some(syn::parse_quote!(#(#names)::*))
}

#[cfg(test)]
mod tests;
