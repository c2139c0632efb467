// @ts-check
/**
 * The numbers of a map, from the released measurements, exactly as Starling counts them: each function names the module that it follows,
 * and a test compares both. Rectangles are x0, y0, x1, y1 in cells of the grid, from its south-western corner.
 */

const WITHIN = 2, CUT = 1, APART = 0;
const NEITHER = 0, STEERED = 1, COVER = 2;
const NO_COVER = 0, OWN_ALONE = 1, BELOW = 3;
const SPARE = 1e-7, ROUNDING = 1e-14, MOST_ANGLES = 1 << 15, PARTS = 16, LEAST = 1e-9;

/** @typedef {import("./packing.js").Numbers} Numbers */
/** @typedef {import("./map_view.js").Rectangle} Rectangle */
/** @typedef {{ deviations: number[], wide_scales: number[], wide_variances: number[] }} Noises */
/** @typedef {{ least: number, most: number, low: Float64Array, high: Float64Array }} Ends */
/** @typedef {{ lower: number, upper: number, cut: number }} Interval */

/**
 * Points of a rectangle, linear within a cell: starling.places.answers.rectangles.
 * @param {Numbers} cells @param {number} rows @param {number} columns @returns {(rectangle: Rectangle) => number}
 */
export function cumulative(cells, rows, columns) {
  const wide = columns + 1, sums = new Float64Array((rows + 1) * wide), northwards = new Float64Array(columns);
  for (let row = 0; row < rows; row++) {
    let along = 0;
    for (let column = 0; column < columns; column++) {
      northwards[column] += cells[row * columns + column];
      along += northwards[column];
      sums[(row + 1) * wide + column + 1] = along;
    }
  }
  const south_of = (/** @type {number} */ row, /** @type {number} */ x0, /** @type {number} */ x1) => {
    const left = Math.min(Math.floor(x0), columns - 1), right = Math.min(Math.floor(x1), columns - 1), at = row * wide;
    const east = sums[at + right] + (x1 - right) * (sums[at + right + 1] - sums[at + right]);
    const west = sums[at + left] + (x0 - left) * (sums[at + left + 1] - sums[at + left]);
    return east - west;
  };
  return (rectangle) => {
    const [x0, x1] = [rectangle[0], rectangle[2]].map((x) => Math.min(Math.max(x, 0), columns));
    const [y0, y1] = [rectangle[1], rectangle[3]].map((y) => Math.min(Math.max(y, 0), rows));
    const south = Math.min(Math.floor(y0), rows - 1), north = Math.min(Math.floor(y1), rows - 1);
    let lower = south_of(south, x0, x1);
    const bottom = lower + (y0 - south) * (south_of(south + 1, x0, x1) - lower);
    lower = south_of(north, x0, x1);
    return lower + (y1 - north) * (south_of(north + 1, x0, x1) - lower) - bottom;
  };
}

/**
 * Points of a rectangle, spread evenly within released boxes: starling.places.answers.leaf_table.
 * @param {Numbers[]} ends south, north, west and east ends of each box @param {Numbers} points @returns {(rectangle: Rectangle) => number}
 */
export function of_boxes([south, north, west, east], points) {
  return ([x0, y0, x1, y1]) => {
    let sum = 0;
    for (let k = 0; k < points.length; k++) {
      const high = Math.min(north[k], y1) - Math.max(south[k], y0), wide = Math.min(east[k], x1) - Math.max(west[k], x0);
      if (high > 0 && wide > 0) sum += points[k] * (high / (north[k] - south[k])) * (wide / (east[k] - west[k]));
    }
    return sum;
  };
}

/** Fresh measurements on both sides of a rectangle: the walk of starling.places.answers.cover. */
export class Cover {
  /** @param {(name: string) => Numbers} take an array of the index by its name @param {Noises} noises */
  constructor(take, noises) {
    this.noises = noises;
    this.south = take("south");
    this.north = take("north");
    this.west = take("west");
    this.east = take("east");
    this.fresh = take("fresh");
    this.fresh_noise = take("fresh_noise");
    this.steered = take("steered");
    this.steered_noise = take("steered_noise");
    this.cover = take("cover");
    this.looked = take("looked");
    const children = take("children"), nodes = children.length;
    this.first = new Int32Array(nodes + 1);
    this.first[0] = 1;
    for (let node = 0; node < nodes; node++) this.first[node + 1] = this.first[node] + children[node];
    this.steers = new Uint8Array(nodes);
    for (let node = nodes - 1; node >= 0; node--) {
      let steers = this.steered_noise[node] >= 0;
      for (let child = this.first[node]; child < this.first[node + 1]; child++) steers ||= this.steers[child] > 0;
      this.steers[node] = Number(steers);
    }
  }

  /** How many boxes the index has. */
  get nodes() {
    return this.cover.length;
  }

  /** @param {number} node */
  is_leaf(node) {
    return this.first[node] === this.first[node + 1];
  }

