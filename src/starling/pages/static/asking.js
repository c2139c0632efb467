// @ts-check
/** Seconds after which a server is asked again: at first, and at most. */
const FIRST = 2, LONGEST = 60;

/** Show or hide that a server is asked again (parts.html). @param {boolean} late */
function tell(late) {
  const note = document.getElementById("late");
  if (note) note.hidden = !late;
}

/**
 * What a server replies, once it does: where the connection is lost, or the server is busy, it is asked again, later each time.
 * @template T
 * @param {string} url @param {RequestInit} options @param {(reply: Response) => Promise<T>} read of its body
 * @param {() => boolean} wanted whether the reply is still of use
 * @returns {Promise<{ ok: boolean, body: T } | null>} null where it is not
 */
export async function asked(url, options, read, wanted = () => true) {
  for (let pause = FIRST; wanted(); pause = Math.min(2 * pause, LONGEST)) {
    let after = pause;
    try {
      const reply = await fetch(url, options);
      if (reply.status !== 429 && reply.status < 500) {
        const body = await read(reply);
        if (!wanted()) return null;
        tell(false);
        return { ok: reply.ok, body };
      }
      after = Number(reply.headers.get("Retry-After")) || pause;
    } catch {
      // The connection was lost, or the session has ended.
    }
    if (wanted()) tell(true);
    for (const until = Date.now() + 1000 * after; wanted() && Date.now() < until;) await new Promise((done) => setTimeout(done, 100));
  }
  return null;
}

/** Whether a visitor changed a field of a form, be it before the script ran. @param {Element} field */
export function is_changed(field) {
  if (field instanceof HTMLSelectElement) return field.selectedIndex !== Math.max([...field.options].findIndex((each) => each.defaultSelected), 0);
  if (field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type)) return field.checked !== field.defaultChecked;
  return (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) && field.value !== field.defaultValue;
}
