import type { AttachServer } from "../interact/attach/attach-server.ts";
import { runFolderIn } from "../interact/attach/run-folder.ts";
import { TerminalQuestions, type Terminals } from "../interact/questions/terminals.ts";
import type { Supervisor } from "../commands/background/supervisor.ts";
import { messageOf } from "../base/errors.ts";
import { product } from "../base/product.ts";
import type { EventStream } from "../base/server-events.ts";
import type { CallingClients } from "../calls/gate/calling-clients.ts";
import type { KeptCommands } from "../calls/router/kept-commands.ts";
import type { StateServices } from "../calls/state-calls.ts";
import type { HubLook } from "./hub-look.ts";
import type { ApplicationOptions } from "./program-parts.ts";

/** Characters of the instance id that name a server: two servers with the same do not happen. */
const serverIdChars = 12;

export interface AttachParts extends Pick<ApplicationOptions, "start" | "warn" | "transport"> {
  readonly instanceId: string;
  readonly events: EventStream;
  readonly supervisor: Supervisor;
  readonly kept: KeptCommands;
  readonly running: CallingClients;
}

type LookedAt = Pick<StateServices, "tasks" | "plan" | "callbacks">;

/** Lets terminals of this user look into the server, answer questions and end tasks. */
export class Attach implements AsyncDisposable {
  readonly #parts: AttachParts;
  readonly #services: () => LookedAt;
  readonly #questions = new TerminalQuestions();
  readonly #startedAt = Date.now();
  #opening: Promise<AttachServer | undefined> | undefined;
  #hub: HubLook | undefined;

  /** @param services not asked for before there is a terminal: some of them need `terminals` to be made */
  constructor(parts: AttachParts, services: () => LookedAt) {
    this.#parts = parts;
    this.#services = services;
  }

  /** Where questions are shown. */
  get terminals(): Terminals {
    return this.#questions;
  }

  /** Listens from now on; not earlier, since a start has better things to do. */
  warm(): void {
    this.#opening ??= this.#open();
  }

  endClient(clientId: string): void {
    this.#parts.running.forget(clientId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#questions.withdrawAll();
    const server = await this.#opening;
    this.#hub?.[Symbol.dispose]();
    // A socket that cannot be removed is recognised as dead by the next process that tries it.
    await server?.[Symbol.asyncDispose]().catch(() => {});
  }

  async #open(): Promise<AttachServer | undefined> {
    const { start, warn, instanceId, supervisor, kept, events, transport, running } = this.#parts;
    const serverId = instanceId.slice(0, serverIdChars);
    const runFolder = runFolderIn(start.dirs.scorpioxDir);
    try {
      const [
        { AttachServer },
        { AttachVisitors },
        { createAttachSources },
        { HubLook },
        { removeDeadServers },
      ] = await Promise.all([
        import("../interact/attach/attach-server.ts"),
        import("./attach-visitors.ts"),
        import("./attach-sources.ts"),
        import("./hub-look.ts"),
        import("../interact/attach/run-folder.ts"),
      ]);
      const hub = new HubLook(start);
      this.#hub = hub;
      const sources = createAttachSources({
        facts: {
          serverId,
          pid: process.pid,
          version: product.version,
          transport: transport ?? "",
          startedAt: this.#startedAt,
        },
        clients: running,
        supervisor,
        kept,
        services: this.#services(),
        events,
        hub: () => hub.status(),
      });
      const { isOwnUser, whyNoAnswers } = new AttachVisitors(warn);
      const server = await AttachServer.open({
        runFolder,
        sources,
        questions: this.#questions,
        isOwnUser,
        whyNoAnswers,
        warn,
      });
      void removeDeadServers(runFolder, serverId).catch(() => {});
      return server;
    } catch (error) {
      warn(`scorpiox-code attach will not find this server: ${messageOf(error)}`);
      return undefined;
    }
  }
}
