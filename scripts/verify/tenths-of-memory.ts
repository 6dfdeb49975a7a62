import { quantile } from "../bench/stats.ts";

const tenths = 10;
/** The last tenth of a run may hold so much more than the second; the first is the time to warm up. */
const growthMax = 1.1;

/** Memory over a run, seen in ten parts: a leak shows as growth from the second to the last. */
export class TenthsOfMemory {
  readonly #readMb: () => number;
  readonly #samples: number[][] = Array.from({ length: tenths }, () => []);

  constructor(readMb: () => number) {
    this.#readMb = readMb;
  }

  /** Takes a sample. `done` is how much of the run is over, above 0 and at most 1. */
  look(done: number): void {
    this.#samples[Math.ceil(done * tenths) - 1]?.push(this.#readMb());
  }

  /** A line for each thing that is wrong. */
  faults(): string[] {
    const second = this.#median(1);
    const last = this.#median(tenths - 1);
    if (second === undefined || last === undefined)
      return ["too few calls to see memory in tenths"];
    if (last <= second * growthMax) return [];
    return [
      `the last tenth holds ${last.toFixed(0)} MB, ${(last / second).toFixed(2)} × the second; at most ${growthMax} ×`,
    ];
  }

  figures(): string {
    const medians = this.#samples.map((_, index) => this.#median(index));
    const [, second = 0] = medians;
    const last = medians.at(-1) ?? 0;
    const list = medians.map((mb) => mb?.toFixed(0) ?? "–").join(", ");
    return `resident MB by tenths: ${list}; the last is ${(last / second).toFixed(2)} × the second, at most ${growthMax} ×`;
  }

  #median(tenth: number): number | undefined {
    const samples = this.#samples[tenth] ?? [];
    return samples.length === 0 ? undefined : quantile(samples, 0.5);
  }
}
