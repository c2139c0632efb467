// @ts-check
/** What is drawn of a map: where its cells lie on the canvas, coast and borders, axes, scale, outlines and hatching. */

const LEFT = 70, BOTTOM = 30, TOP = 8, RIGHT = 10;
export const RAMPS = {
  light: { cells: ["#f1f5f9", "#bcd7ec", "#6fa8d6", "#2f6fae", "#0b2e55"], less: ["#8a3b00", "#d98b45", "#f3efe9", "#6fa8d6", "#0b4a82"] },
  dark: { cells: ["#141c24", "#1d3a57", "#2f6fae", "#8cc0e8", "#f2f8fd"], less: ["#ffb877", "#9a5a1e", "#1d232a", "#2f6fae", "#a6d2f5"] },
};
export const INKS = {
  light: { ground: "#ffffff", ink: "#1b2733", soft: "#55626f", frame: "#8793a0", coast: "#0d6b45", border: "#7a5a86", nothing: "#8a8f96", accent: "#b8430f" },
  dark: { ground: "#12181e", ink: "#e6ebf0", soft: "#a3b0bd", frame: "#66737f", coast: "#5fd6a2", border: "#c9a6d6", nothing: "#7d858e", accent: "#ffb26b" },
};

/** A number in three digits. @param {number} value */
export const short = (value) => value.toLocaleString("en", { maximumSignificantDigits: 3 });

/** 256 colours along stops, as numbers of an image. @param {string[]} stops */
export function ramp(stops) {
  const parts = stops.map((stop) => [1, 3, 5].map((at) => parseInt(stop.slice(at, at + 2), 16)));
  return Uint32Array.from({ length: 256 }, (_, k) => {
    const at = k / 255 * (parts.length - 1), one = Math.min(Math.floor(at), parts.length - 2);
    const [red, green, blue] = parts[one].map((value, j) => Math.round(value + (at - one) * (parts[one + 1][j] - value)));
    return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
  });
}

/** The smallest of 1, 2, 5, 10, 20, ... that is no less. @param {number} least */
function nice(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least * (1 - 1e-9)) ?? 10 * power;
}

/** The distance of ticks, no less than `least`. @param {number} least @param {string} kind of the axis */
const tick_gap = (least, kind) => (kind === "degrees" && least > 10 ? [15, 30, 45, 60, 90, 180].find((each) => each >= least) : null) ?? nice(least);

/** On a border of cells that is so near that doubles of decimals cannot tell, as the library has it. @param {number} cells */
const near = (cells) => (Math.abs(cells - Math.round(cells)) < 2 ** -20 ? Math.round(cells) : cells);

/** @param {number} gap */
const digits_of = (gap) => Math.max(0, -Math.floor(Math.log10(gap) + 1e-9));

/** @param {number} value @param {number} digits @param {boolean} across */
function degrees(value, digits, across) {
  if (across && value > 180) value -= 360;
  const letter = Math.abs(value) < 1e-12 ? "" : across ? (value < 0 ? " W" : " E") : value < 0 ? " S" : " N";
  return `${Math.abs(value).toFixed(digits)}°${letter}`;
}

/** Where cells of the grid lie: in units of its box, on the ground, and on the canvas, y upwards. */
export class Frame {
  /** @param {HTMLCanvasElement} canvas @param {any} facts */
  constructor(canvas, facts) {
    this.canvas = canvas;
    this.facts = facts;
    this.x = 0;
    this.y = 0;
    this.size = 1;
  }

  /** @param {number} x */
  of_x(x) {
    const [west, , east] = this.facts.box;
    return west + x / this.facts.wide * (east - west);
  }

  /** @param {number} y */
  of_y(y) {
    const [, south, , north] = this.facts.box;
    return south + y / this.facts.high * (north - south);
  }

  /** All the way round in units of the box, where it lies across the antimeridian and goes on beyond it; else 0. */
  get turn() {
    const { crs, radius, box: [, , east] } = this.facts, half = crs === "degrees" ? 180 : Math.PI * radius;
    return crs !== "plain" && east > half * (1 + 1e-9) ? 2 * half : 0;
  }

