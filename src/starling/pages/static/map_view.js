// @ts-check
/**
 * The map of a release: cells with coast, axes and a scale, over which a rectangle is drawn. What is drawn, and what a rectangle holds, its
 * source says: a page that stands alone counts itself (map.js), another asks its server (map_served.js). Its markup is map_canvas.html.
 */
import { Frame, Hatching, INKS, RAMPS, coastlines, draw_axes, draw_coast, draw_outlines, draw_scale, ramp, short } from "./map_drawing.js";
import { is_changed } from "./asking.js";
import { steer } from "./moving.js";

/** @typedef {[number, number, number, number]} Rectangle x0, y0, x1, y1 in cells of the grid, from its south-western corner */
/**
 * @typedef {object} View what is drawn
 * @property {Uint8Array} shades of each cell, 0 to 255, the southern row first
 * @property {Uint8Array | null} blank 1 in cells of which nothing can be said; null where no intervals are known
 * @property {ArrayLike<number>} boxes south, north, west and east end of each released box
 * @property {number[][]} hotspots the same ends of squares
 * @property {number} most the number of the darkest shade
 * @property {number} least the number from which on shades grow by the logarithm
 * @property {boolean} signed whether it is a difference, of which 0 is in the middle
 */
/** @typedef {{ view: () => View, answer: (rectangle: Rectangle) => void }} Source */

export const ENDS = ["west", "south", "east", "north"];
/** A decimal, or a ratio of two. @param {string} text */
const exact_number = (text) => (text === "" ? NaN : text.split("/").map(Number).reduce((one, other) => one / other));
export const element = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

/**
 * Draw a map, and listen to what its reader does.
 * @param {any} facts of its grid @param {ArrayBuffer | null} coastline @param {Source} source
 */
