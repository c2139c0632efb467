// @ts-check
/** The map of a release on a page that stands alone: it counts rectangles itself, as map_numbers.js does, from the released measurements. */
import { Cover, Surety, cumulative, even, of_boxes, typical } from "./map_numbers.js";
import { element, show_map } from "./map_view.js";
import { content, unpack } from "./packing.js";
import { short } from "./map_drawing.js";

/** @typedef {import("./map_view.js").Rectangle} Rectangle */
/** @typedef {import("./map_view.js").View} View */
/** @typedef {(rectangle: Rectangle) => number} Count */
/** @typedef {{ facts: any, cells: import("./packing.js").Numbers, boxes: Float64Array, count: Count, surety: Surety | null, typical: ((rectangle: Rectangle) => number | null) | null, view?: View }} Slice */

/** Squares along the longer side of which a difference is told from nothing. */
const SQUARES = 24;
/** The end of the scale where no cell has points. */
const TINY = 1e-6;
const written = (/** @type {number} */ value) => value.toLocaleString("en", { maximumFractionDigits: 0 }).replace("-0", "0").replace("-", "−");

/** The slices of a map, each ready to be asked, and what one has more than another. */
class Slices {
  /** @param {import("./packing.js").Data} data */
  constructor({ facts, take }) {
    this.facts = facts;
    this.take = take;
    /** @type {(Cover | null)[]} */
    this.covers = facts.slices.map((/** @type {any} */ slice, /** @type {number} */ k) => (slice.noises ? new Cover((name) => take(`${k}.${name}`), slice.noises) : null));
    /** @type {Slice[]} */
    this.all = facts.slices.map((/** @type {any} */ _, /** @type {number} */ k) => this.slice(k));
    /** @type {Map<string, Slice>} */
    this.differences = new Map();
    this.most = TINY;
    for (const slice of this.all) for (const value of slice.cells) this.most = Math.max(this.most, value);
    this.least = this.most / 10000;
  }

  /** @param {number} k @returns {Slice} */
  slice(k) {
    const { rows, columns, fold, slices, missing } = this.facts, facts = slices[k], cover = this.covers[k];
    const named = (/** @type {string} */ name) => this.take(`${k}.${name}`);
    const cells = named("cells"), table = cumulative(cells, rows, columns), boxes = [];
    const ends = facts.sparse || !cover ? ["south", "north", "west", "east"].map((side) => named(`box_${side}`)) : null;
    for (let box = 0; ends && box < ends[0].length; box++) for (const end of ends) boxes.push(end[box]);
    for (let node = 0; !ends && cover && node < cover.nodes; node++) if (cover.is_leaf(node)) boxes.push(cover.south[node], cover.north[node], cover.west[node], cover.east[node]);
    return {
      facts, cells, boxes: Float64Array.from(boxes),
      count: facts.sparse && ends ? of_boxes(ends, named("box_points")) : ([a, b, c, d]) => table([a / fold, b / fold, c / fold, d / fold]),
      surety: cover ? new Surety([cover], [1], missing) : null,
      typical: facts.typical ? typical(facts.typical, this.facts, named) : null,
    };
  }

  /** A slice, or what it has more than another: `starling places compare`. @param {number} one @param {number} other -1 for none */
  shown(one, other) {
    if (other < 0) return this.all[one];
    const key = `${one} ${other}`;
    let result = this.differences.get(key);
    if (!result) this.differences.set(key, result = this.difference(one, other));
    return result;
  }

  /** The shade of a number, 0 to 255: starling.places.pictures.map_shades. @param {number} value @param {boolean} signed */
  shade(value, signed) {
    const { most, least } = this, size = Math.min(Math.log1p(Math.abs(value) / least) / Math.log1p(most / least), 1) * Math.sign(value);
    return Math.round(255 * (signed ? 0.5 + size / 2 : Math.max(size, 0)));
  }

  /** What is drawn of a slice, or of a difference. @param {number} one @param {number} other @returns {View} */
  view(one, other) {
    const slice = this.shown(one, other), signed = other >= 0;
    return slice.view ??= {
      shades: Uint8Array.from(slice.cells, (value) => this.shade(value, signed)), blank: slice.surety && this.blank(slice, signed ? null : this.covers[one], one),
      boxes: slice.boxes, hotspots: slice.facts.hotspots.map((/** @type {any} */ each) => each.box), most: this.most, least: this.least, signed,
    };
  }

