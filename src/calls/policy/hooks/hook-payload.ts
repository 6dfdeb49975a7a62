import { hookArgumentBytesMax, hookArgumentCharsWindowsMax } from "../../../base/limits.ts";
import { makePrivateFile, type PrivateFile } from "./private-file.ts";

/** What the hooks of one event get as their last argument: JSON, or `@` and the path of a file that has it. */
export class HookPayload implements AsyncDisposable {
  readonly #json: string;
  readonly #folder: () => Promise<string>;
  readonly #isLong: boolean;
  #file: Promise<PrivateFile> | undefined;

  /** @param folder makes the private folder for the file, when one is needed */
  constructor(json: string, folder: () => Promise<string>, platform = process.platform) {
    this.#json = json;
    this.#folder = folder;
    this.#isLong =
      platform === "win32"
        ? json.length > hookArgumentCharsWindowsMax
        : Buffer.byteLength(json) > hookArgumentBytesMax;
  }

  get length(): number {
    return this.#json.length;
  }

  /** @param isSafe false for what cannot be given JSON on its command line */
  async argument(isSafe: boolean): Promise<string> {
    if (isSafe && !this.#isLong) return this.#json;
    this.#file ??= this.#makeFile();
    return `@${(await this.#file).path}`;
  }

  async #makeFile(): Promise<PrivateFile> {
    const folder = await this.#folder();
    return makePrivateFile(folder, this.#json, { extension: ".json", mode: 0o600 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const file = await this.#file?.catch(() => undefined);
    await file?.[Symbol.asyncDispose]();
  }
}
