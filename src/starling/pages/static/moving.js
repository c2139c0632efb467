// @ts-check
/**
 * How a reader moves over a picture, by wheel, keys and buttons: of the map and of the Manhattan plot.
 * @typedef {{ move: (x: number, y: number) => void, zoom: (factor: number, px?: number, py?: number) => void, whole: () => void }} Movable
 */

/**
 * Listen to wheel, arrow keys, + and - and 0, and to the buttons.
 * @param {HTMLCanvasElement} canvas @param {Movable} frame @param {() => void} ask draws again
 * @param {(id: string) => HTMLElement} button the buttons nearer, farther and whole
 */
export function steer(canvas, frame, ask, button) {
  const nearer = () => frame.zoom(1.6), farther = () => frame.zoom(1 / 1.6), whole = () => frame.whole();
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => frame.move(60, 0), ArrowRight: () => frame.move(-60, 0), ArrowUp: () => frame.move(0, 60), ArrowDown: () => frame.move(0, -60),
    "+": nearer, "=": nearer, "-": farther, "0": whole,
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    frame.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    ask();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
    ask();
  });
  for (const [id, act] of /** @type {[string, () => void][]} */ ([["nearer", nearer], ["farther", farther], ["whole", whole]])) {
    button(id).addEventListener("click", () => {
      act();
      ask();
    });
  }
}
