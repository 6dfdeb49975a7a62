/** A client of the official SDK whose server was started from the copy that is updated, and which calls it all the time. */
import { readlinkSync } from "node:fs";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { testEnvironment } from "../../../test/e2e/harness/server.ts";
import { fields, sampleBmp } from "../../../test/tools/images/sample-images.ts";
import type { InstalledCopy } from "./installed-copy.ts";

const pauseMs = 50;

interface Call {
  readonly name: string;
  readonly args: (count: number) => Record<string, unknown>;
  /** What the answer has to have. */
  readonly has: (count: number) => string;
}

export class RunningClient implements AsyncDisposable {
  /** What went wrong, in words. */
  readonly faults: string[] = [];
  calls = 0;
  readonly #client = new Client({ name: "verify", version: "1" });
  readonly #transport: StdioClientTransport;
  readonly #calls: readonly Call[];
  #program = "";
  #isEnding = false;
  #calling: Promise<void> = Promise.resolve();

  constructor(copy: InstalledCopy) {
    const { home, path } = copy;
    const env = testEnvironment(home.path);
    this.#transport = new StdioClientTransport({
      command: path,
      env,
      cwd: home.path,
      stderr: "pipe",
    });
    const picture = home.write("picture.bmp", "");
    void Bun.write(picture, sampleBmp(fields(6, 4)));
    this.#calls = [
      {
        name: "Bash",
        args: (count) => ({ command: `echo $((${count} + 1))` }),
        has: (count) => `${count + 1}\n`,
      },
      {
        name: "ReadImage",
        args: () => ({ file_path: picture }),
        has: () => "converted to PNG",
      },
      {
        name: "BackgroundBash",
        args: (count) => ({ command: `echo ${count}` }),
        has: () => "in the background as task_id",
      },
    ];
  }

  async start(): Promise<void> {
    await this.#client.connect(this.#transport);
    this.#program = this.#running();
    this.#calling = this.#callOn();
  }

  get version(): string {
    return this.#client.getServerVersion()?.version ?? "none";
  }

  /** Ends the calls, and looks whether the process is the one that it was. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    await this.#calling;
    const before = this.#program.split(" ")[0];
    const after = this.#running().split(" ")[0];
    if (before !== after) this.faults.push(`process ${before} is ${after} now`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    await this.#client.close();
  }

  async #callOn(): Promise<void> {
    while (!this.#isEnding) {
      const call = this.#calls[this.calls % this.#calls.length];
      if (call !== undefined) await this.#check(call);
      this.calls += 1;
      await Bun.sleep(pauseMs);
    }
  }

  async #check({ name, args, has }: Call): Promise<void> {
    const count = this.calls;
    try {
      const result = await this.#client.callTool({ name, arguments: args(count) });
      const text = JSON.stringify(result.content);
      const wanted = JSON.stringify(has(count)).slice(1, -1);
      if (!text.includes(wanted)) this.faults.push(`${name} answered ${text.slice(0, 200)}`);
    } catch (error) {
      this.faults.push(`${name}: ${String(error)}`);
    }
  }

  /** Its id and its executable. */
  #running(): string {
    const { pid } = this.#transport;
    return pid === null ? "none" : `${pid} ${readlinkSync(`/proc/${pid}/exe`)}`;
  }
}
