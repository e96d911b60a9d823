//! Linking: from a kernel's source unit to one text of CUDA C.
//!
//! A unit names the device functions it calls through Rust paths, so the units of a program form a graph that may have
//! cycles (recursion). [`assemble`] walks it and writes the snippets, every prototype, every function and last the kernel.
//! The instances of a generic function are units of their own; there are finitely many, as a type parameter stands for a number.
//!
//! The same walk gives two texts. NVRTC gets `#line` directives, so that its messages name the Rust source. People get none, and
//! neither does the cache key, so that moving a kernel within its file keeps its cubin.

use std::any::TypeId;
use std::collections::HashSet;
use std::fmt::Write as _;

use super::snippets::{self, COOPERATIVE, GRID, Snippet};
use super::structs::Structs;
use super::variant::Variant;
use crate::constant::{ConstantText, Part};
use crate::failure::{KernelFailure, is_of_this_crate};
use crate::source::template::{flat, kept_with_marks};
use crate::source::{CType, Callee, Place, Region, Segment, Site, SourceUnit};

/// A kernel's CUDA C with everything it calls.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// The kernel's name in the machine code.
    pub(crate) entry: String,
    /// The text for NVRTC.
    pub(crate) text: String,
    /// What of the text decides the machine code.
    pub(crate) key_text: String,
    /// The failure sites, by the number that the text reports.
    pub(crate) sites: Vec<Site>,
    /// The kernel.
    pub(crate) root: &'static SourceUnit,
    /// Which variant it is.
    pub(crate) variant: Variant,
    /// Whether the threads of the grid wait for each other in it.
    pub(crate) cooperative: bool,
    /// Whether it begins by waiting for the kernel before it, so that the driver may start it early.
    pub(crate) waits_for_previous: bool,
    /// PTX of the user that the machine code is linked with, each module once.
    pub(crate) linked: Vec<&'static str>,
    /// The module of PTX that the kernel is. The text only declares the kernel then.
    pub(crate) ptx: Option<&'static str>,
}

impl Program {
    /// What of the text decides the machine code, which may have the numbers of lines in it.
    pub(super) fn deciding_text(&self, keep_lines: bool) -> &str {
        if keep_lines { &self.text } else { &self.key_text }
    }
}

/// Links the kernel `root` with the device functions and snippets that it uses.
pub(crate) fn assemble(root: &'static SourceUnit, variant: Variant) -> Program {
    let linked = Linked::new(root, variant);
    Program {
        entry: linked.members[0].name.clone(),
        text: linked.write(Comments::Lines),
        key_text: linked.write(Comments::None),
        sites: linked.members.iter().flat_map(|member| member.unit.sites.all()).collect(),
        root,
        variant,
        cooperative: linked.is_cooperative(),
        waits_for_previous: variant.segments(root).any(|segment| matches!(segment, Segment::Start)),
        linked: linked.modules(),
        ptx: linked.modules_of(&linked.members[0]).next(),
    }
}

/// The program that [`assemble`] gives to NVRTC, without `#line` directives.
pub(crate) fn readable_source(root: &'static SourceUnit, variant: Variant) -> String {
    Linked::new(root, variant).write(Comments::None)
}

/// The program with every check, in which comments mark the checks that other variants leave out.
pub(crate) fn commented_source(root: &'static SourceUnit) -> String {
    Linked::new(root, Variant::Checked).write(Comments::Checks)
}

/// The two parts of [`readable_source`]: the helpers, which other kernels may share, and the kernel's own functions.
pub(crate) fn readable_parts(root: &'static SourceUnit, variant: Variant) -> (String, String) {
    let linked = Linked::new(root, variant);
    let mut text = linked.write(Comments::None);
    let functions = text.split_off(linked.write_helpers().len());
    (text, functions)
}

/// Whether the function or anything that it calls has a place that can fail. A division of numbers of any type has none for floats.
pub(crate) fn can_fail(root: &'static SourceUnit) -> bool {
    linked_units(root, Variant::Checked).iter().any(|unit| Variant::Checked.can_fail(unit))
}

