//! How cargo has rustc compile the crate that asks.
//!
//! Several builds of one library lie side by side in the target folder, for other features and profiles. Which of them a test was
//! compiled against cargo tells rustc alone; a macro runs in that rustc and can look.

use proc_macro::{Delimiter, Group, Literal, Punct, Spacing, TokenStream, TokenTree};

/// The arguments by which rustc finds the libraries of this crate, `--extern name=path` and `-L path`, as an array of strings.
#[proc_macro]
pub fn libraries(_: TokenStream) -> TokenStream {
    let mut strings = TokenStream::new();
    let mut arguments = std::env::args();
    while let Some(argument) = arguments.next() {
        if argument == "--extern" || argument == "-L" {
            for string in [Some(argument), arguments.next()].into_iter().flatten() {
                strings.extend([TokenTree::from(Literal::string(&string)), Punct::new(',', Spacing::Alone).into()]);
            }
        }
    }
    TokenTree::from(Group::new(Delimiter::Bracket, strings)).into()
}
