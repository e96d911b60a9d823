//! Every macro gets kernels whose tokens were changed at random: it must return code or errors, without a panic, within a second.
//!
//! A macro that panics hides the user's mistake, and one that overflows its stack ends rustc and the editor's server. Each mutation is
//! determined by its number, and runs on a thread with that name: when a stack overflows, the process ends with the name of the thread.
//!
//! ```text
//! GPU_MACROS_MUTATIONS=1000000 cargo test --release -p gpu-macros --lib fuzz
//! GPU_MACROS_MUTATIONS=500..1000 cargo test -p gpu-macros --lib fuzz
//! GPU_MACROS_MUTATIONS=512..513 cargo test -p gpu-macros --lib fuzz -- --nocapture     # prints the program first
//! ```

mod corpus_items;
mod mutate;

use std::any::Any;
use std::ops::Range;
use std::thread;
use std::time::{Duration, Instant};

use corpus_items::{Corpus, Entry, Item};
use mutate::{Random, mutate};
use proc_macro2::{TokenStream, TokenTree};

/// What the threads of std have. Those of rustc have more.
const STACK_BYTES: usize = 2 << 20;
/// Enough on a busy machine, where one takes a fraction of a second otherwise.
const MOST_TIME: Duration = Duration::from_secs(20);
/// About two seconds without optimization.
const MUTATIONS: Range<u64> = 0..1000;

#[test]
fn the_corpus_is_accepted() {
    let items = Corpus::embedded().items;
    assert!(items.len() > 20);
    let errors = |item: &Item| messages(item.entry.expand(parse(&item.arguments), parse(&item.tokens)));
    let refused: Vec<_> = items.iter().map(|item| (&item.tokens, errors(item))).filter(|(_, errors)| !errors.is_empty()).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

/// The arguments of `compile_error!` in an expansion whose traits all have the attribute.
fn messages(expansion: TokenStream) -> Vec<String> {
    let tokens: Vec<_> = expansion.into_iter().collect();
    let mut found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let called = match index.checked_sub(2).map(|name| &tokens[name]) {
            Some(TokenTree::Ident(name)) => name.to_string(),
            _ => String::new(),
        };
        if called == "compile_error" {
            found.push(group.stream().to_string());
        } else if called.ends_with("_as_named_here") {
            // The code for traits with the attribute, before the code without.
            found.extend(messages(group.stream().into_iter().take(1).collect()));
        } else {
            found.extend(messages(group.stream()));
        }
    }
    found
}

#[test]
fn mutated_programs_give_code_or_errors_in_time() {
    let corpus = Corpus::with_kernels_of_the_workspace();
    let numbers = chosen_numbers();
    let only_one = numbers.end - numbers.start == 1;
    let mut failures = Vec::new();
    for number in numbers {
        if only_one {
            println!("{}", Program::new(&corpus, number));
        }
        // On a busy machine, a program can be slow once by chance.
        let outcome = run(&corpus, number).or_else(|failure| if failure.is_slow { run(&corpus, number) } else { Err(failure) });
        failures.extend(outcome.err().map(|failure| format!("mutation {number} {}:\n{}", failure.what, Program::new(&corpus, number))));
    }
    assert!(failures.is_empty(), "{} mutations failed\n\n{}", failures.len(), failures[..failures.len().min(10)].join("\n\n"));
}

/// `GPU_MACROS_MUTATIONS`: a number of mutations, or a range of their numbers.
fn chosen_numbers() -> Range<u64> {
    let Ok(chosen) = std::env::var("GPU_MACROS_MUTATIONS") else { return MUTATIONS };
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("`GPU_MACROS_MUTATIONS={chosen}` is no number and no range"));
    match chosen.split_once("..") {
        Some((start, end)) => number(start)..number(end),
        None => 0..number(&chosen),
    }
}

struct Failure {
    what: String,
    is_slow: bool,
}

fn run(corpus: &Corpus, number: u64) -> Result<(), Failure> {
    thread::scope(|scope| {
        let expand = || {
            let program = Program::new(corpus, number);
            let start = Instant::now();
            program.entry.expand(program.arguments, program.tokens);
            start.elapsed()
        };
        let builder = thread::Builder::new().name(format!("mutation {number}")).stack_size(STACK_BYTES);
        match builder.spawn_scoped(scope, expand).expect("there are threads").join() {
            Ok(time) if time < MOST_TIME => Ok(()),
            Ok(time) => Err(Failure { what: format!("took {time:?}"), is_slow: true }),
            Err(panic) => Err(Failure { what: format!("panicked, {}", message(&*panic)), is_slow: false }),
        }
    })
}

fn message(panic: &dyn Any) -> &str {
    panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

/// A mutated item and the macro that gets it.
struct Program {
    entry: Entry,
    arguments: TokenStream,
    tokens: TokenStream,
}

impl Program {
    fn new(corpus: &Corpus, number: u64) -> Program {
        let random = &mut Random::new(number);
        let Item { entry, arguments, tokens } = random.choose(&corpus.items);
        let (mut arguments, mut tokens) = (parse(arguments), parse(tokens));
        if random.one_in(8) {
            arguments = mutate(arguments, &corpus.words, random);
        } else {
            tokens = mutate(tokens, &corpus.words, random);
        }
        let entry = if random.one_in(8) { *random.choose(&Entry::ALL) } else { *entry };
        Program { entry, arguments, tokens }
    }
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}({}) {}", self.entry, self.arguments, self.tokens)
    }
}

fn parse(text: &str) -> TokenStream {
    text.parse().expect("the corpus consists of tokens")
}