/// A failure of the kernel `root`. One in a function of this crate is told at the call of that function in the program, if there is one
/// such call.
pub(crate) fn at_call(failure: KernelFailure, root: &'static SourceUnit) -> KernelFailure {
    if !failure.is_in_ready_made_function() {
        return failure;
    }
    let mut callees = Vec::new();
    collect_callees(root, Variant::Checked, &mut callees);
    let callees: Vec<Callee> = callees.into_iter().map(|(callee, _)| callee).collect();
    let has_failed = |callee: &&Callee| callee.unit.sites.all().any(|site| site.place() == (failure.file, failure.line, failure.column));
    // Functions of this crate: those that have the place of the failure, and then those that call them.
    let mut ours: Vec<TypeId> = callees.iter().filter(has_failed).map(|callee| callee.id).collect();
    let mut places: Vec<Place> = calls(root, &ours);
    let mut next = 0;
    while let Some(&id) = ours.get(next) {
        next += 1;
        for caller in &callees {
            let found = calls(caller.unit, &[id]);
            if !is_of_this_crate(caller.unit.sites.file()) {
                places.extend(found);
            } else if !found.is_empty() && !ours.contains(&caller.id) {
                ours.push(caller.id);
                places.extend(calls(root, &[caller.id]));
            }
        }
    }
    // A call may be in the text for several variants.
    places.sort_unstable();
    places.dedup();
    if let [place] = places[..] { failure.at(place) } else { failure }
}

/// Where `unit` calls these functions.
fn calls(unit: &'static SourceUnit, functions: &[TypeId]) -> Vec<Place> {
    let mut place = (unit.sites.file(), 0, 0);
    let mut found = Vec::new();
    for segment in Variant::Checked.segments(unit) {
        match segment {
            Segment::Call { line, column } => place = (unit.sites.file(), line, column),
            Segment::Function(callee) if functions.contains(&callee().id) => found.push(place),
            _ => {}
        }
    }
    found
}

/// Whether anything that the kernel `root` calls does what only the threads of the user's own kernels can.
pub(crate) fn callees_need_a_thread(root: &'static SourceUnit) -> bool {
    linked_units(root, Variant::Checked)[1..].iter().any(|unit| unit.snippets.contains(&snippets::THREAD))
}

/// Of what `root` calls, a function that not all threads of a block can run together, and why.
pub(crate) fn callee_of_single_threads(root: &'static SourceUnit) -> Option<(&'static str, &'static str)> {
    linked_units(root, Variant::Checked)[1..].iter().find_map(|unit| {
        let does = if unit.snippets.contains(&snippets::THREAD) {
            "asks which thread it is or uses an atomic; pass what it needs as arguments"
        } else if unit.snippets.contains(&snippets::PRINT) {
            "prints; print what the kernel has stored"
        } else if Variant::Checked.can_fail(unit) {
            "can fail, which would end some of them; let it return what the kernel stores, such as 0, where an index is out of bounds or a divisor is 0"
        } else {
            return None;
        };
        Some((unit.name, does))
    })
}

/// The function and everything that it calls in that variant.
pub(super) fn linked_units(root: &'static SourceUnit, variant: Variant) -> Vec<&'static SourceUnit> {
    let mut callees = Vec::new();
    collect_callees(root, variant, &mut callees);
    std::iter::once(root).chain(callees.iter().map(|(callee, _)| callee.unit)).collect()
}

/// What the text says beside the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comments {
    None,
    /// `#line` directives.
    Lines,
    /// [`UNLESS_PROVED`].
    Checks,
}

/// The first statement of a kernel.
const START: &str = "  gr_wait_for_previous();\n";

/// The comment on a check that is left out when the launch shows that it cannot fail.
const UNLESS_PROVED: &str = "  // unless proved";

/// A unit with what it got from its program.
struct Member {
    /// `None` for the kernel, which nothing calls.
    id: Option<TypeId>,
    unit: &'static SourceUnit,
    /// That of the program, or the [wide](Variant::wide) one.
    variant: Variant,
    /// Its C name.
    name: String,
    /// The program-wide number of its first site.
    first_site: usize,
}

/// The units of a program, the kernel first, each once, or once in each width.
struct Linked {
    members: Vec<Member>,
    snippets: Vec<&'static Snippet>,
    /// The users' types, each after those that it consists of.
    structs: Structs,
}