  /**
   * Where an interval holds 0, by the smallest measured boxes, or of a difference by squares.
   * @param {Slice} slice @param {Cover | null} cover @param {number} one
   */
  blank({ surety }, cover, one) {
    const { rows, columns, fold, high, wide } = this.facts, result = new Uint8Array(rows * columns);
    const fill = (/** @type {number} */ bottom, /** @type {number} */ top, /** @type {number} */ left, /** @type {number} */ right) => {
      for (let row = Math.floor(bottom / fold); row < Math.ceil(top / fold); row++) result.fill(1, row * columns + Math.floor(left / fold), row * columns + Math.ceil(right / fold));
    };
    if (cover) {
      const says = this.take(`${one}.says`);
      for (let node = 0; node < says.length; node++) if (says[node] === 2) fill(cover.south[node], cover.north[node], cover.west[node], cover.east[node]);
      return result;
    }
    const side = Math.max(fold, Math.ceil(Math.max(high, wide) / SQUARES));
    for (let y = 0; y < high; y += side) {
      for (let x = 0; x < wide; x += side) {
        const [top, right] = [Math.min(y + side, high), Math.min(x + side, wide)], { lower, upper } = /** @type {Surety} */ (surety).of([x, y, right, top]);
        if (lower <= 0 && upper >= 0) fill(y, top, x, right);
      }
    }
    return result;
  }

  /** @param {number} one @param {number} other @returns {Slice} */
  difference(one, other) {
    const [a, b] = [this.all[one], this.all[other]], [first, second] = [this.covers[one], this.covers[other]];
    return {
      facts: { ...a.facts, hotspots: [] }, boxes: a.boxes,
      cells: Float64Array.from(a.cells, (value, k) => value - b.cells[k]),
      count: (rectangle) => a.count(rectangle) - b.count(rectangle),
      surety: first && second ? new Surety([first, second], [1, -1], this.facts.missing) : null,
      typical: a.typical && b.typical ? (rectangle) => {
        const errors = [a, b].map((slice) => slice.typical && slice.typical(rectangle));
        return errors.includes(null) ? null : Math.hypot(.../** @type {number[]} */ (errors));
      } : null,
    };
  }
}

async function begin() {
  const slices = new Slices(unpack(await content(element("map-data")))), facts = slices.facts, { high, wide } = facts;
  const category = element("map-category");
  /** Of slices by two columns each value of the first has all categories, one after the other. */
  const chosen_slice = () => Number(element("map-slice").value) * (category?.options.length ?? 1) + (category?.selectedIndex ?? 0);
  let number = chosen_slice(), other = Number(element("map-other").value);

  /** @param {Rectangle} chosen */
  function answer(chosen) {
    const [x0, x1] = [chosen[0], chosen[2]].map((x) => Math.min(Math.max(x, 0), wide)), [y0, y1] = [chosen[1], chosen[3]].map((y) => Math.min(Math.max(y, 0), high));
    const { count, surety, typical: usual } = slices.shown(number, other), rectangle = /** @type {Rectangle} */ ([x0, y0, x1, y1]);
    const estimate = count(rectangle);
    element("map-estimate").textContent = written(estimate);
    element("map-estimate").dataset.exact = String(estimate);
    if (surety) {
      const { lower, upper, cut } = surety.of(rectangle);
      element("map-between").textContent = `${element("map-between").dataset.level} interval: ${written(lower)} to ${written(upper)}`;
      element("map-cut").textContent = cut ? `The rectangle cuts boxes with ${written(cut)} measured points; where they lie in them is not known.` : "";
      element("map-outside").hidden = even(estimate) >= lower && even(estimate) <= upper;
    } else {
      element("map-between").textContent = "";
      element("map-outside").hidden = true;
    }
    const error = usual ? usual(rectangle) : null;
    element("map-usually").textContent = error === null ? "" : `typical error ${short(error)}`;
    element("map-usually").dataset.exact = error === null ? "" : String(error);
  }

  const coast = facts.crs === "plain" ? null : await content(element("map-coast"));
  const map = show_map(facts, coast, { view: () => slices.view(number, other), answer });

  function slice_text() {
    const one = facts.slices[number].name, two = other < 0 ? "" : facts.slices[other].name;
    element("map-slice").setAttribute("aria-valuetext", one);
    element("map-slice-name").textContent = one;
    element("map-what").textContent = two ? `, ${one} less ${two}` : one ? `, ${one}` : "";
    document.querySelectorAll("[data-slice]").forEach((each) => { /** @type {HTMLElement} */ (each).hidden = two !== "" || Number(/** @type {HTMLElement} */ (each).dataset.slice) !== number; });
  }
  const change = () => {
    if (other === number) other = element("map-other").value = -1;
    slice_text();
    map.paint();
    map.answer();
  };
  for (const each of [element("map-slice"), category]) each?.addEventListener("input", () => {
    number = chosen_slice();
    change();
  });
  element("map-other").addEventListener("change", () => {
    other = Number(element("map-other").value);
    change();
  });
  if (other === number) change(); else slice_text();
}

begin().catch((error) => {
  element("map-between").textContent = `This browser cannot show the map: ${error.message}`;
});
