//! The flow in a box under a moving lid, compared with the table of Ghia and others.

use gpu_examples::{Arguments, Failure};
use half::f16;
use lattice_boltzmann::ghia;

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Compares the flow under a moving lid with a table, at Re = 100.", &["--cells"]);
    let device = arguments.device()?;
    let cells = arguments.number("--cells").unwrap_or(64);
    println!("{cells} × {cells} cells on {device}");
    let (f32s, f16s) = (ghia::cavity::<f32>(&device, cells)?, ghia::cavity::<f16>(&device, cells)?);
    let titles = ["height, velocity along the lid", "place, velocity upwards"];
    let mut worst = 0.0f32;
    for ((title, wide), narrow) in titles.iter().zip(&f32s).zip(&f16s) {
        println!("\n{title}: Ghia and others, f32, f16");
        for (ghia::Row { place, expected, found }, ghia::Row { found: short, .. }) in wide.iter().zip(narrow) {
            println!("{place:.4}  {expected:8.5}  {found:8.5}  {short:8.5}");
            worst = worst.max((found - expected).abs()).max((short - expected).abs());
        }
    }
    println!("\nthe largest difference is {worst:.4} of the speed of the lid");
    if worst > 0.02 { Err("the flow is not that of the table".into()) } else { Ok(()) }
}
