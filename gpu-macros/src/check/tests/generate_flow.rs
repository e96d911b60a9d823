//! Random statements with variables that change, paths that join, and signed integers.

use super::generate::Generator;
use std::fmt::Write;

impl Generator<'_> {
    pub(super) fn statement_with_flow(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 7 } else { 9 }) {
            0 => self.changed(),
            1 => self.counted(),
            2 => self.searched(),
            3 | 4 => self.signed(),
            5 => self.checked_twice(),
            6 => self.halo(),
            7 => self.joined(depth),
            _ => self.looped(depth),
        }
    }

    /// A line in which the words that are names of `parts` are replaced by them.
    fn template(&mut self, template: &str, parts: &[(&str, String)]) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut rest = template;
        while let Some(start) = rest.find(is_word) {
            let (before, word) = rest.split_at(start);
            let (word, after) = word.split_at(word.find(|c| !is_word(c)).unwrap_or(word.len()));
            let part = parts.iter().find(|(name, _)| *name == word);
            self.source.push_str(before);
            self.source.push_str(part.map_or(word, |(_, part)| part));
            rest = after;
        }
        writeln!(self.source, "{rest}").unwrap();
    }

    /// A variable with a new name, which is in scope from here on.
    fn variable(&mut self) -> String {
        let name = self.new_name("u");
        self.names.push(name.clone());
        name
    }

    /// One that two paths leave with different values.
    fn changed(&mut self) {
        let (a, b, c, condition) = (self.expr(1), self.expr(1), self.uniform(), self.condition(1));
        let form = *self.random.pick(&[
            "let mut V = A; if Q { V = B; }",
            "let mut V = A; if Q { V = B; } else { V += 1; }",
            "let V; if Q { V = A; } else { V = B; }",
            "let mut V = A; 'c: { if Q { break 'c; } V = B; }",
            "let mut V = A; let _ = Q && { V = B; V < C };",
            "let mut V = A; match B { 0 => V = C, 1 => V += 1, q => V = q % 3 }",
            "let mut V = A; V %= C; V -= 1;",
            "let (mut V, mut other) = (A, B); (V, other) = (other, V); V = V.min(other);",
            "let mut V = A; if V >= C { return; } V += 1;",
            "let V = if Q { A } else { B };",
            "let V = (A).clamp(1, 1 + (C) % 5) - 1;",
            "let V = (A).saturating_sub(C);",
            "let V = (A).max(2) - 2;",
        ]);
        let name = self.variable();
        self.template(form, &[("V", name), ("A", a), ("B", b), ("C", c), ("Q", condition)]);
    }

    /// A loop that counts by itself.
    fn counted(&mut self) {
        let (a, c, condition) = (self.expr(0), self.uniform(), self.condition(0));
        let form = *self.random.pick(&[
            "let mut V = A; while V < C { out[V] = 1; V += 1; }",
            "let mut V = A; while V < C { out[V] = 1; if Q { continue; } V += 3; }",
            "let mut V = C; while V > 0 { V -= 1; let _ = x[V]; }",
            "let mut V = C; while V > 1 { V /= 2; if Q { let _ = x[V]; } }",
            "let mut V = A; while V < C { V += block_dim().x; if Q { break; } let _ = x[V]; }",
            "let mut V = A; loop { if V >= C { break; } let _ = x[V]; V = V * 2 + 1; }",
            "let mut V = A; for q in 0..3 { let _ = x[V + q]; if V > 2 { V -= 2; } }",
            "let mut V = 0; for _ in 0..3 { let _ = x[V]; V = 1 - V; }",
            "let mut V = A; while V + 1 < C { let _ = x[V + 1]; V += 2; }",
        ]);
        let name = self.variable();
        self.template(form, &[("V", name), ("A", a), ("C", c), ("Q", condition)]);
    }

    /// Binary search.
    fn searched(&mut self) {
        let (a, c, condition) = (self.expr(0), self.uniform(), self.condition(0));
        let middle = *self.random.pick(&["low + (high - low) / 2", "(low + high) / 2", "low + (high - low) / 1"]);
        let form =
            "let (mut low, mut high) = (A, C); while low < high { let V = M; let _ = x[V]; if Q { high = V; } else { low = V + 1; } }";
        let name = self.new_name("u");
        self.template(form, &[("V", name), ("M", middle.to_owned()), ("A", a), ("C", c), ("Q", condition)]);
    }

    /// Coordinates that may be negative.
    fn signed(&mut self) {
        let (a, c) = (self.name(), self.uniform());
        let offset = *self.random.pick(&["1", "e", "HALO as isize", "d as isize", "2 - e"]);
        let guard = *self.random.pick(&[
            "V >= 0 && (V as usize) < C",
            "V >= 0 && V < (C) as isize",
            "V < (C) as isize && 0 <= V",
            "V > -1 && V < (C) as isize",
            "V >= -1 && V < (C) as isize",
            "!(V < 0 || V >= (C) as isize)",
            "V < (C) as isize",
            "(V as usize) < C",
            "V as i32 >= 0 && V as i32 <= 3",
        ]);
        let access = *self.random.pick(&[
            "out[V as usize] = 1;",
            "let _ = x[V as usize + 1];",
            "let _ = x[(V - 1) as usize];",
            "let _ = x[(V / 2) as usize];",
            "let _ = x[(V >> 1) as usize];",
            "let _ = x[V as u32 as usize];",
            "let _ = x[V as i32 as usize];",
            "let _ = x[(V as i32 + 1) as usize];",
            "let _ = x[V.max(0) as usize];",
            "let _ = x[V.clamp(0, 3) as usize];",
            "let _ = x[V.rem_euclid(3) as usize];",
            "let _ = x[(V & 3) as usize];",
            "for q in -1isize..=1 { let r = V + q; if r >= 0 && (r as usize) < C { let _ = x[r as usize]; } }",
        ]);
        let name = self.new_name("u");
        let text = format!("let V = (A) as isize - ({offset}); if {guard} {{ {access} }}");
        self.template(&text, &[("V", name), ("A", a), ("C", c)]);
    }

    /// An index that is used again, on the same path or on another.
    fn checked_twice(&mut self) {
        let (a, b, condition) = (self.expr(1), self.expr(0), self.condition(0));
        let form = *self.random.pick(&[
            "let _ = x[A]; let _ = x[A];",
            "let _ = x[A]; out[A] = 1;",
            "if Q { let _ = x[A]; } let _ = x[A];",
            "if Q && x[A] > 0 { let _ = x[A]; }",
            "if Q || x[A] > 0 { let _ = x[A]; }",
            "if !(Q || x[A] > 0) { let _ = x[A]; }",
            "if Q { let _ = x[A]; } else { let _ = x[A]; } let _ = x[A];",
            "for q in 0..B { let _ = x[A]; } let _ = x[A];",
            "let _ = x[A]; let _ = x[(A) / 2]; let _ = x[(A) % (B)];",
        ]);
        self.template(form, &[("A", format!("({a})")), ("B", b), ("Q", condition)]);
    }

    fn halo(&mut self) {
        let inner = *self.random.pick(&["TILE - 2 * HALO", "TILE - HALO", "TILE"]);
        let guard = *self.random.pick(&["t >= HALO && t < TILE - HALO", "t >= HALO && t + HALO < TILE", "t < TILE - HALO", "t >= HALO"]);
        let form = "{ let t = thread_idx().x; if G { out[block_idx().x * (I) + t - HALO] = 1; let _ = x[t - HALO]; } }";
        self.template(form, &[("G", guard.to_owned()), ("I", inner.to_owned())]);
    }

    fn joined(&mut self, depth: usize) {
        let (a, b, c, condition) = (self.name(), self.condition(1), self.uniform(), self.condition(1));
        let leave = if self.loops > 0 { *self.random.pick(&["return", "break", "continue"]) } else { "return" };
        let form = *self.random.pick(&[
            "if Q { assert!(A < C); } else if A >= C { L; }",
            "if Q { if A >= C { L; } } else { assert!(B && A < C); }",
            "match A { 0 => {} q if q >= C => L, _ => {} }",
            "if Q { assert!(A < C); }",
        ]);
        self.template(form, &[("A", a), ("C", c), ("L", leave.to_owned()), ("Q", condition), ("B", b)]);
        self.inner(depth);
    }

    fn looped(&mut self, depth: usize) {
        let (a, c) = (self.expr(0), self.uniform());
        let name = self.new_name("u");
        let (head, step) = *self.random.pick(&[
            ("let mut V = A; while V < C {", "V += 1;"),
            ("let mut V = C; while V > 0 {", "V /= 2;"),
            ("let mut V = A; for _ in 0..2 {", "V = V % 3;"),
        ]);
        let parts = [("V", name.clone()), ("A", a), ("C", c)];
        self.template(head, &parts);
        self.names.push(name);
        self.loops += 1;
        self.inner(depth);
        self.loops -= 1;
        self.template(step, &parts);
        self.template("}", &[]);
    }
}
