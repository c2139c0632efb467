// @ts-check
// The price of a question while its form is filled in: the page itself is asked for, and its part with the price is taken.

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

/** @param {HTMLFormElement} form */
async function refresh(form) {
  const turn = ++latest;
  const place = document.getElementById(form.dataset.preview ?? "");
  const query = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  if (!place || !form.checkValidity()) return;
  place.setAttribute("aria-busy", "true");
  try {
    const reply = await fetch(`${form.action}?${query}`, { headers: { Accept: "text/html" }, redirect: "error" });
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const price = page.getElementById(place.id);
    if (turn !== latest || !price) return;
    place.replaceChildren(...price.childNodes);
    for (const field of form.querySelectorAll("input[data-follows]")) follow(/** @type {HTMLInputElement} */ (field), page);
  } catch {
    // The button of the form still works.
  } finally {
    if (turn === latest) place.removeAttribute("aria-busy");
  }
}

form?.addEventListener("input", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  const choice = /** @type {HTMLInputElement | null} */ (document.getElementById(field.dataset.chooses ?? ""));
  if (choice) choice.checked = true;
  clearTimeout(timer);
  timer = setTimeout(() => refresh(/** @type {HTMLFormElement} */ (form)), 400);
});
