// @ts-check
// The price of a question while its form is filled in: the page itself is asked for, and its parts that follow from the form are taken.

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
  try {
    const reply = await fetch(`${form.action}?${query}`, { headers: { Accept: "text/html" }, redirect: "error" });
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    if (turn !== latest || !page.getElementById("price")) return;
    for (const part of document.querySelectorAll("[data-live]")) {
      part.replaceChildren(...(page.getElementById(part.id)?.childNodes ?? []));
    }
    for (const field of form.querySelectorAll("input[data-follows]")) follow(/** @type {HTMLInputElement} */ (field), page);
    mark(false);
  } catch {
    // The button of the form still works.
  }
}

form?.addEventListener("input", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  const choice = /** @type {HTMLInputElement | null} */ (document.getElementById(field.dataset.chooses ?? ""));
  if (choice) choice.checked = true;
  mark(true);
  clearTimeout(timer);
  timer = setTimeout(() => refresh(/** @type {HTMLFormElement} */ (form)), 400);
});