  /** @param {Rectangle} rectangle @param {number} node */
  relation([x0, y0, x1, y1], node) {
    const south = this.south[node], north = this.north[node], west = this.west[node], east = this.east[node];
    if (Math.min(x1, east) <= Math.max(x0, west) || Math.min(y1, north) <= Math.max(y0, south)) return APART;
    return x0 <= west && east <= x1 && y0 <= south && north <= y1 ? WITHIN : CUT;
  }

  /** @param {number} node @param {number} near the nearest steered value above */
  choice(node, near) {
    const added = this.steered_noise[node] >= 0 && !this.looked[node];
    if (added && near >= 16 * this.noises.deviations[this.steered_noise[node]]) return STEERED;
    const descends = !added && this.steers[node] && this.cover[node] === BELOW;
    return descends || this.cover[node] === NO_COVER ? NEITHER : COVER;
  }

  /**
   * Sums of what lies within a rectangle and of what together holds it, with how many draws of each noise they have.
   * @param {Rectangle} rectangle
   */
  sums(rectangle) {
    const many = this.noises.deviations.length, sums = [0, 0], draws = [new Float64Array(many), new Float64Array(many)];
    /** @type {(value: number, noise: number, sides: number[]) => void} */
    const add = (value, noise, sides) => {
      for (const side of sides) {
        sums[side] += value;
        draws[side][noise]++;
      }
    };
    const both = [0, 1], inner = [0];
    /** @type {(node: number, sides: number[]) => void} */
    const add_cover = (node, sides) => {
      if (this.cover[node] !== BELOW) return add(this.fresh[node], this.fresh_noise[node], sides);
      for (let child = this.first[node]; child < this.first[node + 1]; child++) add_cover(child, sides);
    };
    /** @type {(node: number, held: boolean, near: number) => void} */
    const walk = (node, held, near) => {
      const lies = this.relation(rectangle, node);
      if (lies === APART) return;
      const taken = lies === WITHIN ? this.choice(node, near) : NEITHER, sides = held ? inner : both;
      if (taken === STEERED) return add(this.steered[node], this.steered_noise[node], sides);
      if (taken === COVER) return add_cover(node, sides);
      if (!held && this.cover[node] === OWN_ALONE) {
        add(this.fresh[node], this.fresh_noise[node], [1]);
        held = true;
      }
      const below = this.steered_noise[node] >= 0 ? this.steered[node] : near;
      for (let child = this.first[node]; child < this.first[node + 1]; child++) walk(child, held, below);
    };
    walk(0, false, Infinity);
    return { inside: sums[0], touched: sums[1], inside_terms: draws[0], touched_terms: draws[1] };
  }
}

/**
 * What a sum of independent discrete Laplace draws exceeds with a chance of at most alpha / 2: starling.places.answers.noise_sums.
 * @param {Float64Array} terms draws of each noise @param {Noises} noises @param {number} alpha
 */
export function margin(terms, noises, alpha) {
  const used = [...terms.keys()].filter((j) => terms[j] > 0), many = used.reduce((sum, j) => sum + terms[j], 0);
  if (many === 0) return 0;
  const scales = noises.wide_scales, variances = noises.wide_variances;
  if (many === 1) {
    const scale = scales[used[0]];
    return Math.max(0, Math.ceil(scale * Math.log(2 / (alpha * (1 + Math.exp(-1 / scale)))) - 1 + 1e-9));
  }
  const small = SPARE * alpha, tail = Math.log(2 / small) + 0.01;
  const variance = used.reduce((sum, j) => sum + terms[j] * variances[j], 0);
  const widest = Math.max(...used.map((j) => scales[j]));
  const step = Math.min(Math.sqrt(2 * tail / variance), 0.9 / widest), bend = 2 * Math.sinh(step / 2) ** 2;
  const moment = used.reduce((sum, j) => sum - terms[j] * Math.log1p(-variances[j] * bend), 0);
  const reach = Math.floor((tail + moment) / step) + 2, period = 2 * reach + 1;
  /** @type {number[]} */
  const angles = [];
  /** @type {number[]} */
  const values = [];
  let left = 0;
  for (let k = 1; k <= Math.min(reach, MOST_ANGLES); k++) {
    const angle = 2 * Math.PI * k / period, half = Math.sin(angle / 2);
    let exponent = 0;
    for (const j of used) exponent -= terms[j] * Math.log1p(variances[j] * 2 * half * half);
    const here = Math.exp(exponent);
    angles.push(angle);
    values.push(here / half);
    left = k === reach ? 0 : here * Math.log(period / (2 * k));
    if (left < small) break;
  }
  left += 2 * small + ROUNDING;
  const misses = (/** @type {number} */ m) => {
    let inside = 0;
    for (let k = 0; k < angles.length; k++) inside += values[k] * Math.sin((m + 0.5) * angles[k]);
    return 1 - (2 * m + 1 + 2 * inside) / period + left > alpha;
  };
  let low = -1, high = Math.max(Math.floor(2 * Math.sqrt(variance)), 1);
  while (high < reach && misses(high)) [low, high] = [high, 2 * high];
  high = Math.min(high, reach);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (misses(middle)) low = middle; else high = middle;
  }
  return high;
}

