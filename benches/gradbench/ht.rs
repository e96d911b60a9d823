//! `ht`: the distances between a hand, of which a pose turns the bones, and measured points, as expressions of arrays. The Jacobian has many more
//! rows than columns: it is one derivative along a direction for each parameter of the pose, and one for all points in each place of a triangle.

use gpu_benches::Result;
use gpu_runtime::gradient::{Stored, concatenate, constant, jvp, stack, variable};
use gpu_runtime::prelude::*;
use serde_json::Value;

use crate::input::{Input, count, list, matrix, rows_of};
use crate::protocol::{Evaluated, Runs, unknown};

/// The rotation of the hand, its place, and four angles for each of five fingers.
const PARAMETERS: usize = 26;

/// Rotations by less are none.
const LEAST_ANGLE: f64 = 1e-4;

/// The hand and the measured points.
struct Hand {
    parents: Vec<Option<usize>>,
    /// Which parameter turns each bone about its first and its third axis: the one behind the last, which is 0, for none.
    turns: [DeviceArray<u32>; 2],
    zeros: DeviceArray<f64>,
    /// The axes of each bone in those of its parent, 4 × 3 elements, and its place, 4 × 1.
    axes: DeviceArray<f64>,
    places: DeviceArray<f64>,
    /// What takes the hand that is not turned to the axes of each bone.
    inverses: DeviceArray<f64>,
    /// A row of 1 × 4 for each vertex, and by how much each bone counts for it.
    vertices: DeviceArray<f64>,
    weights: DeviceArray<f64>,
    /// A factor for each coordinate.
    mirror: DeviceArray<f64>,
    points: DeviceArray<f64>,
    /// The vertex of each point, or the three of its triangle.
    corners: Vec<DeviceArray<u32>>,
    is_turned: bool,
}

type Array<'a> = Stored<'a, f64>;

/// A matrix for each element of these arrays, row after row.
fn matrices<'a>(elements: [Array<'a>; 9]) -> gpu_runtime::Result<Array<'a>> {
    let of_bones = elements[0].shape()?;
    let rank = of_bones.rank();
    let joined = stack(&elements, rank)?;
    if rank == 0 { joined.reshape([3, 3]) } else { joined.reshape([of_bones[0], 3, 3]) }
}

/// The rotation about an axis by its length.
fn rotation<'a>(axis: &Array<'a>) -> gpu_runtime::Result<Array<'a>> {
    let angle = axis.square().sum()?.sqrt().keep()?;
    let unit = (axis / &angle).keep()?;
    let [x, y, z] = [unit.part(0)?, unit.part(1)?, unit.part(2)?];
    let (s, c) = (angle.sin().keep()?, angle.cos().keep()?);
    let rest = (1.0 - &c).keep()?;
    matrices([
        (&x * &x * &rest + &c).keep()?,
        (&x * &y * &rest - &z * &s).keep()?,
        (&x * &z * &rest + &y * &s).keep()?,
        (&x * &y * &rest + &z * &s).keep()?,
        (&y * &y * &rest + &c).keep()?,
        (&y * &z * &rest - &x * &s).keep()?,
        (&x * &z * &rest - &y * &s).keep()?,
        (&z * &y * &rest + &x * &s).keep()?,
        (&z * &z * &rest + &c).keep()?,
    ])
}