impl Linked {
    fn new(root: &'static SourceUnit, variant: Variant) -> Self {
        let mut callees = Vec::new();
        collect_callees(root, variant, &mut callees);
        let units = || std::iter::once((root, variant)).chain(callees.iter().map(|(callee, variant)| (callee.unit, *variant)));
        let mut structs = Structs::default();
        units().for_each(|(unit, variant)| collect_types(unit, variant, &mut structs));
        let snippets = snippets::resolve(units().flat_map(|(unit, variant)| variant.snippets(unit)).chain(structs.snippets()));

        let mut names = Names::new(units().map(|(unit, _)| unit));
        structs.member_names().iter().for_each(|name| names.avoid(name));
        let mut members = vec![Member { id: None, unit: root, variant, name: names.take_exactly(root.name), first_site: 0 }];
        let mut first_site = root.sites.len();
        for (Callee { id, unit }, variant) in callees {
            members.push(Member { id: Some(id), unit, variant, name: names.take(unit.name), first_site });
            first_site += unit.sites.len();
        }
        structs.name_all(|name| names.take(name));
        Self { members, snippets, structs }
    }

    fn is_cooperative(&self) -> bool {
        self.snippets.iter().any(|snippet| snippet.name == GRID)
    }

    fn member(&self, callee: Callee, variant: Variant) -> &Member {
        let found = self.members.iter().find(|member| member.id == Some(callee.id) && member.variant == variant);
        found.expect("every function that a kept segment names was collected")
    }

    /// The PTX that a unit names.
    fn modules_of(&self, member: &Member) -> impl Iterator<Item = &'static str> {
        member.variant.segments(member.unit).filter_map(|segment| match segment {
            Segment::Linked(module) => Some(module),
            _ => None,
        })
    }

    /// The PTX of the device functions.
    fn modules(&self) -> Vec<&'static str> {
        let mut modules = Vec::new();
        for module in self.members[1..].iter().flat_map(|member| self.modules_of(member)) {
            if !modules.contains(&module) {
                modules.push(module);
            }
        }
        modules
    }

    fn write_helpers(&self) -> String {
        let mut text = String::new();
        if self.is_cooperative() {
            text.push_str(COOPERATIVE);
        }
        for snippet in &self.snippets {
            text.push_str(snippet.text);
            // Before a snippet makes the compiler lay them out.
            if snippet.name == "tuple" {
                self.structs.write_tuples_of_scalars(&mut text);
            }
            text.push('\n');
        }
        text
    }

    fn write(&self, comments: Comments) -> String {
        let mut writer = Writer { linked: self, comments, out: self.write_helpers(), in_rust_file: false };
        let are_compared = self.snippets.iter().any(|snippet| snippet.name == "compare");
        self.structs.write_definitions(are_compared, &mut writer.out);
        for member in self.members.iter().filter(|member| !member.unit.prototype.is_empty()) {
            writer.write_segments(member, member.unit.prototype);
            writer.out.push_str(";\n");
        }
        // The kernel comes last, where a reader looks for it.
        for member in self.members[1..].iter().chain(&self.members[..1]) {
            writer.end_line();
            writer.return_to_generated_lines();
            writer.out.push('\n');
            writer.write_segments(member, member.unit.body);
        }
        writer.end_line();
        writer.out
    }
}

/// Visits what `unit` calls, each function once in a variant, in the order in which the text first names them.
fn collect_callees(unit: &'static SourceUnit, variant: Variant, callees: &mut Vec<(Callee, Variant)>) {
    for (callee, variant) in variant.segments(unit).filter_map(|segment| variant.callee(segment)) {
        if !callees.iter().any(|(known, of)| known.id == callee.id && *of == variant) {
            callees.push((callee, variant));
            collect_callees(callee.unit, variant, callees);
        }
    }
}

/// Adds the users' types that `unit` names, and what they consist of.
fn collect_types(unit: &'static SourceUnit, variant: Variant, structs: &mut Structs) {
    for segment in variant.segments(unit) {
        match segment {
            Segment::Type(ty) => structs.add(ty()),
            Segment::Value(value) => value().parts().iter().for_each(|part| {
                if let Part::Type(ty) = part {
                    structs.add(*ty);
                }
            }),
            _ => {}
        }
    }
}

/// Hands out C names for functions and types.
///
/// Two functions of different modules may share a name, and `let scale = scale(x)` is fine in Rust but reads itself in C.
/// Functions are only ever named through holes, so any identifier in the literal text is something else: keep clear of all.
/// What snippets declare begins with `gr_` or `GR_`, as no name of the user does.
struct Names {
    taken: HashSet<String>,
}

impl Names {
    fn new(units: impl Iterator<Item = &'static SourceUnit>) -> Self {
        let mut taken = HashSet::new();
        for unit in units {
            add_segment_identifiers(unit.prototype, &mut taken);
            add_segment_identifiers(unit.body, &mut taken);
        }
        Self { taken }
    }

