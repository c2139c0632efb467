// @ts-check
/**
 * The map of a release: cells with coast, axes and a scale, in which a rectangle is counted. Its markup is map.html of
 * starling.places.pictures; its numbers are those of map_numbers.js.
 */
import { Cover, Surety, cumulative, of_boxes, typical, unpack } from "./map_numbers.js";
import { Frame, Hatching, INKS, RAMPS, coastlines, draw_axes, draw_coast, draw_outlines, draw_scale, ramp, short } from "./map_drawing.js";

/** @typedef {import("./map_numbers.js").Rectangle} Rectangle */
/** @typedef {(rectangle: Rectangle) => number} Count */
/** @typedef {{ facts: any, cells: import("./map_numbers.js").Numbers, boxes: Float64Array, count: Count, surety: Surety | null, typical: ((rectangle: Rectangle) => number | null) | null }} Slice */

/** Squares along the longer side of which a difference is told from nothing. */
const SQUARES = 24;
const ENDS = ["west", "south", "east", "north"];

const element = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const written = (/** @type {number} */ value) => value.toLocaleString("en", { maximumFractionDigits: 0 }).replace("-0", "0").replace("-", "−");

/** A compressed block of the page, or a file of its server. @param {HTMLElement} block @returns {Promise<ArrayBuffer>} */
async function content(block) {
  const source = block.dataset.source;
  const body = source
    ? (await fetch(source)).body
    : new Blob([Uint8Array.from(atob(block.textContent ?? ""), (letter) => letter.charCodeAt(0))]).stream();
  if (!body) throw new Error("there is nothing to read");
  return new Response(block.dataset.plain === undefined ? body.pipeThrough(new DecompressionStream("gzip")) : body).arrayBuffer();
}

