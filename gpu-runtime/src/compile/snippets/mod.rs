//! The helper functions that generated CUDA C calls, as a table of text files.
//!
//! A snippet is a `.cu` file of this folder and one line of [`SNIPPETS`]. A program contains the snippets that its functions need, the
//! snippets that those need in turn, and always `types`; nothing else, because every line costs compile time at the first launch.

/// A named piece of CUDA C.
#[derive(Debug)]
pub(crate) struct Snippet {
    /// What source units and other snippets call it.
    pub(crate) name: &'static str,
    /// The snippets that must precede it, besides `types`.
    pub(crate) needs: &'static [&'static str],
    /// Its CUDA C.
    pub(crate) text: &'static str,
}

/// `NAME => [NEEDS]` for each file `NAME.cu`.
macro_rules! snippets {
    ($($name:literal => [$($need:literal),*];)*) => {
        &[$(Snippet { name: $name, needs: &[$($need),*], text: include_str!(concat!($name, ".cu")) }),*]
    };
}

/// Every snippet there is.
static SNIPPETS: &[Snippet] = snippets! {
    "types" => [];
    "thread" => [];
    "panic" => [];
    "grid" => ["panic"];
    "print" => [];
    "ops" => [];
    "int" => ["ops"];
    "ascii" => [];
    "tuple" => [];
    "words" => [];
    "overflow" => ["int", "tuple"];
    "option" => [];
    "unit" => [];
    "result" => [];
    "either" => ["option", "result"];
    "checked" => ["overflow", "option"];
    "float" => ["tuple"];
    "elementary" => [];
    "special" => ["tuple"];
    "parts" => ["tuple", "float"];
    "fast" => [];
    "round" => [];
    "rounding" => [];
    "bits" => ["ops"];
    "clock" => [];
    "number" => ["int", "float"];
    "trig" => ["tuple"];
    "angles" => ["trig", "float"];
    "cast" => [];
    "aligned" => [];
    "array" => [];
    "bytes" => ["array"];
    "compare" => ["array", "tuple", "option"];
    "ordering" => ["compare"];
    "counter" => [];
    "most" => [];
    "clamped" => [];
    "small" => [];
    "low_bits" => [];
    "low_half" => [];
    "dim3" => [];
    "layout" => [];
    "variant" => [];
    "view" => [];
    "output" => [];
    "receiver" => [];
    "literal" => [];
    "function" => [];
    "foreign" => [];
    "real" => [];
    "vector" => ["real", "ops", "number"];
    "geometry" => ["vector"];
    "complex" => ["real", "ops", "elementary", "angles", "float"];
    "half" => ["ops", "cast", "float", "elementary", "angles", "special", "parts", "fast"];
    "racing" => [];
    "shared_array" => [];
    "shared_bool" => [];
    "shared_element" => ["array", "shared_bool"];
    "dynamic_shared" => [];
    "shuffle" => ["tuple"];
    "warp" => [];
    "atomic" => ["result"];
    "half_atomic" => ["half", "atomic"];
    "spin_loop" => [];
    "warp_vote" => [];
    "warp_match" => ["tuple"];
    "warp_shuffle" => [];
    "warp_reduce" => ["ops", "number"];
    "tile" => ["view", "ops", "cast", "number"];
    "tile_part" => ["tile"];
    "tile_dot" => ["tile_part"];
    "tile_mma" => ["tile_dot", "half"];
    "tile_wgmma" => ["tile_mma"];
    "tile_turned" => ["tile_wgmma"];
    "tile_stream" => ["tile_dot"];
    "tile_tasks" => ["tile_wgmma"];
    "tile_products" => ["tile_wgmma"];
};

/// The snippets called `names` and everything they need, each once and after what it needs; `types` comes first.
///
/// # Panics
///
/// If a name is not in the table. Names come from the macros, which are pinned to the version of this crate.
pub(crate) fn resolve<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'static Snippet> {
    let mut resolved = Vec::new();
    for name in std::iter::once("types").chain(names) {
        add(name, &mut resolved);
    }
    resolved
}

fn add(name: &str, resolved: &mut Vec<&'static Snippet>) {
    if resolved.iter().any(|snippet| snippet.name == name) {
        return;
    }
    let Some(snippet) = SNIPPETS.iter().find(|snippet| snippet.name == name) else {
        panic!("the CUDA C helper `{name}` does not exist: gpu-macros and gpu-runtime are of different versions");
    };
    for need in snippet.needs {
        add(need, resolved);
    }
    resolved.push(snippet);
}

/// The snippet of functions that need a kernel's thread. Its name in the macros is the same.
pub(super) const THREAD: &str = "thread";

/// The snippet of printing. Its name in the macros is the same.
pub(super) const PRINT: &str = "print";

/// The snippet of places that can fail. Its name in the macros is the same.
pub(super) const PANIC: &str = "panic";

/// The snippet of the grid's barrier. Its name in the macros is the same.
pub(super) const GRID: &str = "grid";