  /** As the library does, so that a rectangle has the same cells. @param {number} u */
  to_x(u) {
    const { box: [west, , east], per_unit } = this.facts, turn = this.turn;
    return near((u - west + (turn && u < (west + east - turn) / 2 ? turn : 0)) * per_unit[0]);
  }

  /** @param {number} v */
  to_y(v) {
    return near((v - this.facts.box[1]) * this.facts.per_unit[1]);
  }

  /** @param {number} x */
  at_x(x) {
    return this.x + x * this.size * this.facts.aspect;
  }

  /** @param {number} y */
  at_y(y) {
    return this.y - y * this.size;
  }

  /** @param {number} px */
  map_x(px) {
    return (px - this.x) / (this.size * this.facts.aspect);
  }

  /** @param {number} py */
  map_y(py) {
    return (this.y - py) / this.size;
  }

  /** The part of the canvas within its axes. */
  get inner() {
    const width = this.canvas.clientWidth - LEFT - RIGHT, height = this.canvas.clientHeight - TOP - BOTTOM;
    return { left: LEFT, top: TOP, width, height, right: LEFT + width, bottom: TOP + height };
  }

  /** Height of a canvas that the whole grid fills at its width; the stylesheet bounds it. */
  get fitting() {
    const { wide, high, aspect } = this.facts;
    return TOP + BOTTOM + this.inner.width * high / (wide * aspect);
  }

  /** Show all of the grid. */
  whole() {
    const { width, height } = this.inner, { wide, high, aspect } = this.facts;
    this.size = 0.98 * Math.min(width / (wide * aspect), height / high);
    this.x = LEFT + (width - wide * aspect * this.size) / 2;
    this.y = TOP + (height + high * this.size) / 2;
  }

  /** @param {number} factor @param {number} [px] @param {number} [py] the point that stays, by default the middle */
  zoom(factor, px = LEFT + this.inner.width / 2, py = TOP + this.inner.height / 2) {
    const size = Math.min(Math.max(this.size * factor, 0.02), 4000), by = size / this.size;
    [this.x, this.y, this.size] = [px - (px - this.x) * by, py - (py - this.y) * by, size];
  }

  /** @param {number} x @param {number} y */
  move(x, y) {
    this.x += x;
    this.y += y;
  }

  /** @param {number} v of a box in degrees or metres */
  latitude(v) {
    const { crs, radius } = this.facts;
    return crs === "degrees" ? v : Math.asin(Math.min(Math.max(v / radius, -1), 1)) * 180 / Math.PI;
  }

  /** Metres on the ground of one cell to the east, at the middle of what is seen; null where units are plain. */
  get ground() {
    const { crs, box: [west, , east], wide, high, radius } = this.facts;
    if (crs === "plain") return null;
    const middle = this.latitude(this.of_y(Math.min(Math.max(this.map_y(TOP + this.inner.height / 2), 0), high)));
    const along = (east - west) / wide * (crs === "degrees" ? Math.PI / 180 * radius : 1);
    return along * Math.max(Math.cos(middle * Math.PI / 180), 1e-6);
  }

  /**
   * How an axis is written: the value of a cell, the cell of a value, and the text of a value.
   * @param {string} kind @param {boolean} across
   * @returns {[(cell: number) => number, (value: number) => number, (value: number, gap: number) => string]}
   */
  axis(kind, across) {
    const { crs, radius, aspect } = this.facts, ground = this.ground;
    if (kind === "kilometres" && ground !== null) {
      const each = (across ? ground : ground / aspect) / 1000;
      return [(cell) => cell * each, (value) => value / each, (value) => `${short(value)} km`];
    }
    if (kind === "cells") return [(cell) => cell, (value) => value, short];
    if (kind === "degrees" && crs === "equal-area") {
      const turn = Math.PI / 180;
      return [
        (cell) => (across ? this.of_x(cell) / radius / turn : this.latitude(this.of_y(cell))),
        (value) => (across ? this.to_x(value * turn * radius) : this.to_y(Math.sin(value * turn) * radius)),
        (value, gap) => degrees(value, digits_of(gap), across),
      ];
    }
    return [
      (cell) => (across ? this.of_x(cell) : this.of_y(cell)),
      (value) => (across ? this.to_x(value) : this.to_y(value)),
      (value, gap) => (kind === "degrees" ? degrees(value, digits_of(gap), across) : value.toLocaleString("en", { maximumFractionDigits: digits_of(gap) })),
    ];
  }
}