/** To the nearest whole number, halves to the even one. @param {number} value */
export const even = (value) => (value % 1 === 0.5 ? 2 * Math.round(value / 2) : Math.round(value));

/** Sure intervals of a slice, or of one less another: starling.places.answers.sure. */
export class Surety {
  /** @param {Cover[]} covers @param {number[]} signs 1 for what is added, -1 for what is taken away @param {number} missing 1 - level */
  constructor(covers, signs, missing) {
    this.covers = covers;
    this.signs = signs;
    this.missing = missing;
    /** @type {Noises} */
    this.noises = { deviations: [], wide_scales: [], wide_variances: [] };
    for (const { noises } of covers) {
      for (const name of /** @type {(keyof Noises)[]} */ (Object.keys(this.noises))) this.noises[name].push(...noises[name]);
    }
    /** @type {Map<string, number>} */
    this.known = new Map();
  }

  /** @param {Rectangle} rectangle @returns {Interval} */
  of(rectangle) {
    const sums = this.covers.map((cover) => cover.sums(rectangle));
    const [low, high] = [1, -1].map((side) => {
      const parts = sums.map((each, k) => (this.signs[k] === side ? each.inside_terms : each.touched_terms));
      const value = sums.reduce((sum, each, k) => sum + this.signs[k] * (this.signs[k] === side ? each.inside : each.touched), 0);
      return { terms: Float64Array.from(parts.flatMap((part) => [...part])), value };
    });
    const cut = sums.reduce((sum, each) => sum + each.touched - each.inside, 0);
    const deviation = (/** @type {Float64Array} */ terms) =>
      Math.sqrt(terms.reduce((sum, many, j) => sum + many * this.noises.deviations[j] ** 2, 0));
    const below = deviation(low.terms), above = deviation(high.terms);
    const part = this.part(below, above);
    let lower = low.value - this.margin(low.terms, part);
    if (!this.signs.includes(-1)) lower = Math.max(lower, 0);
    return { lower, upper: Math.max(high.value + this.margin(high.terms, PARTS - part), lower), cut };
  }

  /** How many sixteenths of the chance of missing the lower end gets. @param {number} below @param {number} above */
  part(below, above) {
    if (this.missing < PARTS * LEAST || this.missing >= 0.5) return PARTS / 2;
    const share = below + above > 0 ? below / (below + above) : 0.5;
    return Math.min(Math.max(even(PARTS * share), Number(below > 0)), PARTS - Number(above > 0));
  }

  /** @param {Float64Array} terms @param {number} part */
  margin(terms, part) {
    if (part === 0) return 0;
    const key = `${terms.join()};${part}`;
    let result = this.known.get(key);
    if (result === undefined) {
      result = margin(terms, this.noises, 2 * part * this.missing / PARTS);
      this.known.set(key, result);
    }
    return result;
  }
}

/**
 * Typical errors, from tables of squares of cells: starling.places.typical.errors. None of rectangles that are narrower than two squares.
 * @param {any} usual @param {{ high: number, wide: number }} grid @param {(name: string) => Numbers} take
 * @returns {(rectangle: Rectangle) => number | null}
 */
export function typical(usual, { high, wide }, take) {
  const { rows, columns, reruns, fold, whole, times, unit } = usual;
  /** @type {((squares: Rectangle) => number)[]} */
  const off_by = [];
  const errors = take("errors"), noise = take("deviations"), size = rows * columns;
  for (let rerun = 0; rerun < reruns; rerun++) off_by.push(cumulative(errors.subarray(rerun * size, (rerun + 1) * size), rows, columns));
  // The last square of a row or column may be cut by the end of the grid: what is summed is its mean times its cells.
  const side = (/** @type {number} */ k, /** @type {number} */ end) => Math.min(end, (k + 1) * fold) - k * fold;
  const weighted = Float64Array.from(noise, (value, k) => value * side(Math.floor(k / columns), high) * side(k % columns, wide));
  off_by.push(cumulative(weighted, rows, columns));
  // Of a square that the end of the grid cuts, only its cells count.
  const at_square = (/** @type {number} */ place, /** @type {number} */ end, /** @type {number} */ squares) => {
    const square = Math.min(Math.floor(place / fold), squares - 1);
    return square + (place - square * fold) / side(square, end);
  };
  return ([x0, y0, x1, y1]) => {
    if (x1 - x0 < whole * fold || y1 - y0 < whole * fold) return null;
    /** @type {Rectangle} */
    const squares = [at_square(x0, wide, columns), at_square(y0, high, rows), at_square(x1, wide, columns), at_square(y1, high, rows)];
    const sums = off_by.map((sum) => sum(squares) * unit), box = (sums.pop() ?? 0) / ((x1 - x0) * (y1 - y0));
    return times * Math.sqrt(sums.reduce((sum, error) => sum + error * error, 0) / reruns + box * box);
  };
}
