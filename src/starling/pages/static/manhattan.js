// @ts-check
/**
 * The Manhattan plot of a release, to be moved and zoomed along the genome. Its markup is genome.html of starling.screens, its file that of
 * starling.genome.pictures.canvas. What falls on one pixel is drawn once, so that a hundred thousand points are drawn as fast as a thousand.
 */
import { content, unpack } from "./packing.js";
import { steer } from "./moving.js";

const LEFT = 52, RIGHT = 10, TOP = 8, BELOW = 52, LANE = 9, NAMED = 60;
const element = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

/** What of the genome is shown; heights stay. */
class Stretch {
  /** @param {HTMLCanvasElement} canvas @param {number} wide base pairs */
  constructor(canvas, wide) {
    this.canvas = canvas;
    this.wide = wide;
    this.from = 0;
    this.size = 1;
  }

  get width() {
    return Math.max(this.canvas.clientWidth - LEFT - RIGHT, 1);
  }

  whole() {
    [this.from, this.size] = [0, this.width / this.wide];
  }

  /** @param {number} x base pairs along the genome */
  at(x) {
    return LEFT + (x - this.from) * this.size;
  }

  /** @param {number} px */
  move(px) {
    const shown = this.width / this.size;
    this.from = Math.min(Math.max(this.from - px / this.size, 0), Math.max(this.wide - shown, 0));
  }

  /** @param {number} factor @param {number} [px] the point that stays, by default the middle */
  zoom(factor, px = LEFT + this.width / 2) {
    const size = Math.min(Math.max(this.size * factor, this.width / this.wide), 20), along = this.from + (px - LEFT) / this.size;
    [this.size, this.from] = [size, along - (px - LEFT) / size];
    this.move(0);
  }
}

