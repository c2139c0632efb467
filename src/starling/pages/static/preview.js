// @ts-check
// The price of a question while its form is filled in: the page itself is asked for, and its part with the price is taken.

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form[data-preview]"));
let latest = 0;
let timer = 0;

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
    if (turn === latest && price) place.replaceChildren(...price.childNodes);
  } catch {
    // The button of the form still works.
  } finally {
    if (turn === latest) place.removeAttribute("aria-busy");
  }
}

form?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => refresh(/** @type {HTMLFormElement} */ (form)), 400);
});