/** The lines of coast.bin, in cells: whether each is a border, and its points. @param {ArrayBuffer} buffer @param {Frame} frame */
export function coastlines(buffer, frame) {
  const bytes = new Uint8Array(buffer), lines = [];
  const { crs, radius } = frame.facts, turn = Math.PI / 180;
  const in_cells = (/** @type {number} */ east, /** @type {number} */ north) =>
    [(east * (crs === "degrees" ? 1 : radius * turn) - frame.facts.box[0]) * frame.facts.per_unit[0], frame.to_y(crs === "degrees" ? north : radius * Math.sin(turn * north))];
  let at = 0;
  const varint = () => {
    let number = 0, shift = 0;
    for (;;) {
      const byte = bytes[at++];
      number |= (byte & 127) << shift;
      if (byte < 128) return number;
      shift += 7;
    }
  };
  const zigzag = () => {
    const number = varint();
    return number & 1 ? -((number + 1) >> 1) : number >> 1;
  };
  while (at < bytes.length) {
    const head = varint(), points = new Float64Array(2 * (head >> 1));
    for (let k = 0, x = 0, y = 0; k < points.length; k += 2) {
      x += zigzag();
      y += zigzag();
      [points[k], points[k + 1]] = in_cells(x / 100, y / 100);
    }
    lines.push({ border: (head & 1) === 1, points });
  }
  return lines;
}

/** @typedef {{ border: boolean, points: Float64Array }} Line */

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {Line[]} coast @param {{ coast: string, border: string }} ink */
export function draw_coast(context, frame, coast, ink) {
  for (const kind of [true, false]) {
    context.beginPath();
    for (const by of frame.turn ? [0, frame.turn * frame.facts.per_unit[0]] : [0]) {
      for (const { border, points } of coast) {
        if (border !== kind) continue;
        context.moveTo(frame.at_x(points[0] + by), frame.at_y(points[1]));
        for (let k = 2; k < points.length; k += 2) context.lineTo(frame.at_x(points[k] + by), frame.at_y(points[k + 1]));
      }
    }
    context.strokeStyle = kind ? ink.border : ink.coast;
    context.setLineDash(kind ? [4, 3] : []);
    context.lineWidth = kind ? 1 : 1.5;
    context.stroke();
  }
  context.setLineDash([]);
  context.lineWidth = 1;
}

