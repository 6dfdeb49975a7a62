/** Different messages that are remembered; hooks have few things to complain about. */
const messagesMax = 1000;

/** Says each message once: what is wrong with a hook is found at every call. */
export class SaidOnce {
  readonly #say: (message: string) => void;
  readonly #said = new Set<string>();

  constructor(say: (message: string) => void) {
    this.#say = say;
  }

  say(message: string): void {
    if (this.#said.has(message) || this.#said.size >= messagesMax) return;
    this.#said.add(message);
    this.#say(message);
  }
}
