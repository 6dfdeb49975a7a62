import { formatAmount } from "../../base/cut-text.ts";
import { diskReserveOf, diskSpaceOf, type DiskSpace } from "../../base/disk-space.ts";
import { savedResultsBytesMax, savedResultsReserveBytes } from "../../base/limits.ts";

/** The disk is looked at again when so much was granted, or so long ago: others write there too. */
const grantedBytesPerLook = 16 * 1024 * 1024;
const lookAgeMsMax = 1_000;

interface Bounds {
  readonly bytesMax: number;
  readonly reserveBytes: number;
}

const ownBounds: Bounds = {
  bytesMax: savedResultsBytesMax,
  reserveBytes: savedResultsReserveBytes,
};

/** The disk space that all outputs being saved in one folder may take together. */
export class SavingRoom {
  readonly #bounds: Bounds;
  readonly #look: () => DiskSpace | undefined;
  #takenBytes = 0;
  /** Granted bytes that a look at the disk does not show yet. */
  #pendingBytes = 0;
  #reserveBytes = 0;
  #spareBytes = 0;
  #grantedBytes = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param bounds of all outputs while they are written, and of the free space to keep
   * @param look at the state of the disk
   */
  constructor(
    folder: string,
    bounds: Bounds = ownBounds,
    look: () => DiskSpace | undefined = () => diskSpaceOf(folder),
  ) {
    this.#bounds = bounds;
    this.#look = look;
  }

  /** Takes room for `bytes` more. Returns the reason when there is no room, and then takes nothing. */
  take(bytes: number): string | undefined {
    const { bytesMax } = this.#bounds;
    if (this.#takenBytes + bytes > bytesMax) {
      return `the outputs being saved share a limit of ${formatAmount(bytesMax, "byte")}`;
    }
    if (!this.#hasSpare(bytes)) {
      return `the disk is nearly full, and ${formatAmount(this.#reserveBytes, "byte")} of it must stay free`;
    }
    this.#takenBytes += bytes;
    this.#pendingBytes += bytes;
    this.#spareBytes -= bytes;
    this.#grantedBytes += bytes;
    return undefined;
  }

  /** `bytes` that were taken are on the disk, or will never be. */
  settle(bytes: number): void {
    this.#pendingBytes -= bytes;
  }

  /** An output that took `bytes` is not written any more: from now on the sweeps of its folder count it. */
  giveBack(bytes: number): void {
    this.#takenBytes -= bytes;
  }

  #hasSpare(bytes: number): boolean {
    const isOld = performance.now() - this.#lookedAt > lookAgeMsMax;
    if (isOld || this.#grantedBytes >= grantedBytesPerLook || this.#spareBytes < bytes) {
      this.#lookAgain();
    }
    return this.#spareBytes >= bytes;
  }

  #lookAgain(): void {
    const space = this.#look();
    this.#lookedAt = performance.now();
    this.#grantedBytes = 0;
    this.#reserveBytes = space === undefined ? 0 : diskReserveOf(space, this.#bounds.reserveBytes);
    this.#spareBytes =
      space === undefined ? Infinity : space.free - this.#reserveBytes - this.#pendingBytes;
  }
}