/// The vertices of the hand in a pose; `pose` has a 0 at its end.
fn vertices<'a>(hand: &'a Hand, pose: &Array<'a>) -> gpu_runtime::Result<Array<'a>> {
    let bones = hand.parents.len();
    let (first, third) = (pose.take(&hand.turns[0])?, pose.take(&hand.turns[1])?);
    let (s, c) = (first.sin().keep()?, first.cos().keep()?);
    let (s3, c3) = (third.sin().keep()?, third.cos().keep()?);
    let turns = matrices([
        c3.clone(),
        (-(&s3 * &c)).keep()?,
        (&s3 * &s).keep()?,
        s3,
        (&c3 * &c).keep()?,
        (-(c3 * &s)).keep()?,
        variable(&hand.zeros),
        s,
        c,
    ])?;
    let axes = constant(&hand.axes).einsum("bij,bjk->bik", &turns)?;
    let of_parents = concatenate([&axes, &variable(&hand.places)], 2)?;
    let mut bases: Vec<Array<'a>> = Vec::new();
    for (bone, parent) in hand.parents.iter().enumerate() {
        let own = of_parents.part(bone)?;
        bases.push(match parent {
            Some(parent) => bases[*parent].matmul(&own)?,
            None => own,
        });
    }
    let moved = stack(&bases, 0)?.einsum("bij,bjk->bik", &hand.inverses)?;
    let moved = moved.part((.., ..3, ..))?.reshape([bones, 12])?;
    let count = hand.weights.shape()[0];
    let blended = constant(&hand.weights).matmul(&moved)?.reshape([count, 3, 4])?;
    let placed = ((blended * &hand.vertices).sum_axis(2)? * &hand.mirror).keep()?;
    let turned = if hand.is_turned { placed.matmul(&rotation(&pose.part(..3)?)?.t()?)? } else { placed };
    (turned + pose.part(3..6)?).keep()
}

/// The distances from each point to its vertex, or to its place in its triangle, which `places` has as two numbers.
fn distances<'a>(hand: &'a Hand, pose: &Array<'a>, places: &Array<'a>) -> gpu_runtime::Result<Array<'a>> {
    let vertices = vertices(hand, pose)?;
    let corners = hand.corners.iter().map(|corner| vertices.take(corner)).collect::<gpu_runtime::Result<Vec<_>>>()?;
    match &corners[..] {
        [a, b, c] => {
            let (u, v) = (places.part((.., ..1))?, places.part((.., 1..))?);
            (&hand.points - (&u * a + &v * b + (1.0 - &u - &v) * c)).keep()
        }
        _ => (&hand.points - &corners[0]).keep(),
    }
}

/// The parameters that turn the bones: the first bone of a finger about two axes, the next two about one.
fn turns(bones: usize) -> [Vec<u32>; 2] {
    let none = PARAMETERS as u32;
    let mut turns = [vec![none; bones], vec![none; bones]];
    for finger in 0..5 {
        let (bone, parameter) = (2 + 4 * finger, 6 + 4 * finger as u32);
        let of_finger = [(0, bone, parameter), (1, bone, parameter + 1), (0, bone + 1, parameter + 2), (0, bone + 2, parameter + 3)];
        for (axis, bone, parameter) in of_finger {
            if let Some(turn) = turns[axis].get_mut(bone) {
                *turn = parameter;
            }
        }
    }
    turns
}

