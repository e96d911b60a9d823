//! Values that a launch passes.

use super::Member;
use proc_macro2::TokenStream;
use quote::{TokenStreamExt, quote};
use std::fmt::{self, Display, Formatter};
use std::rc::Rc;

/// A parameter that is no array, or a part of one that is a struct or a tuple: `n`, `p.size.width`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Passed {
    /// The number of the parameter.
    pub(crate) param: usize,
    /// Of the parameter, of that member, and so on.
    pub(crate) members: Rc<[Member]>,
}

impl Passed {
    pub(crate) fn whole(param: usize) -> Passed {
        Passed { param, members: Rc::default() }
    }

    pub(crate) fn member(&self, member: &Member) -> Passed {
        Passed { param: self.param, members: self.members.iter().chain([member]).cloned().collect() }
    }

    /// `.size.width`
    pub(crate) fn path(&self) -> TokenStream {
        let mut path = TokenStream::new();
        for member in &*self.members {
            path.append_all(quote!(. #member));
        }
        path
    }
}

/// `.size.width`
impl Display for Passed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.members.iter().try_for_each(|member| write!(f, ".{member}"))
    }
}