/** The slices of a map, each ready to be asked, and what one has more than another. */
class Slices {
  /** @param {import("./map_numbers.js").Data} data */
  constructor({ facts, take }) {
    this.facts = facts;
    this.take = take;
    /** @type {(Cover | null)[]} */
    this.covers = facts.slices.map((/** @type {any} */ slice, /** @type {number} */ k) => (slice.noises ? new Cover((name) => take(`${k}.${name}`), slice.noises) : null));
    /** @type {Slice[]} */
    this.all = facts.slices.map((/** @type {any} */ _, /** @type {number} */ k) => this.slice(k));
    /** @type {Map<string, Slice>} */
    this.differences = new Map();
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
  const slices = new Slices(unpack(await content(element("map-data")))), facts = slices.facts;
  const { rows, columns, fold, high, wide, aspect } = facts;
  const canvas = /** @type {HTMLCanvasElement} */ (element("map")), context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const frame = new Frame(canvas, facts), coast = facts.crs === "plain" ? [] : coastlines(await content(element("map-coast")), frame);
  const picture = document.createElement("canvas"), veil = document.createElement("canvas"), hatching = new Hatching();
  for (const each of [picture, veil]) [each.width, each.height] = [columns, rows];
  const scheme = matchMedia("(prefers-color-scheme: dark)"), tone = () => (scheme.matches ? "dark" : "light");
  let number = 0, other = -1, drawing = 0, choosing = 0;
  /** @type {Rectangle | null} */
  let chosen = null;
  /** @type {{ px: number, py: number, moves: boolean, x: number, y: number } | null} */
  let drag = null;
  const shown = () => slices.shown(number, other);
  let most = 0;
  for (const slice of slices.all) for (const value of slice.cells) most = Math.max(most, value);
  const floor = most / 10000 || 1, logarithm = (/** @type {number} */ value) => Math.log1p(value / floor) / Math.log1p(most / floor || 1);
  const shade = (/** @type {number} */ value) => (other < 0 ? logarithm(Math.max(value, 0)) : 0.5 + Math.sign(value) * Math.min(logarithm(Math.abs(value)), 1) / 2);

  function paint() {
    const { cells } = shown(), colours = ramp(RAMPS[tone()][other < 0 ? "cells" : "less"]), image = new ImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    for (let row = 0, cell = 0; row < rows; row++) {
      const line = (rows - 1 - row) * columns;
      for (let column = 0; column < columns; column++, cell++) pixels[line + column] = colours[Math.round(255 * shade(cells[cell]))];
    }
    /** @type {any} */ (picture.getContext("2d")).putImageData(image, 0, 0);
    const bar = /** @type {HTMLCanvasElement} */ (element("map-bar")), stripe = new ImageData(256, 1);
    new Uint32Array(stripe.data.buffer).set(colours);
    bar.width = 256;
    bar.height = 1;
    /** @type {any} */ (bar.getContext("2d")).putImageData(stripe, 0, 0);
    const tick = (/** @type {number} */ part) => short(floor * Math.expm1(part * Math.log1p(most / floor || 1)));
    const ends = other < 0 ? ["0", tick(0.5), tick(1)] : [`−${tick(1)}`, "0", tick(1)];
    ["least", "middle", "most"].forEach((name, k) => { element(`map-${name}`).textContent = ends[k]; });
    blank();
    ask();
  }

  /** Where an interval holds 0, by the smallest measured boxes, or of a difference by squares. */
  function blank() {
    const image = new ImageData(columns, rows), pixels = new Uint32Array(image.data.buffer), { surety } = shown();
    const fill = (/** @type {number} */ bottom, /** @type {number} */ top, /** @type {number} */ left, /** @type {number} */ right) => {
      for (let row = Math.floor(bottom / fold); row < Math.ceil(top / fold); row++) {
        const line = (rows - 1 - row) * columns;
        pixels.fill(0xff000000, line + Math.floor(left / fold), line + Math.ceil(right / fold));
      }
    };
    const cover = slices.covers[number];
    if (other < 0 && cover) {
      const says = slices.take(`${number}.says`);
      for (let node = 0; node < says.length; node++) if (says[node] === 2) fill(cover.south[node], cover.north[node], cover.west[node], cover.east[node]);
    } else if (surety) {
      const side = Math.max(fold, Math.ceil(Math.max(high, wide) / SQUARES));
      for (let y = 0; y < high; y += side) {
        for (let x = 0; x < wide; x += side) {
          const [top, right] = [Math.min(y + side, high), Math.min(x + side, wide)], { lower, upper } = surety.of([x, y, right, top]);
          if (lower <= 0 && upper >= 0) fill(y, top, x, right);
        }
      }
    }
    /** @type {any} */ (veil.getContext("2d")).putImageData(image, 0, 0);
    element("map-nothing").hidden = !surety;
  }

  function ask() {
    drawing ||= requestAnimationFrame(() => {
      drawing = 0;
      draw();
    });
  }

  function draw() {
    const { left, top, width, height } = frame.inner, ratio = devicePixelRatio || 1, ink = INKS[tone()], { facts: { hotspots }, boxes, surety } = shown();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = ink.ground;
    context.fillRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    /** @type {[number, number, number, number]} */
    const place = [frame.at_x(0), frame.at_y(rows * fold), columns * fold * aspect * frame.size, rows * fold * frame.size];
    context.imageSmoothingEnabled = frame.size * fold * ratio < 1;
    context.drawImage(picture, ...place);
    if (surety && element("map-veil").checked) hatching.draw(context, veil, place, ratio, ink.nothing);
    context.lineWidth = 1;
    if (element("map-outlines").checked) draw_outlines(context, frame, boxes, ink.frame);
    if (element("map-coastline").checked) draw_coast(context, frame, coast, ink);
    const outline = (/** @type {number} */ x0, /** @type {number} */ y0, /** @type {number} */ x1, /** @type {number} */ y1) =>
      context.strokeRect(frame.at_x(x0), frame.at_y(y1), (x1 - x0) * aspect * frame.size, (y1 - y0) * frame.size);
    context.strokeStyle = ink.frame;
    outline(0, 0, wide, high);
    context.strokeStyle = ink.accent;
    for (const { box: [bottom, end, first, last] } of hotspots) outline(first, bottom, last, end);
    context.lineWidth = 2.5;
    if (chosen) outline(...chosen);
    context.restore();
    draw_axes(context, frame, element("map-axes").value, ink);
    element("map-scale").textContent = draw_scale(context, frame, ink);
  }

  function answer() {
    if (!chosen) return;
    const [x0, x1] = [chosen[0], chosen[2]].map((x) => Math.min(Math.max(x, 0), wide)), [y0, y1] = [chosen[1], chosen[3]].map((y) => Math.min(Math.max(y, 0), high));
    const { count, surety, typical: usual } = shown(), rectangle = /** @type {Rectangle} */ ([x0, y0, x1, y1]);
    const estimate = count(rectangle);
    element("map-estimate").textContent = written(estimate);
    element("map-estimate").dataset.exact = String(estimate);
    if (surety) {
      const { lower, upper, cut } = surety.of(rectangle);
      element("map-between").textContent = `surely between ${written(lower)} and ${written(upper)}`;
      element("map-cut").textContent = cut ? `The rectangle cuts boxes with ${written(cut)} measured points; where they lie in them is not known.` : "";
    } else element("map-between").textContent = "";
    const error = usual ? usual(rectangle) : null;
    element("map-usually").textContent = error === null ? "" : `typical error ${short(error)}`;
    element("map-usually").dataset.exact = error === null ? "" : String(error);
    ask();
  }

  /** @param {Rectangle} rectangle */
  function choose(rectangle) {
    chosen = rectangle;
    [frame.of_x(rectangle[0]), frame.of_y(rectangle[1]), frame.of_x(rectangle[2]), frame.of_y(rectangle[3])].forEach((value, k) => { element(`map-${ENDS[k]}`).value = Number(value.toPrecision(9)); });
    element("map-problem").textContent = "";
    answer();
  }

  /** Count the rectangle whose ends are written beside the map: what a reader copies from there has the same answer elsewhere. */
  function typed() {
    const ends = ENDS.map((id) => (element(`map-${id}`).value === "" ? NaN : Number(element(`map-${id}`).value)));
    if (!ends.every(Number.isFinite)) return;
    const wrong = ends[0] > ends[2] || ends[1] > ends[3];
    element("map-problem").textContent = wrong ? "West must not lie east of East, nor South north of North." : "";
    if (wrong) return;
    chosen = [frame.to_x(ends[0]), frame.to_y(ends[1]), frame.to_x(ends[2]), frame.to_y(ends[3])];
    answer();
  }

  function slice_text() {
    const one = facts.slices[number].name, two = other < 0 ? "" : facts.slices[other].name;
    element("map-slice").setAttribute("aria-valuetext", one);
    element("map-slice-name").textContent = one;
    element("map-what").textContent = two ? `, ${one} less ${two}` : one ? `, ${one}` : "";
    document.querySelectorAll("[data-slice]").forEach((each) => { /** @type {HTMLElement} */ (each).hidden = two !== "" || Number(/** @type {HTMLElement} */ (each).dataset.slice) !== number; });
  }

  const inside = (/** @type {number} */ value, /** @type {number} */ end) => Math.min(Math.max(value, 0), end);
  /** @param {PointerEvent} event */
  function dragged(event) {
    if (!drag || drag.moves) return;
    const x = inside(frame.map_x(event.offsetX), wide), y = inside(frame.map_y(event.offsetY), high);
    if (Math.abs(event.offsetX - drag.px) < 2 && Math.abs(event.offsetY - drag.py) < 2) return;
    choose([Math.min(x, drag.x), Math.min(y, drag.y), Math.max(x, drag.x), Math.max(y, drag.y)]);
    typed();
  }
  canvas.addEventListener("pointerdown", (event) => {
    const [px, py] = [event.offsetX, event.offsetY];
    drag = { px, py, moves: event.shiftKey || element("map-moves").checked, x: inside(frame.map_x(px), wide), y: inside(frame.map_y(py), high) };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag?.moves) {
      frame.move(event.offsetX - drag.px, event.offsetY - drag.py);
      [drag.px, drag.py] = [event.offsetX, event.offsetY];
      ask();
    } else if (drag) {
      choosing ||= requestAnimationFrame(() => {
        choosing = 0;
        dragged(event);
      });
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    dragged(event);
    drag = null;
  });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    frame.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    ask();
  }, { passive: false });
  const nearer = () => frame.zoom(1.6), farther = () => frame.zoom(1 / 1.6), whole = () => frame.whole();
  /** @type {Record<string, () => void>} */
  const KEYS = {
    ArrowLeft: () => frame.move(60, 0), ArrowRight: () => frame.move(-60, 0), ArrowUp: () => frame.move(0, 60), ArrowDown: () => frame.move(0, -60),
    "+": nearer, "=": nearer, "-": farther, "0": whole,
  };
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    KEYS[event.key]();
    ask();
  });
  for (const [id, act] of /** @type {[string, () => void][]} */ ([["nearer", nearer], ["farther", farther], ["whole", whole]])) {
    element(`map-${id}`).addEventListener("click", () => {
      act();
      ask();
    });
  }
  for (const id of ["outlines", "coastline", "veil", "axes"]) element(`map-${id}`).addEventListener("change", ask);
  for (const id of ENDS) element(`map-${id}`).addEventListener("input", typed);
  const change = () => {
    slice_text();
    paint();
    answer();
  };
  element("map-slice").addEventListener("input", () => {
    number = Number(element("map-slice").value);
    if (other === number) other = element("map-other").value = -1;
    change();
  });
  element("map-other").addEventListener("change", () => {
    other = Number(element("map-other").value);
    if (other === number) other = element("map-other").value = -1;
    change();
  });
  document.querySelectorAll("button[data-box]").forEach((button) => {
    button.addEventListener("click", () => {
      const [bottom, top, left, right] = (/** @type {HTMLElement} */ (button).dataset.box ?? "").split(" ").map(Number);
      choose([left, bottom, right, top]);
    });
  });
  scheme.addEventListener("change", paint);
  new ResizeObserver(() => {
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.max(Math.round(canvas.clientWidth * ratio), 1);
    canvas.height = Math.max(Math.round(canvas.clientHeight * ratio), 1);
    frame.whole();
    ask();
  }).observe(canvas);
  document.querySelectorAll("[data-needs-script]").forEach((each) => { /** @type {HTMLElement} */ (each).hidden = false; });
  slice_text();
  paint();
  document.documentElement.dataset.ready = "yes";
}

begin().catch((error) => {
  element("map-between").textContent = `This browser cannot show the map: ${error.message}`;
});
