import { connect } from "node:net";

import { engineLookMs, engineLookMsMax } from "../base/limits.ts";

interface EnginePlace {
  readonly hostname: string;
  readonly port: number;
}

/** Looks whether an engine accepts connections, when somebody asks and at most once a second. */
export class EngineLook {
  readonly #place: EnginePlace;
  readonly #report: (isWell: boolean) => void;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** @param report receives the result of each look */
  constructor(place: EnginePlace, report: (isWell: boolean) => void) {
    this.#place = place;
    this.#report = report;
  }

  /** Does not wait: the answer is there for the next who asks. */
  readonly look = (): void => {
    const now = performance.now();
    if (now - this.#lookedAt < engineLookMs) return;
    this.#lookedAt = now;
    void acceptsConnections(this.#place).then(this.#report);
  };
}

function acceptsConnections({ hostname: host, port }: EnginePlace): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port });
  socket.setTimeout(engineLookMsMax, () => resolve(false));
  socket.once("connect", () => resolve(true));
  socket.once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
