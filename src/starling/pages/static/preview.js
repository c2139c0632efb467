// @ts-check
// The price of a question while its form is filled in: the page itself is asked for, and its parts that follow from the form are taken.
import { asked, is_changed } from "./asking.js";

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form[data-preview]"));
let latest = 0;
let timer = 0;

/**
 * A field that another decides gets the value that it has in the page.
 * @param {HTMLInputElement} field
 * @param {Document} page
 */
function follow(field, page) {
  const other = /** @type {HTMLInputElement | null} */ (page.getElementById(field.id));
  if (other && field !== document.activeElement) field.value = other.value;
}

/** The part of the page, with what was written in it. @param {Element} part @param {Document} page */
function take(part, page) {
  const written = [...part.querySelectorAll("textarea")].filter(is_changed);
  part.replaceChildren(...(page.getElementById(part.id)?.childNodes ?? []));
  for (const { id, value } of written) {
    const field = /** @type {HTMLTextAreaElement | null} */ (document.getElementById(id));
    if (field) field.value = value;
  }
}

/** What is priced is no more what the form says: it can be neither pressed nor read as its price. @param {boolean} stale */
function mark(stale) {
  const price = document.getElementById("price");
  if (!price) return;
  price.inert = stale;
  price.toggleAttribute("aria-busy", stale);
}

/** @param {HTMLFormElement} form */
async function refresh(form) {
  const turn = ++latest;
  const query = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  if (!form.checkValidity()) return;
  const reply = await asked(
    `${form.action}?${query}`, { headers: { Accept: "text/html" }, redirect: "error" }, (each) => each.text(), () => turn === latest,
  );
  const page = new DOMParser().parseFromString(reply?.body ?? "", "text/html");
  if (!page.getElementById("price")) return;
  for (const part of document.querySelectorAll("[data-live]")) take(part, page);
  for (const field of form.querySelectorAll("input[data-follows]")) follow(/** @type {HTMLInputElement} */ (field), page);
  mark(false);
}

/** Fields were changed: the last one decides, where none of them says what does. @param {Element[]} fields */
function change(fields) {
  const chooses = fields.map((each) => /** @type {HTMLElement} */ (each).dataset.chooses ?? "").findLast(Boolean) ?? "";
  const choice = /** @type {HTMLInputElement | null} */ (document.getElementById(chooses));
  if (choice && !fields.some((each) => each.matches("[type=radio]"))) choice.checked = true;
  mark(true);
  latest++;
  clearTimeout(timer);
  timer = setTimeout(() => refresh(/** @type {HTMLFormElement} */ (form)), 400);
}

form?.addEventListener("input", (event) => change([/** @type {Element} */ (event.target)]));
// What was typed before the script ran, or what the browser filled in again.
addEventListener("pageshow", () => {
  const fields = [...(form?.elements ?? [])].filter(is_changed);
  if (fields.length) change(fields);
});
