//! Cells in brackets, a line for each row of the last axis, and more where a row is long.

use super::Axis;

/// Characters of a line.
const WIDTH: usize = 75;

/// The text of an array with these axes and cells, in C order.
pub(super) fn rows(axes: &[Axis], cells: &[String]) -> String {
    if axes.iter().any(|axis| axis.len() == 0) {
        return "[]".to_owned();
    }
    rows_of(axes, cells, " ", WIDTH)
}

/// The same for the axes that are left, where `indent` is in front of each line after the first, and one more for its bracket.
fn rows_of(axes: &[Axis], cells: &[String], indent: &str, width: usize) -> String {
    let Some((axis, inner)) = axes.split_first() else { return cells[0].clone() };
    let each = cells.len() / axis.len();
    let deeper = format!("{indent} ");
    let mut parts: Vec<String> = cells.chunks(each).map(|cells| rows_of(inner, cells, &deeper, width - 1)).collect();
    if axis.is_cut() {
        parts.insert(axis.first.len(), "...".to_owned());
    }
    let text = match inner.len() {
        0 => wrapped(&parts, indent, width - 1),
        axes_left => parts.join(&format!("{}{indent}", "\n".repeat(axes_left))),
    };
    format!("[{text}]")
}

/// Cells in lines of `width` characters.
fn wrapped(cells: &[String], indent: &str, width: usize) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for cell in cells {
        if !line.is_empty() && indent.len() + line.chars().count() + cell.chars().count() > width {
            lines += line.trim_end();
            lines += "\n";
            lines += indent;
            line.clear();
        }
        line += cell;
        line += " ";
    }
    line.pop();
    lines + &line
}
