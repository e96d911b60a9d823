//! Views: a pointer and a `gr_layout`, which has an extent and a stride for each axis.

use super::Emitter;
use super::checks::CheckedAt;
use super::code::Code;
use super::text::{CText, c, join};
use crate::model::*;

impl Emitter<'_> {
    /// `view[[i, j]]` behind a check for each axis. As in Rust, all indices are evaluated before the first is checked. `pinned`: they go
    /// into temporaries.
    pub(super) fn write_element(&mut self, view: &Expr, indices: &[Expr], sites: &[SiteId], pinned: bool) -> Code {
        if let Some(CheckedAt::Loaded(element)) = sites.first().and_then(|site| self.checked.get(site)) {
            return Code::atom(element.clone());
        }
        let codes = self.operands(&indices.iter().collect::<Vec<_>>());
        let (name, layout) = (self.value(view).text, self.layout_of(view));
        let bounds: Vec<Bound> = sites.iter().map(|site| self.bound(*site)).collect();
        // Several are written more than once: in the check and in the place.
        let always = Bound::Below(Vec::new());
        let texts: Vec<CText> = codes
            .into_iter()
            .zip(&bounds)
            .map(|(code, bound)| match *bound == always {
                _ if pinned => self.spill(code, &Type::USIZE, "value").text,
                true => code.text,
                false => self.spill_unless_word(code, &Type::USIZE, "index").text,
            })
            .collect();
        for (axis, ((text, bound), site)) in texts.iter().zip(&bounds).zip(sites).enumerate() {
            if *bound == always {
                continue;
            }
            let check = self.index_check(text, &c![layout, ".shape[", axis, "]"], *site);
            self.write_unless(bound, check);
        }
        Code::atom(c![name, "[", layout, self.offset_function(), "(", join(&texts, ", "), ")]"])
    }

    /// `view.shape()[axis]`.
    pub(super) fn extent(&mut self, view: &Expr, axis: usize) -> Code {
        Code::constant(c![self.layout_of(view), ".shape[", axis, "]"])
    }

    /// The C name of a view's layout.
    pub(super) fn layout_of(&self, view: &Expr) -> String {
        match view.kind {
            ExprKind::Local(local) => self.lengths[local.0].clone(),
            _ => unreachable!("a view is always a variable"),
        }
    }
}