/// What stands before everything else in a program with that snippet: a thread that fails ends another way.
pub(super) const COOPERATIVE: &str = "#define GR_COOPERATIVE\n";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::nvrtc::testing::nvrtc_or_skip;
    use crate::compile::{Architecture, Options};

    fn names(resolved: &[&Snippet]) -> Vec<&'static str> {
        resolved.iter().map(|snippet| snippet.name).collect()
    }

    #[test]
    fn types_come_first_and_every_snippet_once() {
        assert_eq!(names(&resolve([])), ["types"]);
        assert_eq!(names(&resolve(["panic", "types", "panic"])), ["types", "panic"]);
    }

    #[test]
    #[should_panic(expected = "different versions")]
    fn an_unknown_snippet_is_refused() {
        resolve(["no_such_snippet"]);
    }

    #[test]
    fn every_snippet_comes_after_what_it_needs() {
        for snippet in SNIPPETS {
            let order = names(&resolve([snippet.name]));
            assert_eq!(order.last(), Some(&snippet.name), "`{}` needs itself through {order:?}", snippet.name);
            for need in snippet.needs {
                assert!(order[..order.len() - 1].contains(need), "`{need}` is missing before `{}`", snippet.name);
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_in_the_table_once() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/compile/snippets");
        let Ok(entries) = std::fs::read_dir(folder) else {
            // The test was copied to a machine without the source.
            eprintln!("skipped: there is no {folder}");
            return;
        };
        let mut files: Vec<String> =
            entries.filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".cu").map(str::to_owned)).collect();
        let mut table: Vec<String> = SNIPPETS.iter().map(|snippet| snippet.name.to_owned()).collect();
        files.sort();
        table.sort();
        assert_eq!(table, files);
    }

    /// What a snippet's text has at file scope, where a program's functions are: outside of brackets, comments and macros.
    fn words_at_file_scope(text: &str) -> Vec<String> {
        let (mut depth, mut outside) = (0, String::new());
        let text = text.replace("\\\n", "");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            for c in line.split("//").next().unwrap_or_default().chars().chain([' ']) {
                match c {
                    '{' | '(' => depth += 1,
                    '}' | ')' => depth -= 1,
                    _ if depth == 0 => outside.push(c),
                    _ => {}
                }
                if depth > 0 {
                    outside.push(' ');
                }
            }
        }
        let words = outside.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|word| word.starts_with(|c: char| c.is_alphabetic())).map(str::to_owned).collect()
    }

    /// A program's functions and types get names that no user's text has; what snippets declare is not looked at.
    #[test]
    fn what_snippets_declare_has_names_that_the_macros_never_give() {
        // Words of C++, types of the preamble, and the parameters of macros and templates.
        const OTHERS: &str = "A ADDS ALIGN B BEFORE C CHANGES COLUMNS COPIES COUNT IS_RIGHT_OF_FIRST LATER Left Streams D DIRECTION E F FITTING From G H IS_ACROSS IS_A_TRANSPOSED IS_B_TRANSPOSED IS_LEFT IS_RIGHT \
            IS_STORED_TRANSPOSED IS_TRANSPOSED IS_TURNED K KEPT LEFT Loop MOST N NAME Operand Others Part Product Products R ROWS Result S SIZE STEP Scores Steps Sum T Tile To Use V W \
            along_only alignas asm auto bool char class const constexpr decltype double else enum extern f32 f64 false float i16 i32 i64 i8 if int isize long \
            noreturn of operator place return short signed sizeof static struct template true type typedef typename u16 u32 u64 u8 unsigned \
            using usize value void volatile";
        for Snippet { name, text, .. } in SNIPPETS {
            for word in words_at_file_scope(text) {
                assert!(
                    word.starts_with("gr_") || word.starts_with("GR_") || OTHERS.split(' ').any(|other| other == word),
                    "{name}: {word}"
                );
            }
            for macro_name in text.lines().filter_map(|line| line.strip_prefix("#define ")) {
                assert!(macro_name.starts_with("GR_"), "{name}: {macro_name}");
            }
        }
    }

    #[test]
    fn all_snippets_compile_together() {
        let Some(nvrtc) = nvrtc_or_skip("all_snippets_compile_together") else { return };
        let text: String = resolve(SNIPPETS.iter().map(|snippet| snippet.name)).iter().map(|snippet| snippet.text).collect();
        if let Err(error) = nvrtc.compile("all.cu", &text, Architecture { major: 9, minor: 0 }.into(), &Options::DEFAULT) {
            panic!("{error}\n{error:?}");
        }
    }

    #[test]
    fn every_snippet_compiles_alone() {
        let Some(nvrtc) = nvrtc_or_skip("every_snippet_compiles_alone") else { return };
        let target = Architecture { major: 9, minor: 0 }.into();
        for snippet in SNIPPETS {
            let text: String = resolve([snippet.name]).iter().map(|snippet| snippet.text).collect();
            let name = format!("{}.cu", snippet.name);
            if let Err(error) = nvrtc.compile(&name, &text, target, &Options::DEFAULT) {
                panic!("snippet `{}`: {error}\n{:?}", snippet.name, error);
            }
        }
    }
}
