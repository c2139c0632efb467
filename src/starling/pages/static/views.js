// @ts-check
/** A picture of each kind for each slice, and for each less another, whose marks say their numbers: starling.pages.views writes all of them. */
import { content, unpack } from "./packing.js";

/** Pixels around a pointer in which a mark is found: fingers are wide, and arcs are thin. */
const NEAR = [0, 4, 9, 14];
const element = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

async function begin() {
  const { facts } = unpack(await content(element("view-data"))), { slices, views } = facts;
  const picture = element("view"), range = element("view-slice"), other = element("view-other"), kind = element("view-kind");
  /** @type {Element[]} Those that say something, the largest first. */
  let marks = [];
  let chosen = -1;

  /** @param {string} label @param {string} number @param {string} interval @param {string} note */
  function say(label, number, interval, note) {
    [["label", label], ["number", number], ["interval", interval], ["note", note]].forEach(([id, text]) => { element(`view-${id}`).textContent = text; });
  }

  const key = () => `${kind?.value ?? 0} ${range?.value ?? 0}${other?.value ? ` ${other.value}` : ""}`;

  /** @param {number} place in `marks`; -1 for the whole */
  function choose(place) {
    marks[chosen]?.classList.remove("chosen");
    chosen = place;
    if (place < 0) {
      const { label, number, interval, note } = views[key()];
      return say(label, number, interval, note);
    }
    marks[place].classList.add("chosen");
    const [label, number, interval] = (marks[place].querySelector("title")?.textContent ?? "").split("\n");
    say(label, number, interval, "");
  }

  /** The mark nearest to a place of the window. @param {number} x @param {number} y */
  function nearest(x, y) {
    for (const far of NEAR) {
      for (let step = 0; step < (far ? 12 : 1); step++) {
        const found = document.elementFromPoint(x + far * Math.cos(step * Math.PI / 6), y + far * Math.sin(step * Math.PI / 6));
        const place = found ? marks.indexOf(found) : -1;
        if (place >= 0) return place;
      }
    }
    return -1;
  }

  function show() {
    if (other && other.value === range.value) other.value = "";
    const { svg, caption } = views[key()];
    picture.innerHTML = svg;
    marks = [...picture.querySelectorAll("path:has(title)")].reverse();
    element("view-caption").textContent = caption;
    if (range) {
      element("view-name").textContent = slices[range.value];
      range.setAttribute("aria-valuetext", slices[range.value]);
    }
    chosen = -1;
    choose(-1);
  }

  /** @param {PointerEvent} event */
  const point = (event) => choose(nearest(event.clientX, event.clientY));
  picture.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => { if (event.pointerType === "mouse") point(event); });
  picture.addEventListener("click", point);
  picture.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const last = marks.length - 1;
    /** @type {Record<string, number>} */
    const places = { ArrowRight: Math.min(chosen + 1, last), ArrowDown: Math.min(chosen + 1, last), ArrowLeft: Math.max(chosen - 1, -1), ArrowUp: Math.max(chosen - 1, -1), Home: Math.min(0, last), End: last, Escape: -1 };
    if (!(event.key in places) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(places[event.key]);
  });
  for (const each of [kind, range, other]) each?.addEventListener("input", show);
  show();
  document.querySelectorAll("[data-needs-script]").forEach((each) => { /** @type {HTMLElement} */ (each).hidden = false; });
  document.documentElement.dataset.ready = "yes";
}

begin().catch((error) => {
  element("view-label").textContent = `This browser cannot show the map: ${error.message}`;
});