    fn avoid(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// The kernel keeps its name for profilers, and nothing in the text calls it. One that is written at run time has the name of an array
    /// function in it: letters outside ASCII are written by their numbers, as the attributes do.
    fn take_exactly(&mut self, wanted: &str) -> String {
        let mut name = String::with_capacity(wanted.len());
        for letter in wanted.chars() {
            if letter.is_ascii() {
                name.push(letter);
            } else {
                let _ = write!(name, "u{:x}", u32::from(letter));
            }
        }
        self.taken.insert(name.clone());
        name
    }

    fn take(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{wanted}_{count}");
        }
        name
    }
}

/// What only one variant has counts in all, so that a function has the same name in all.
fn add_segment_identifiers(segments: &'static [Segment], names: &mut HashSet<String>) {
    for segment in flat(segments) {
        if let Segment::Text(text) = segment {
            add_identifiers(text, names);
        }
    }
}

fn add_identifiers(text: &str, names: &mut HashSet<String>) {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    for word in words.filter(|word| !names.contains(*word)).collect::<Vec<_>>() {
        names.insert(word.to_owned());
    }
}

struct Writer<'a> {
    linked: &'a Linked,
    comments: Comments,
    out: String,
    /// Whether a `#line` made the compiler count lines of a Rust file.
    in_rust_file: bool,
}

impl Writer<'_> {
    fn write_segments(&mut self, member: &Member, segments: &'static [Segment]) {
        let (variant, cooperative) = (member.variant, self.linked.is_cooperative());
        let keeps = move |region| if region == Region::Cooperative { cooperative } else { variant.keeps(region) };
        let mut open = Vec::new();
        for segment in kept_with_marks(segments, keeps) {
            match segment {
                Segment::Begin(region) => open.push(Some(region)),
                Segment::BeginIf(_) | Segment::BeginOwn(_) | Segment::BeginOther(_) => open.push(None),
                Segment::End => {
                    if matches!(open.pop(), Some(Some(Region::Checked(_)))) && self.comments == Comments::Checks {
                        self.comment_on_line(UNLESS_PROVED);
                    }
                }
                Segment::Text(text) => self.out.push_str(text),
                Segment::Constant(value) => self.out.push_str(&value()),
                Segment::Value(value) => self.write_value(&value()),
                Segment::Function(_) | Segment::NarrowFunction { .. } | Segment::Overload(_) => {
                    let called = variant.callee(segment).map(|(callee, variant)| self.linked.member(callee, variant));
                    self.out.push_str(called.map_or("", |member| &member.name));
                }
                Segment::Type(ty) => self.write_type(ty()),
                Segment::OwnName => self.out.push_str(&member.name),
                Segment::Start => self.out.push_str(START),
                Segment::Site(index) => self.write_site(member, index),
                Segment::Line(line) => self.write_line_directive(line, member.unit.sites.file()),
                Segment::Call { .. } | Segment::NarrowIf(_) | Segment::Linked(_) | Segment::Template { .. } => {}
            }
        }
    }

    /// Adds a comment to the line that was just ended.
    fn comment_on_line(&mut self, comment: &str) {
        if self.out.ends_with('\n') {
            self.out.insert_str(self.out.len() - 1, comment);
        }
    }

    fn write_type(&mut self, ty: CType) {
        let name = self.linked.structs.type_name(ty);
        self.out.push_str(&name);
    }

    fn write_value(&mut self, value: &ConstantText) {
        for part in value.parts() {
            match part {
                Part::Text(text) => self.out.push_str(text),
                Part::Type(ty) => self.write_type(*ty),
            }
        }
    }

    fn write_site(&mut self, member: &Member, index: u32) {
        let number = member.first_site + index as usize;
        let _ = write!(self.out, "{number}");
    }

    fn write_line_directive(&mut self, line: u32, file: &str) {
        if self.comments == Comments::Lines {
            // A directive must start its line; splitting a line of C changes nothing in it.
            self.end_line();
            let _ = writeln!(self.out, "#line {line} \"{}\"", escaped(file));
            self.in_rust_file = true;
        }
    }

    /// Ends the reach of the last `#line`, which would number generated lines as lines of the Rust file.
    fn return_to_generated_lines(&mut self) {
        if self.in_rust_file {
            let next = self.out.lines().count() + 2;
            let _ = writeln!(self.out, "#line {next} \"{}.cu\"", self.linked.members[0].name);
            self.in_rust_file = false;
        }
    }

    fn end_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }
}

/// `file` as the inside of a C string literal.
fn escaped(file: &str) -> String {
    file.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
