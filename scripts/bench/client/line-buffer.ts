/** Bytes as they come from a pipe, handed out line by line without copying. */
import { ptr } from "bun:ffi";
import { libc } from "./libc.ts";

const newline = 10;
const firstCapacityBytes = 1 << 20;

export class LineBuffer {
  private bytes = Buffer.allocUnsafe(firstCapacityBytes);
  private start = 0;
  private end = 0;
  private scanned = 0;

  /** The next complete line, valid until the next `fill`. */
  next(): Buffer | undefined {
    const index = this.bytes.subarray(0, this.end).indexOf(newline, this.scanned);
    if (index < 0) {
      this.scanned = this.end;
      return undefined;
    }
    const line = this.bytes.subarray(this.start, index);
    this.start = this.scanned = index + 1;
    return line;
  }

  hasLine(): boolean {
    return this.bytes.subarray(0, this.end).indexOf(newline, this.scanned) >= 0;
  }

  /** One read: the bytes received, 0 at the end of the stream, negative when there is nothing yet. */
  fill(fd: number): number {
    this.makeRoom();
    const room = this.bytes.length - this.end;
    const received = Number(libc.read(fd, ptr(this.bytes, this.end), room));
    if (received > 0) this.end += received;
    return received;
  }

  private makeRoom(): void {
    if (this.start === this.end) {
      this.start = this.end = this.scanned = 0;
      return;
    }
    if (this.end < this.bytes.length) return;
    if (this.start > this.bytes.length / 2) {
      this.bytes.copyWithin(0, this.start, this.end);
    } else {
      const larger = Buffer.allocUnsafe(this.bytes.length * 2);
      this.bytes.copy(larger, 0, this.start, this.end);
      this.bytes = larger;
    }
    this.end -= this.start;
    this.scanned -= this.start;
    this.start = 0;
  }
}
