import { stateLookMs } from "../../base/limits.ts";

/**
 * Looks at something every second, and when it is told to, and tells when it is not what it was: another process may
 * have changed it. `look` costs little, does not throw, and its replies are compared.
 */
export class LookedAt {
  readonly #look: () => string;
  readonly #tell: () => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #seen: string;

  constructor(look: () => string, tell: () => void, everyMs: number = stateLookMs) {
    this.#look = look;
    this.#tell = tell;
    this.#seen = look();
    this.#timer = setInterval(this.lookNow, everyMs).unref();
  }

  readonly lookNow = (): void => {
    const now = this.#look();
    if (now === this.#seen) return;
    this.#seen = now;
    this.#tell();
  };

  stop(): void {
    clearInterval(this.#timer);
  }
}