/** Boxes that are at least three pixels wide. @param {CanvasRenderingContext2D} context @param {Frame} frame @param {ArrayLike<number>} boxes @param {string} ink */
export function draw_outlines(context, frame, boxes, ink) {
  const { clientWidth, clientHeight } = frame.canvas, across = frame.facts.aspect * frame.size;
  context.strokeStyle = ink;
  context.globalAlpha = 0.55;
  context.beginPath();
  for (let k = 0; k < boxes.length; k += 4) {
    const x = frame.at_x(boxes[k + 2]), y = frame.at_y(boxes[k + 1]), width = (boxes[k + 3] - boxes[k + 2]) * across, height = (boxes[k + 1] - boxes[k]) * frame.size;
    if (width > 3 && x < clientWidth && y < clientHeight && x + width > 0 && y + height > 0) context.rect(x, y, width, height);
  }
  context.stroke();
  context.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {string} kind @param {{ ink: string, frame: string }} ink */
export function draw_axes(context, frame, kind, ink) {
  const { left, top, right, bottom, width, height } = frame.inner;
  context.fillStyle = ink.ink;
  context.strokeStyle = ink.frame;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
  context.font = "12px system-ui, sans-serif";
  for (const across of [true, false]) {
    const [value, place, text] = frame.axis(kind, across);
    const bound = kind !== "degrees" ? Infinity : across ? (frame.turn ? 360 : 180) : 90, ends = across ? [frame.map_x(left), frame.map_x(right)] : [frame.map_y(bottom), frame.map_y(top)];
    const [first, last] = ends.map((end) => Math.min(Math.max(value(end), -bound), bound));
    if (!(last > first)) continue;
    const room = kind === "degrees" ? [70, 40] : [90, 50], gap = tick_gap((last - first) / Math.max(across ? width / room[0] : height / room[1], 2), kind);
    context.textAlign = across ? "center" : "right";
    context.textBaseline = across ? "top" : "middle";
    context.beginPath();
    for (let k = Math.ceil(first / gap); k * gap <= last; k++) {
      const at = across ? frame.at_x(place(k * gap)) : frame.at_y(place(k * gap));
      if (across) {
        context.moveTo(at, bottom);
        context.lineTo(at, bottom + 5);
        if (at > left + 14 && at < right - 14) context.fillText(text(k * gap, gap), at, bottom + 8);
      } else {
        context.moveTo(left, at);
        context.lineTo(left - 5, at);
        if (at > top + 5 && at < bottom - 5) context.fillText(text(k * gap, gap), left - 8, at);
      }
    }
    context.stroke();
  }
}

/** A bar of a round length; gives its text. @param {CanvasRenderingContext2D} context @param {Frame} frame @param {{ ink: string, ground: string }} ink */
export function draw_scale(context, frame, ink) {
  const { left, bottom, width } = frame.inner, { box: [west, , east], wide, aspect } = frame.facts, metres = frame.ground;
  const pixel = (metres ?? (east - west) / wide) / (frame.size * aspect), power = nice(Math.min(130, width / 3) * pixel / 2), long = power / pixel;
  const text = metres === null ? `${short(power)} units` : power >= 1000 ? `${short(power / 1000)} km` : `${short(power)} m`;
  const x = left + 12, y = bottom - 14;
  context.textAlign = "left";
  context.textBaseline = "bottom";
  context.fillStyle = ink.ground;
  context.globalAlpha = 0.85;
  context.fillRect(x - 6, y - 20, Math.max(long, context.measureText(text).width) + 12, 28);
  context.globalAlpha = 1;
  context.fillStyle = ink.ink;
  context.fillText(text, x, y - 4);
  context.strokeStyle = ink.ink;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x, y - 4);
  context.lineTo(x, y + 2);
  context.lineTo(x + long, y + 2);
  context.lineTo(x + long, y - 4);
  context.stroke();
  return text;
}

/** Lines across those cells of a picture that are not clear. */
export class Hatching {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.tile = document.createElement("canvas");
  }

  /** @param {CanvasRenderingContext2D} context @param {HTMLCanvasElement} veil @param {[number, number, number, number]} place @param {number} ratio @param {string} ink */
  draw(context, veil, place, ratio, ink) {
    const { width, height } = context.canvas, side = Math.round(6 * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) [this.canvas.width, this.canvas.height] = [width, height];
    [this.tile.width, this.tile.height] = [side, side];
    const pen = /** @type {CanvasRenderingContext2D} */ (this.tile.getContext("2d"));
    const over = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    pen.strokeStyle = ink;
    pen.lineWidth = ratio;
    for (const shift of [-side, 0, side]) {
      pen.moveTo(shift, side);
      pen.lineTo(shift + side, 0);
    }
    pen.stroke();
    over.setTransform(1, 0, 0, 1, 0, 0);
    over.globalCompositeOperation = "copy";
    over.fillStyle = /** @type {CanvasPattern} */ (over.createPattern(this.tile, "repeat"));
    over.fillRect(0, 0, width, height);
    over.globalCompositeOperation = "destination-in";
    over.imageSmoothingEnabled = false;
    over.setTransform(ratio, 0, 0, ratio, 0, 0);
    over.drawImage(veil, ...place);
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.canvas, 0, 0);
    context.restore();
  }
}
