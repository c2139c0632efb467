// @ts-check
// Seconds until an answer leaves; then the page is asked for again, once its server answers.
import { asked } from "./asking.js";

const place = /** @type {HTMLElement | null} */ (document.querySelector("[data-countdown]"));
if (place) {
  const until = Date.now() + 1000 * Number(place.dataset.countdown);
  const timer = setInterval(async () => {
    const left = Math.ceil((until - Date.now()) / 1000);
    place.textContent = String(Math.max(left, 0));
    if (left > 0) return;
    clearInterval(timer);
    await asked(location.href, { headers: { Accept: "text/html" } }, async () => {});
    location.reload();
  }, 250);
}
