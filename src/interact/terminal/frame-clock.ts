/** Frames at most this often; faster is not seen. */
const frameMs = 16;
/** How often running times are redrawn. */
const clockMs = 1_000;

/** Says when to paint: soon after something has changed, and every second. */
export class FrameClock {
  readonly #paint: () => void;
  #frame: ReturnType<typeof setTimeout> | undefined;
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor(paint: () => void) {
    this.#paint = paint;
  }

  start(): void {
    this.paintNow();
    this.#clock = setInterval(() => this.paintSoon(), clockMs);
  }

  stop(): void {
    clearInterval(this.#clock);
    clearTimeout(this.#frame);
    this.#clock = undefined;
    this.#frame = undefined;
  }

  paintSoon(): void {
    if (this.#clock !== undefined) this.#frame ??= setTimeout(() => this.paintNow(), frameMs);
  }

  paintNow(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    this.#paint();
  }
}