export function show_map(facts, coastline, source) {
  const { rows, columns, fold, high, wide, aspect } = facts;
  const canvas = /** @type {HTMLCanvasElement} */ (element("map")), context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const frame = new Frame(canvas, facts), coast = coastline === null ? [] : coastlines(coastline, frame);
  const picture = document.createElement("canvas"), veil = document.createElement("canvas"), hatching = new Hatching();
  for (const each of [picture, veil]) [each.width, each.height] = [columns, rows];
  const scheme = matchMedia("(prefers-color-scheme: dark)"), tone = () => (scheme.matches ? "dark" : "light");
  let drawing = 0, choosing = 0;
  /** @type {Rectangle | null} */
  let chosen = null;
  /** @type {{ px: number, py: number, moves: boolean, draws: boolean, x: number, y: number } | null} */
  let drag = null;

  function paint() {
    const { shades, blank, most, least, signed } = source.view(), colours = ramp(RAMPS[tone()][signed ? "less" : "cells"]);
    const image = new ImageData(columns, rows), pixels = new Uint32Array(image.data.buffer), hatched = new ImageData(columns, rows);
    const covered = new Uint32Array(hatched.data.buffer);
    for (let row = 0, cell = 0; row < rows; row++) {
      const line = (rows - 1 - row) * columns;
      for (let column = 0; column < columns; column++, cell++) {
        pixels[line + column] = colours[shades[cell]];
        if (blank?.[cell]) covered[line + column] = 0xff000000;
      }
    }
    /** @type {any} */ (picture.getContext("2d")).putImageData(image, 0, 0);
    /** @type {any} */ (veil.getContext("2d")).putImageData(hatched, 0, 0);
    element("map-nothing").hidden = blank === null;
    const bar = /** @type {HTMLCanvasElement} */ (element("map-bar")), stripe = new ImageData(256, 1);
    new Uint32Array(stripe.data.buffer).set(colours);
    bar.width = 256;
    bar.height = 1;
    /** @type {any} */ (bar.getContext("2d")).putImageData(stripe, 0, 0);
    const tick = (/** @type {number} */ part) => short(least * Math.expm1(part * Math.log1p(most / least)));
    const ends = signed ? [`−${tick(1)}`, "0", tick(1)] : ["0", tick(0.5), tick(1)];
    element("map-step").textContent = fold > 1 ? ` of ${fold} by ${fold} cells of the released grid` : "";
    ["least", "middle", "most"].forEach((name, k) => { element(`map-${name}`).textContent = ends[k]; });
    ask();
  }

  function ask() {
    drawing ||= requestAnimationFrame(() => {
      drawing = 0;
      draw();
    });
  }

  function draw() {
    const { left, top, width, height } = frame.inner, ratio = devicePixelRatio || 1, ink = INKS[tone()], { hotspots, boxes, blank } = source.view();
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
    if (blank && element("map-veil").checked) hatching.draw(context, veil, place, ratio, ink.nothing);
    context.lineWidth = 1;
    if (element("map-outlines").checked) draw_outlines(context, frame, boxes, ink.frame);
    if (element("map-coastline").checked) draw_coast(context, frame, coast, ink);
    const outline = (/** @type {number} */ x0, /** @type {number} */ y0, /** @type {number} */ x1, /** @type {number} */ y1) =>
      context.strokeRect(frame.at_x(x0), frame.at_y(y1), (x1 - x0) * aspect * frame.size, (y1 - y0) * frame.size);
    context.strokeStyle = ink.frame;
    outline(0, 0, wide, high);
    context.strokeStyle = ink.accent;
    for (const [bottom, end, first, last] of hotspots) outline(first, bottom, last, end);
    context.lineWidth = 2.5;
    if (chosen) outline(...chosen);
    context.restore();
    draw_axes(context, frame, element("map-axes").value, ink);
    element("map-scale").textContent = draw_scale(context, frame, ink);
  }

  function answer() {
    if (!chosen) return;
    element("map-chosen").hidden = false;
    source.answer(chosen);
    ask();
  }

  /** @param {Rectangle} rectangle */
  function choose(rectangle) {
    chosen = rectangle;
    // Beyond the antimeridian as maps write it: 175 W, not 185.
    const [west, east] = [rectangle[0], rectangle[2]].map((x) => frame.of_x(x)).map((x) => (frame.turn && x > frame.turn / 2 ? x - frame.turn : x));
    [west, frame.of_y(rectangle[1]), east, frame.of_y(rectangle[3])].forEach((value, k) => { element(`map-${ENDS[k]}`).value = Number(value.toPrecision(9)); });
    element("map-problem").textContent = "";
    answer();
  }

  /** Count the rectangle whose ends are written beside the map: what a reader copies from there has the same answer elsewhere. */
  function typed(counts = true) {
    const ends = ENDS.map((id) => exact_number(element(`map-${id}`).value));
    const filled = ENDS.every((id) => element(`map-${id}`).value !== ""), numbers = ends.every(Number.isFinite);
    const [left, right] = [ends[0], ends[2]].map((end) => frame.to_x(end)), wrong = left > right || ends[1] > ends[3], order = wrong ? "West must not lie east of East, nor South north of North." : "";
    if (counts) element("map-problem").textContent = filled && !numbers ? "An end is no number: write it like 5.9." : order;
    if (wrong || !numbers) return;
    chosen = [left, frame.to_y(ends[1]), right, frame.to_y(ends[3])];
    if (counts) answer(); else ask();
  }

  const inside = (/** @type {number} */ value, /** @type {number} */ end) => Math.min(Math.max(value, 0), end);
  /** @param {PointerEvent} event */
  function dragged(event) {
    if (!drag || drag.moves) return;
    const x = inside(frame.map_x(event.offsetX), wide), y = inside(frame.map_y(event.offsetY), high);
    const across = Math.abs(event.offsetX - drag.px), along = Math.abs(event.offsetY - drag.py);
    // A finger that begins downwards or upwards scrolls the page, which the browser says a moment later.
    if (!drag.draws && (event.pointerType === "touch" ? across < 12 || across < along : across < 2 && along < 2)) return;
    drag.draws = true;
    choose([Math.min(x, drag.x), Math.min(y, drag.y), Math.max(x, drag.x), Math.max(y, drag.y)]);
    typed();
  }
  canvas.addEventListener("pointerdown", (event) => {
    const [px, py] = [event.offsetX, event.offsetY];
    drag = { px, py, moves: event.shiftKey || element("map-moves").checked, draws: false, x: inside(frame.map_x(px), wide), y: inside(frame.map_y(py), high) };
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
  steer(canvas, frame, ask, (id) => element(`map-${id}`));
  for (const id of ["outlines", "coastline", "veil", "axes"]) element(`map-${id}`).addEventListener("change", ask);
  for (const id of ENDS) element(`map-${id}`).addEventListener("input", () => typed());
  document.querySelectorAll("button[data-box]").forEach((button) => {
    button.addEventListener("click", () => {
      const [bottom, top, left, right] = (/** @type {HTMLElement} */ (button).dataset.box ?? "").split(" ").map(Number);
      choose([left, bottom, right, top]);
    });
  });
  scheme.addEventListener("change", paint);
  new ResizeObserver(() => {
    const ratio = devicePixelRatio || 1;
    canvas.style.height = `${frame.fitting}px`;
    canvas.width = Math.max(Math.round(canvas.clientWidth * ratio), 1);
    canvas.height = Math.max(Math.round(canvas.clientHeight * ratio), 1);
    frame.whole();
    ask();
  }).observe(canvas);
  document.querySelectorAll("[data-needs-script]").forEach((each) => { /** @type {HTMLElement} */ (each).hidden = false; });
  paint();
  typed(ENDS.some((id) => is_changed(element(`map-${id}`))));
  document.documentElement.dataset.ready = "yes";
  return { paint, answer };
}