impl Hand {
    fn read(device: &Device, data: &Value, pose: &[f64], has_triangles: bool) -> Result<Self> {
        let model = Input::new(data.get("model").ok_or("the input has no field `model`")?);
        let parents =
            list(model.field("parents")?)?.iter().map(|parent| Ok(parent.as_i64().and_then(|parent| usize::try_from(parent).ok())));
        let parents = parents.collect::<Result<Vec<_>>>()?;
        let bones = parents.len();
        let of_bones = |name| -> Result<DeviceArray<f64>> {
            let mut elements = Vec::new();
            for bone in list(model.field(name)?)? {
                elements.extend(matrix(bone)?.0);
            }
            Ok(device.to_device(&elements)?.reshape([bones, 4, 4])?)
        };
        let relatives = of_bones("base_relatives")?;
        let (base, [vertices, _]) = model.matrix("base_positions")?;
        let data = Input::new(data);
        let (points, shape) = data.matrix("points")?;
        let numbers = list(data.field("correspondences")?)?.iter().map(count).collect::<Result<Vec<_>>>()?;
        let triangles = list(model.field("triangles")?)?;
        let corner = |place: usize| -> Result<DeviceArray<u32>> {
            let of_point = |number: &usize| count(&triangles[*number][place]).map(|vertex| vertex as u32);
            Ok(device.to_device(&numbers.iter().map(of_point).collect::<Result<Vec<_>>>()?)?)
        };
        let corners = if has_triangles {
            vec![corner(0)?, corner(1)?, corner(2)?]
        } else {
            vec![device.to_device(&numbers.iter().map(|&number| number as u32).collect::<Vec<_>>())?]
        };
        let is_mirrored = model.field("is_mirrored")?.as_bool().unwrap_or_default();
        let [first, third] = turns(bones);
        Ok(Self {
            parents,
            turns: [device.to_device(&first)?, device.to_device(&third)?],
            zeros: device.zeros(bones)?,
            axes: lazy(relatives.view().slice_axis(2, ..3)).collect()?,
            places: lazy(relatives.view().slice_axis(2, 3..)).collect()?,
            inverses: of_bones("inverse_base_absolutes")?,
            vertices: device.to_device(&base)?.reshape([vertices, 1, 4])?,
            weights: device.to_device(&model.matrix("weights")?.0)?.reshape([vertices, bones])?,
            mirror: device.to_device(&[if is_mirrored { -1.0 } else { 1.0 }, 1.0, 1.0])?,
            points: device.to_device(&points)?.reshape(shape)?,
            corners,
            is_turned: pose[..3].iter().map(|x| x * x).sum::<f64>().sqrt() >= LEAST_ANGLE,
        })
    }
}

pub(crate) fn evaluate(device: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let mut pose = input.numbers("theta")?;
    if pose.len() != PARAMETERS {
        return Err(format!("a pose has {PARAMETERS} parameters").into());
    }
    pose.push(0.0);
    let (places, [count, _]) = input.matrix("us")?;
    let hand = Hand::read(device, input.field("data")?, &pose, count > 0)?;
    let pose = device.to_device(&pose)?;
    let places = device.to_device(&places)?.reshape([count, 2])?;
    match function {
        "objective" => runs.of(|| Ok(distances(&hand, &variable(&pose), &variable(&places))?.value()?.to_host()?)),
        "jacobian" => {
            let still = (device.zeros::<f64>(PARAMETERS + 1)?, device.zeros::<f64>([count, 2])?);
            let place = |axis: usize| device.to_device(&(0..2 * count).map(|i| if i % 2 == axis { 1.0 } else { 0.0 }).collect::<Vec<_>>());
            let of_places = if count > 0 { vec![place(0)?.reshape([count, 2])?, place(1)?.reshape([count, 2])?] } else { Vec::new() };
            let of_pose = device.eye::<f64>(PARAMETERS + 1)?;
            let of_pose =
                (0..PARAMETERS).map(|i| lazy(of_pose.view().index_axis(0, i)).collect()).collect::<gpu_runtime::Result<Vec<_>>>()?;
            runs.of(|| {
                let by_places = of_places.iter().map(|direction| (&still.0, direction));
                let directions = by_places.chain(of_pose.iter().map(|direction| (direction, &still.1)));
                let mut columns = Vec::new();
                for directions in directions {
                    let along = jvp((&pose, &places), directions, |(pose, places)| distances(&hand, &pose, &places))?.1;
                    columns.push(along.to_host()?);
                }
                Ok(Columns(columns))
            })
        }
        _ => unknown(function),
    }
}

/// The columns of a matrix, which is reported as a list of its rows.
struct Columns(Vec<Vec<f64>>);

impl From<Columns> for Value {
    fn from(Columns(columns): Columns) -> Self {
        let rows = columns.first().map_or(0, Vec::len);
        let elements: Vec<f64> = (0..rows).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
        rows_of(&elements, columns.len())
    }
}