/** The first place of ascending numbers that is not below a value. @param {ArrayLike<number>} numbers @param {number} value */
function begin_of(numbers, value) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Colours of the page by their names. @param {Element} element @returns {Record<string, string>} */
function tones(element) {
  const style = getComputedStyle(element);
  return Object.fromEntries(["ink", "muted", "faint", "warn", "mark", "second", "accent", "soft"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** Colours #rrggbb as numbers of an image. @param {Record<string, string>} colours @returns {Record<string, number>} */
function pixels_of(colours) {
  return Object.fromEntries(Object.entries(colours).map(([name, text]) => {
    const [red, green, blue] = [1, 3, 5].map((place) => parseInt(text.slice(place, place + 2), 16));
    return [name, (255 << 24 | blue << 16 | green << 8 | red) >>> 0];
  }));
}

/** A p-value by its negative logarithm, however small. @param {number} number */
function power(number) {
  if (number < 3) return (10 ** -number).toPrecision(3);
  const whole = Math.ceil(number);
  return `${(10 ** (whole - number)).toFixed(2)}e-${whole}`;
}

async function begin() {
  const canvas = /** @type {HTMLCanvasElement} */ (element("plot")), context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const { facts, take } = unpack(await content(canvas)), scheme = matchMedia("(prefers-color-scheme: dark)");
  const [list, at, value, low, high, located, blocks] = ["list", "at", "value", "low", "high", "located", "blocks"].map(take);
  const stretch = new Stretch(canvas, Math.max(facts.wide, 1));
  const layer = document.createElement("canvas"), paper = /** @type {CanvasRenderingContext2D} */ (layer.getContext("2d"));
  let shown = new ImageData(1, 1), seen = new Uint32Array(1), frame = 0;
  let drawing = 0, dragged = -1, colours = tones(canvas), inks = pixels_of(colours);
  const colour = (/** @type {string} */ name) => colours[name];

  function draw() {
    const width = canvas.clientWidth, height = canvas.clientHeight, bottom = height - BELOW, right = width - RIGHT, ratio = devicePixelRatio || 1;
    const up = (/** @type {number} */ number) => bottom - (bottom - TOP) * Math.min(Math.max(number, 0), facts.top) / (facts.top || 1);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    axes(up, bottom, right);
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, right - LEFT, height);
    context.clip();
    lanes(bottom);
    points(up);
    names(up, right);
    context.restore();
  }

  /** @param {(number: number) => number} up @param {number} bottom @param {number} right */
  function axes(up, bottom, right) {
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.lineWidth = 1;
    const step = Math.max(1, Math.ceil(facts.top / 6));
    for (let number = 0; facts.top && number <= facts.top; number += step) {
      context.fillStyle = colour("muted");
      context.fillText(String(number), LEFT - 6, up(number));
      context.fillStyle = colour("faint");
      context.fillRect(LEFT, Math.round(up(number)), right - LEFT, 1);
    }
    context.fillStyle = colour("muted");
    if (facts.top) context.fillText("−log₁₀p", LEFT - 4, bottom + 12);
    context.textAlign = "center";
    let free = LEFT;
    for (const [name, from, long, first] of facts.parts) {
      const x0 = Math.max(stretch.at(from), LEFT), x1 = Math.min(stretch.at(from + long), right), word = `chr ${name}`.slice(0, 24);
      if (x1 < LEFT || x0 > right) continue;
      const middle = (x0 + x1) / 2, half = context.measureText(word).width / 2;
      if (middle - half < free) continue;
      const base = Math.round(first + (stretch.from + (middle - LEFT) / stretch.size) - from);
      const text = x1 - x0 > 160 ? `${word}: ${base.toLocaleString("en")}` : word;
      context.fillText(text, middle, bottom + 40);
      free = middle + context.measureText(text).width / 2 + 6;
    }
    if (facts.top && facts.limit <= facts.top) {
      context.fillStyle = colour("warn");
      context.fillRect(LEFT, Math.round(up(facts.limit)), right - LEFT, 1);
    }
  }

  /** Blocks, located SNPs, and the public list. @param {number} bottom */
  function lanes(bottom) {
    context.fillStyle = colour("mark");
    for (let k = 0; k < blocks.length; k += 2) context.fillRect(stretch.at(blocks[k]) - 1, bottom + 2 + LANE, Math.max((blocks[k + 1] - blocks[k]) * stretch.size, 2) + 1, LANE - 3);
    context.fillStyle = colour("ink");
    for (const x of located) context.fillRect(stretch.at(x) - 2, bottom + 3, 4, LANE - 3);
    context.fillStyle = colour("second");
    let last = -1;
    for (let k = begin_of(list, stretch.from), end = begin_of(list, stretch.from + stretch.width / stretch.size + 1); k < end; k++) {
      const x = Math.round(stretch.at(list[k]));
      if (x !== last) context.fillRect(x, bottom + 3 + 2 * LANE, 1, LANE - 3);
      last = x;
    }
  }

  /** An empty picture, made anew when its size changes; `seen` has the frame in which a point was drawn. @param {number} width @param {number} height */
  function picture(width, height) {
    frame++;
    if (shown.width !== width || shown.height !== height) {
      shown = new ImageData(width, height);
      seen = new Uint32Array(width * height);
      [layer.width, layer.height] = [width, height];
    } else new Uint32Array(shown.data.buffer).fill(0);
    return shown;
  }

  /** The p-values with their intervals, as pixels: of those in one column the intervals are drawn as one. @param {(number: number) => number} up */
  function points(up) {
    const { width, height } = canvas, ratio = width / Math.max(canvas.clientWidth, 1), side = Math.max(Math.round(ratio), 1);
    const image = picture(width, height), pixels = new Uint32Array(image.data.buffer), least = new Float32Array(width).fill(-1), most = new Float32Array(width).fill(Infinity);
    const { from, size } = stretch;
    const begin = begin_of(at, stretch.from), end = begin_of(at, stretch.from + stretch.width / stretch.size + 1);
    const columns = new Int32Array(end - begin), zero = up(0) * ratio, unit = (up(1) - up(0)) * ratio, cut = facts.top;
    for (let k = begin; k < end; k++) {
      const x = columns[k - begin] = Math.round((LEFT + (at[k] - from) * size) * ratio);
      least[x] = Math.max(least[x], zero + unit * Math.max(low[k], 0));
      most[x] = Math.min(most[x], zero + unit * Math.min(high[k], cut));
    }
    for (let x = 0; x < width; x++) for (let y = Math.max(Math.round(most[x]), 0); y <= least[x]; y++) pixels[y * width + x] = inks.soft;
    for (let k = begin, part = 0; k < end; k++) {
      while (part + 1 < facts.parts.length && facts.parts[part + 1][1] <= at[k]) part++;
      const x = columns[k - begin], y = Math.round(zero + unit * Math.min(Math.max(value[k], 0), cut)), ink = part % 2 ? inks.second : inks.accent;
      if (y < side || y >= height - side || x < side || x >= width - side || seen[y * width + x] === frame) continue;
      seen[y * width + x] = frame;
      for (let row = y - side; row <= y + side; row++) for (let pixel = row * width + x - side, last = pixel + 2 * side; pixel <= last; pixel++) pixels[pixel] = ink;
    }
    paper.putImageData(image, 0, 0);
    context.drawImage(layer, 0, 0, canvas.clientWidth, canvas.clientHeight);
  }

  /** Names of points where there is room. @param {(number: number) => number} up @param {number} right */
  function names(up, right) {
    const begin = begin_of(at, stretch.from), end = begin_of(at, stretch.from + stretch.width / stretch.size);
    if (end - begin > NAMED) return;
    context.fillStyle = colour("ink");
    context.textAlign = "left";
    for (let k = begin; k < end; k++) {
      const x = stretch.at(at[k]), text = facts.names[k].slice(0, 40);
      context.fillText(text, Math.min(x + 5, right - context.measureText(text).width), Math.max(up(value[k]) - 7, TOP));
    }
  }

  function ask() {
    drawing ||= requestAnimationFrame(() => {
      drawing = 0;
      draw();
    });
  }

  /** The p-value nearest to the pointer. @param {PointerEvent} event */
  function tell(event) {
    const along = stretch.from + (event.offsetX - LEFT) / stretch.size, k = begin_of(at, along);
    const near = [k - 1, k].filter((each) => each >= 0 && each < at.length).sort((a, b) => Math.abs(at[a] - along) - Math.abs(at[b] - along))[0];
    if (near === undefined) return;
    const [p, least, most] = [value[near], high[near], low[near]].map(power);
    element("under").textContent = `${facts.names[near]}: p ${p}, from ${least} to ${most}`;
  }

  canvas.addEventListener("pointerdown", (event) => {
    dragged = event.offsetX;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (dragged < 0) return tell(event);
    stretch.move(event.offsetX - dragged);
    dragged = event.offsetX;
    ask();
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { dragged = -1; });
  steer(canvas, stretch, ask, element);
  scheme.addEventListener("change", () => {
    colours = tones(canvas);
    inks = pixels_of(colours);
    ask();
  });
  element("manhattan").hidden = false;
  new ResizeObserver(() => {
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.max(Math.round(canvas.clientWidth * ratio), 1);
    canvas.height = Math.max(Math.round(canvas.clientHeight * ratio), 1);
    stretch.whole();
    ask();
  }).observe(canvas);
  document.documentElement.dataset.ready = "yes";
}

begin().catch(() => {
  element("manhattan").hidden = true;
});
