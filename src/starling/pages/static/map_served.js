// @ts-check
/** The map of a release whose server counts: every rectangle has the numbers and words that the server gives, at its own address. */
import { asked, is_changed } from "./asking.js";
import { ENDS, element, show_map } from "./map_view.js";
import { content, unpack } from "./packing.js";

/** Milliseconds between questions to the server, at least. */
const PAUSE = 200;

/** What the server says of the rectangle whose ends are written. @param {boolean} typical @param {() => boolean} wanted @returns {Promise<any>} */
async function ask(typical, wanted) {
  const form = /** @type {HTMLFormElement} */ (element("map-form")), query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value) query.append(name, String(value));
  history.replaceState(null, "", `?${query}`);
  if (typical) query.set("typical", "yes");
  const reply = await asked(`${form.dataset.count}?${query}`, {}, (each) => each.json(), wanted);
  return reply === null || reply.ok ? reply?.body : { problems: reply.body.problems?.map((/** @type {any} */ each) => each.problem ? `${each.field} ${each.problem}: ${each.fix}` : each) ?? ["There is no answer now."] };
}

/** Write what the server said. @param {any} reply */
function write({ number, interval, cut, outside, typical, counts, lines }) {
  [["estimate", number], ["between", interval], ["cut", cut], ["outside", outside], ["usually", typical], ["where", "rectangle"]].forEach(([id, text]) => { element(`map-${id}`).textContent = text; });
  element("map-estimate").dataset.exact = String(counts);
  document.querySelectorAll("#map-form .problem").forEach((each) => each.remove());
  document.querySelectorAll("#map-form [aria-invalid]").forEach((each) => each.removeAttribute("aria-invalid"));
  document.querySelectorAll("#map-lines code").forEach((each, k) => { each.textContent = lines[k]; });
}

async function begin() {
  const { facts, take } = unpack(await content(element("map-data"))), coast = facts.crs === "plain" ? null : await content(element("map-coast"));
  const view = { ...facts, shades: take("shades"), blank: facts.sure ? take("blank") : null, boxes: take("boxes") };
  let asking = false, again = false, resting = 0;
  /** A typical error takes seconds the first time: it is asked for once the rectangle stays. */
  const rest = async () => {
    const reply = await ask(true, () => !asking);
    if (!reply) return;
    if (reply.problems) element("map-usually").textContent = reply.problems.join(" "); else write(reply);
  };
  const answer = async () => {
    again = true;
    if (asking) return;
    asking = true;
    clearTimeout(resting);
    while (again) {
      again = false;
      const reply = await ask(false, () => !again);
      if (!reply) continue;
      element("map-problem").textContent = reply.problems ? reply.problems.join(" ") : "";
      if (!reply.problems) write(reply);
      await new Promise((done) => setTimeout(done, PAUSE));
    }
    asking = false;
    resting = setTimeout(rest, PAUSE);
  };
  const form = /** @type {HTMLFormElement} */ (element("map-form")), range = element("map-range");
  if ([...form.querySelectorAll("select")].some(is_changed)) {
    const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
    // What was chosen before the script ran; on the way back the browser fills in again what the page does not show.
    if (visit.type === "navigate") return form.requestSubmit();
    form.reset();
  }
  show_map(facts, coast, { view: () => view, answer });
  for (const id of ["slice", "minus", "other"]) element(`map-${id}`)?.addEventListener("change", () => form.requestSubmit());
  const category = element("map-category");
  for (const each of [range, category]) each?.addEventListener("change", () => {
    element("map-slice").selectedIndex = Number(range.value) * (category?.options.length ?? 1) + (category?.selectedIndex ?? 0);
    form.requestSubmit();
  });
}

begin().catch((error) => {
  element("map-problem").textContent = `This browser cannot show the map: ${error.message}`;
});
