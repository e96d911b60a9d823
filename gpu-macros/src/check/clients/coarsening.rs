//! Thread coarsening: whether a thread may run a function for several elements.

use crate::model::*;

/// Whether the function may run for several elements in one thread, as far as its own body goes: a kernel that knows its thread by
/// `grid_1d()` alone, a device function that does not know its thread at all.
///
/// Not with a loop: its rounds keep the loads of the next element from starting early, so there is nothing to win.
pub(crate) fn suits_several_elements(function: &Function) -> bool {
    let mut uses = Uses::default();
    function.body.for_each_child(&mut |expr| uses.add(expr));
    match &function.kind {
        FunctionKind::Kernel(options) => {
            // The other variant is compiled for another block.
            options.block.is_none() && !options.divides_registers() && uses.grid_1d && !uses.loops_or_other_intrinsics
        }
        FunctionKind::Device | FunctionKind::Array(_) | FunctionKind::Generalized(_) => !uses.grid_1d && !uses.loops_or_other_intrinsics,
    }
}

#[derive(Default)]
struct Uses {
    grid_1d: bool,
    loops_or_other_intrinsics: bool,
}

impl Uses {
    fn add(&mut self, expr: &Expr) {
        match expr.action() {
            Action::Intrinsic(Intrinsic::Grid1d) => self.grid_1d = true,
            // PTX may read which thread it is, too.
            Action::Intrinsic(_) | Action::Tile | Action::Assembly | Action::Loop => self.loops_or_other_intrinsics = true,
            Action::Compute { .. }
            | Action::Access
            | Action::Assign(_)
            | Action::CompoundAssign { .. }
            | Action::BorrowMut(_)
            | Action::Atomic
            | Action::Call { .. }
            | Action::Branch
            | Action::Jump
            | Action::Panic => {}
        }
        expr.for_each_child(&mut |child| self.add(child));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::kernel_with;

    fn kernel(arguments: &str, body: &str) -> Function {
        kernel_with(arguments, &format!("fn k(x: &[f32], n: u32, out: &mut [f32]) {{ {body} }}"))
    }

    #[test]
    fn only_the_number_of_the_thread_may_tell_a_kernel_which_one_it_is() {
        for (suits, body) in [
            (true, "out[grid_1d()] = 1.0;"),
            (true, "if n > 3 { out[grid_1d()] = x[grid_1d()]; } else { out[grid_1d()] = f(n); }"),
            (false, "out[n as usize] = 1.0;"),
            (false, "out[grid_1d()] = thread_idx().x as f32;"),
            (false, "out[grid_1d()] = block_idx().x as f32;"),
            (false, "out[grid_1d()] = block_dim().x as f32;"),
            (false, "out[grid_1d()] = if n > 3 { 1.0 } else { grid_dim().x as f32 };"),
            (false, "let (i, _) = grid_2d(); out[i + grid_1d()] = 1.0;"),
            (false, "for i in grid_stride(out.len()) { out[i] = grid_1d() as f32; }"),
            (false, "let tile = shared::<[f32; 4]>(); out[grid_1d()] = tile[0];"),
            (false, "sync_threads(); out[grid_1d()] = 1.0;"),
            (false, "for k in 0..4 { out[grid_1d()] += x[k]; }"),
            (false, "let mut k = 0; while k < n { k += 1; } out[grid_1d()] = k as f32;"),
            (false, "let k = loop { break 1.0; }; out[grid_1d()] = k;"),
        ] {
            assert_eq!(suits_several_elements(&kernel("", body)), suits, "{body}");
        }
        assert!(!suits_several_elements(&kernel("block = 128", "out[grid_1d()] = 1.0;")), "a declared block");
    }
}
