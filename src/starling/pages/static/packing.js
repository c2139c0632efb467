// @ts-check
import { asked } from "./asking.js";

/** The file that a script reads, as starling.pages.packing writes it. */

/** @typedef {Int8Array | Int16Array | Int32Array | Float64Array | Uint8Array} Numbers */
/** @typedef {{ facts: any, take: (name: string) => Numbers }} Data */

const KINDS = { i1: Int8Array, u1: Uint8Array, i2: Int16Array, i4: Int32Array, f8: Float64Array };

/** A compressed block of the page, or a file of its server. @param {HTMLElement} block @returns {Promise<ArrayBuffer>} */
export async function content(block) {
  const source = block.dataset.source, reply = source ? await asked(source, {}, (each) => each.blob()) : null;
  if (reply && !reply.ok) throw new Error("its numbers are not there");
  const body = (reply?.body ?? new Blob([Uint8Array.from(atob(block.textContent ?? ""), (letter) => letter.charCodeAt(0))])).stream();
  return new Response(block.dataset.plain === undefined ? body.pipeThrough(new DecompressionStream("gzip")) : body).arrayBuffer();
}

/**
 * The parts of a file: its facts, and its arrays by their names.
 * @param {ArrayBuffer} buffer @returns {Data}
 */
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const facts = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return {
    facts,
    take(name) {
      const [kind, offset, many] = facts.arrays[name];
      return new KINDS[/** @type {keyof typeof KINDS} */ (kind)](buffer, offset, many);
    },
  };
}
