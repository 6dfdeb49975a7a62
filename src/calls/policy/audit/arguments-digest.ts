import { auditDigestCharsAtOnce } from "../../../base/limits.ts";
import { isObject } from "../../../base/values.ts";

/** An object, a list or a long text of which a part has been taken. */
type Open = { readonly count: number; at: number } & (
  | { readonly values: readonly unknown[] | string; readonly names?: undefined }
  /** `names` in their order. */
  | { readonly values: Readonly<Record<string, unknown>>; readonly names: readonly string[] }
);

/**
 * The SHA-256 of arguments, in hex: of their JSON with the members of objects in the order of their names. They may be
 * megabytes long, and other calls are served meanwhile: it is computed a little at a time.
 */
export class ArgumentsDigest {
  readonly #hasher = new Bun.CryptoHasher("sha256");
  readonly #open: Open[] = [];
  #text = "";

  constructor(args: unknown) {
    this.#take(args);
  }

  /** Goes on for a millisecond at most. Undefined until the end is reached. */
  next(): string | undefined {
    let hashed = 0;
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      this.#takeNext(open);
      if (this.#text.length < auditDigestCharsAtOnce) continue;
      hashed += this.#hash();
      if (hashed >= auditDigestCharsAtOnce) return undefined;
    }
    this.#hash();
    return this.#hasher.digest("hex");
  }

  #hash(): number {
    const { length } = this.#text;
    this.#hasher.update(this.#text);
    this.#text = "";
    return length;
  }

  #takeNext(open: Open): void {
    const { values, names, count, at } = open;
    if (at === count) {
      this.#open.pop();
      this.#text += typeof values === "string" ? '"' : names === undefined ? "]" : "}";
      return;
    }
    if (typeof values === "string") return this.#takeText(open, values);
    open.at++;
    if (at > 0) this.#text += ",";
    if (open.names === undefined) return this.#take(open.values[at]);
    const name = open.names[at] ?? "";
    this.#text += `${JSON.stringify(name)}:`;
    this.#take(open.values[name]);
  }

  /** A part of it, without half a character. */
  #takeText(open: Open, text: string): void {
    const end = open.at + auditDigestCharsAtOnce;
    const isSplit = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const part = text.slice(open.at, isSplit ? end + 1 : end);
    this.#text += JSON.stringify(part).slice(1, -1);
    open.at += part.length;
  }

  #take(value: unknown): void {
    if (typeof value === "string" && value.length > auditDigestCharsAtOnce) {
      this.#text += '"';
      this.#open.push({ values: value, count: value.length, at: 0 });
    } else if (Array.isArray(value)) {
      this.#text += "[";
      this.#open.push({ values: value, count: value.length, at: 0 });
    } else if (isObject(value)) {
      this.#text += "{";
      const names = Object.keys(value).sort();
      this.#open.push({ values: value, names, count: names.length, at: 0 });
    } else this.#text += JSON.stringify(value) ?? "null";
  }
}
