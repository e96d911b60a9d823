//! Many segments in one text: what generated code has of a function's CUDA C.
//!
//! A struct literal for each segment would be most of what rustc compiles for a kernel. So the macros write a template, CUDA C with tags
//! between backticks:
//!
//! | tag | stands for |
//! |---|---|
//! | `` `2` `` | the hole with this number, which only rustc can fill |
//! | `` `name` `` | [`Segment::OwnName`] |
//! | `` `start` `` | [`Segment::Start`] |
//! | `` `site 3` `` | [`Segment::Site`] |
//! | `` `line 57` `` | [`Segment::Line`] |
//! | `` `call 57:9` `` | [`Segment::Call`] |
//! | `` `block` ``, `` `elements` `` | [`FORALL_BLOCK`] and [`ELEMENTS_PER_THREAD`] |
//! | `` `proved{` ``, `` `cooperative{` ``, `` `one{` ``, `` `several{` ``, `` `wide{` ``, `` `narrow{` `` | the beginning of a [`Region`] |
//! | `` `checked 5` ``, `` `shown 5` `` | the beginning of [`Region::Checked`] and of [`Region::Shown`] |
//! | `` `own 2` ``, `` `other 2` `` | [`Segment::BeginOwn`] and [`Segment::BeginOther`] for the [`Segment::Overload`] with this number |
//! | `` `}` `` | the end of the region |
//! | `` `` ` ` `` (two) | a backtick of the text |

use super::{Region, Segment};
use crate::constant::literal;
use crate::dims::{ELEMENTS_PER_THREAD, FORALL_BLOCK};

/// The segments in `text`, whose tags with numbers stand for `holes`.
///
/// # Panics
///
/// At a tag that does not exist: the macros are of another version.
fn read(text: &'static str, holes: &'static [Segment]) -> impl Iterator<Item = Segment> {
    // Text and tags take turns.
    text.split('`').enumerate().filter(|(index, part)| index % 2 == 1 || !part.is_empty()).map(move |(index, part)| match index % 2 {
        0 => Segment::Text(part),
        _ => read_tag(part, holes),
    })
}

fn read_tag(tag: &'static str, holes: &'static [Segment]) -> Segment {
    let unknown = || -> ! { panic!("`{tag}` is not a tag: gpu-macros and gpu-runtime are of different versions") };
    let number = |text: &str| text.parse().unwrap_or_else(|_| unknown());
    let overload = |hole: &str| match holes[number(hole) as usize] {
        Segment::Overload(callee) => callee,
        _ => unknown(),
    };
    match tag {
        "" => Segment::Text("`"),
        "name" => Segment::OwnName,
        "start" => Segment::Start,
        "block" => Segment::Constant(|| literal(FORALL_BLOCK)),
        "elements" => Segment::Constant(|| literal(ELEMENTS_PER_THREAD)),
        "proved{" => Segment::Begin(Region::Proved),
        "cooperative{" => Segment::Begin(Region::Cooperative),
        "one{" => Segment::Begin(Region::OneElement),
        "several{" => Segment::Begin(Region::SeveralElements),
        "wide{" => Segment::Begin(Region::Wide),
        "narrow{" => Segment::Begin(Region::Narrow),
        "}" => Segment::End,
        _ => match tag.split_once(' ') {
            Some(("line", line)) => Segment::Line(number(line)),
            Some(("call", place)) => {
                let (line, column) = place.split_once(':').unwrap_or_else(|| unknown());
                Segment::Call { line: number(line), column: number(column) }
            }
            Some(("checked", unless)) => Segment::Begin(Region::Checked(number(unless))),
            Some(("shown", holding)) => Segment::Begin(Region::Shown(number(holding))),
            Some(("site", site)) => Segment::Site(number(site)),
            Some(("own", hole)) => Segment::BeginOwn(overload(hole)),
            Some(("other", hole)) => Segment::BeginOther(overload(hole)),
            _ => holes[number(tag) as usize],
        },
    }
}

/// The segments with those of templates in their places.
pub fn flat(segments: &'static [Segment]) -> Box<dyn Iterator<Item = Segment>> {
    Box::new(segments.iter().flat_map(|segment| match *segment {
        Segment::Template { text, holes } => Box::new(read(text, holes)) as Box<dyn Iterator<Item = Segment>>,
        segment => Box::new(std::iter::once(segment)),
    }))
}

/// The segments without the regions that `keeps` refuses, and without the marks of the others.
pub(crate) fn kept(segments: &'static [Segment], keeps: impl Fn(Region) -> bool) -> impl Iterator<Item = Segment> {
    kept_with_marks(segments, keeps).filter(|segment| !segment.is_mark())
}

/// The segments without the regions that `keeps` refuses.
pub fn kept_with_marks(segments: &'static [Segment], keeps: impl Fn(Region) -> bool) -> impl Iterator<Item = Segment> {
    // How many regions are open, from the first on that is left out.
    let mut left_out = 0_u32;
    flat(segments).filter(move |segment| {
        let was_left_out = left_out > 0;
        match segment {
            Segment::Begin(region) => left_out += u32::from(left_out > 0 || !keeps(*region)),
            Segment::BeginIf(holds) => left_out += u32::from(left_out > 0 || !holds()),
            Segment::BeginOwn(callee) => left_out += u32::from(left_out > 0 || callee().is_none()),
            Segment::BeginOther(callee) => left_out += u32::from(left_out > 0 || callee().is_some()),
            Segment::End => left_out = left_out.saturating_sub(1),
            _ => {}
        }
        left_out == 0 && !was_left_out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of the segments.
    fn written(segments: impl Iterator<Item = Segment>) -> String {
        segments
            .map(|segment| match segment {
                Segment::Text(text) => text.to_owned(),
                Segment::Constant(value) => value(),
                Segment::Begin(Region::Checked(1)) => "(".into(),
                Segment::End => ")".into(),
                other => format!("<{other:?}>"),
            })
            .collect()
    }

    #[test]
    fn a_template_is_text_and_tags_in_turns() {
        static HOLES: [Segment; 2] = [Segment::Constant(|| "zero".into()), Segment::Constant(|| "one".into())];
        static TEMPLATE: [Segment; 2] = [
            Segment::Template { text: "`line 7`void `name`(`1`,`call 7:21``0``1`) `checked 1`a `site 3```.`}`b`block`", holes: &HOLES },
            Segment::Text("!"),
        ];
        assert_eq!(written(flat(&TEMPLATE)), "<Line(7)>void <OwnName>(one,<Call { line: 7, column: 21 }>zeroone) (a <Site(3)>`.)b256u!");
    }

    #[test]
    fn regions_lie_within_regions() {
        static TEMPLATE: [Segment; 1] =
            [Segment::Template { text: "a`one{`b`checked 1`c`}`d`cooperative{`e`}`f`}`g`several{`h`checked 1`i`}`j`}`k", holes: &[] }];
        let with = |regions: &'static [Region]| written(kept(&TEMPLATE, move |region| regions.contains(&region)));
        assert_eq!(with(&[]), "agk");
        assert_eq!(with(&[Region::OneElement]), "abdfgk");
        assert_eq!(with(&[Region::OneElement, Region::Checked(1)]), "abcdfgk");
        assert_eq!(with(&[Region::SeveralElements, Region::Cooperative]), "aghjk");
        assert_eq!(with(&[Region::Checked(1), Region::Cooperative]), "agk");
    }
}
