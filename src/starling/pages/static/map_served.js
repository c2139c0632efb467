// @ts-check
/** The map of a release whose server counts: every rectangle has the numbers and words that the server gives, at its own address. */
import { ENDS, element, show_map } from "./map_view.js";
import { content, unpack } from "./packing.js";

/** Milliseconds between questions to the server, at least. */
const PAUSE = 200;

/** What the server says of the rectangle whose ends are written. @param {boolean} typical @returns {Promise<any>} */
async function ask(typical) {
  const form = /** @type {HTMLFormElement} */ (element("map-form")), query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value) query.append(name, String(value));
  history.replaceState(null, "", `?${query}`);
  if (typical) query.set("typical", "yes");
  const reply = await fetch(`${form.dataset.count}?${query}`), answer = await reply.json();
  return reply.ok ? answer : { problems: answer.problems?.map((/** @type {any} */ each) => each.problem ? `${each.field} ${each.problem}: ${each.fix}` : each) ?? ["There is no answer now."] };
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
    const reply = await ask(true);
    if (asking) return;
    if (reply.problems) element("map-usually").textContent = reply.problems.join(" "); else write(reply);
  };
  const answer = async () => {
    again = true;
    if (asking) return;
    asking = true;
    clearTimeout(resting);
    while (again) {
      again = false;
      const reply = await ask(false);
      element("map-problem").textContent = reply.problems ? reply.problems.join(" ") : "";
      if (!reply.problems) write(reply);
      await new Promise((done) => setTimeout(done, PAUSE));
    }
    asking = false;
    resting = setTimeout(rest, PAUSE);
  };
  show_map(facts, coast, { view: () => view, answer });
  const form = element("map-form"), range = element("map-range");
  for (const id of ["slice", "minus", "other"]) element(`map-${id}`)?.addEventListener("change", () => form.requestSubmit());
  range?.addEventListener("change", () => {
    element("map-slice").selectedIndex = range.value;
    form.requestSubmit();
  });
}

begin().catch((error) => {
  element("map-problem").textContent = `This browser cannot show the map: ${error.message}`;
});
