import { messageOf } from "../base/errors.ts";
import { questionTextCharsMax } from "../base/limits.ts";
import { product } from "../base/product.ts";
import type { Environment } from "../base/values.ts";
import type { CallRequest } from "../calls/call.ts";
import type { StateServices } from "../calls/state-calls.ts";
import type { StartUp } from "../cli/start-up.ts";
import type { QuestionsReply, QuestionsRequest } from "../tools/state-services.ts";
import type { ConfiguredServer } from "../upstream/config/server-entry.ts";
import type { UpstreamSnapshot } from "../upstream/snapshot.ts";

export interface ServerConsentParts {
  /** In the project that counts now. */
  readonly start: () => StartUp;
  readonly env: Environment;
  readonly questions: () => Promise<StateServices["questions"]>;
  readonly warn: (message: string) => void;
}

/** A question to the user about one server. */
interface Asked {
  readonly server: ConfiguredServer;
  readonly request: QuestionsRequest;
}

const labels = { approve: "Approve", deny: "Deny", later: "Not now" } as const;
const markPrefix = "server-consent:";

/**
 * Asks the user whether servers that the project names may be started (CN9): once for each server, when a client first
 * looks for tools of upstream servers. No list and no other call waits for the answer.
 */
export class UpstreamConsent {
  readonly #parts: ServerConsentParts;
  readonly #asked = new Map<string, Asked | undefined>();

  constructor(parts: ServerConsentParts) {
    this.#parts = parts;
  }

  /** The project is another one: its servers have not been asked about. */
  onMoved(): void {
    this.#asked.clear();
  }

  /** Undefined: nothing to wait for. @throws InputNeeded to be let through, for clients that are asked in rounds */
  check(call: CallRequest, snapshot: UpstreamSnapshot | undefined): Promise<void> | undefined {
    // A remote user does not decide which programs start on this machine.
    if (call.client.isRemote === true) return undefined;
    // A command has no client to ask, and is done before anybody answers: it names `mcp approve`.
    if (call.ask === undefined) return undefined;
    const earlier = call.ask?.marksWith?.(markPrefix) ?? [];
    const waiting = (snapshot?.servers ?? [])
      .filter(({ name, state }) => state === "untrusted" && !this.#asked.has(name))
      .map(({ name }) => name);
    const names = [...earlier, ...waiting];
    if (names.length === 0) return undefined;
    for (const name of waiting) this.#asked.set(name, undefined);
    const asking = this.#askAll(call, names, new Set(earlier));
    if (call.ask?.endsCall === true && call.ask.can("form")) return asking;
    asking.catch((error: unknown) =>
      this.#parts.warn(`A server could not be asked about: ${messageOf(error)}`),
    );
    return undefined;
  }

  /** Asks about the servers of earlier rounds first: the same questions in the same order, which have their answers. */
  async #askAll(
    call: CallRequest,
    names: readonly string[],
    earlier: ReadonlySet<string>,
  ): Promise<void> {
    for (const name of names) {
      const asked = this.#asked.get(name) ?? (await this.#prepare(name));
      if (asked === undefined) continue;
      this.#asked.set(name, asked);
      const isRound = call.ask?.endsCall === true && call.ask.can("form");
      if (isRound && !earlier.has(name)) call.ask.mark?.(markPrefix + name);
      const questions = await this.#parts.questions();
      const asking = { call, answerAt: undefined, hasActed: !isRound };
      await this.#record(asked.server, await questions.ask(asked.request, asking));
    }
  }

  /** Undefined for one that needs no answer by now. */
  async #prepare(name: string): Promise<Asked | undefined> {
    const { env } = this.#parts;
    const start = this.#parts.start();
    const [
      { loadUpstreamConfig },
      { configPartsOf },
      { trustOf },
      { launchLines, placeText },
      { shownLines },
    ] = await Promise.all([
      import("../upstream/config/load-upstream-config.ts"),
      import("../upstream/config/upstream-start.ts"),
      import("../cli/configured-servers.ts"),
      import("../upstream/trust/launch-approval.ts"),
      import("../calls/policy/consent/shown-text.ts"),
    ]);
    const server = loadUpstreamConfig(configPartsOf(start, env)).servers.get(name);
    if (server === undefined || (await trustOf(server, start)) !== "pending") return undefined;
    const lines = [
      `This project names an MCP server, ${name}, which is not started before you approve it. Let it run?`,
      "",
      `Project: ${placeText(start.dirs.projectDir)}`,
      "To be started:",
      ...shownLines(launchLines(server).join("\n"), Number.POSITIVE_INFINITY),
    ];
    const text = lines.join("\n");
    if (text.length > questionTextCharsMax) return this.#refuseToAsk(name);
    const options = Object.values(labels).map((label) => ({ label, description: null }));
    const question = {
      question: text,
      header: null,
      options,
      multiSelect: false,
      preselected: labels.deny,
    };
    return { server, request: { purpose: "consent", questions: [question] } };
  }

  /** A client may cut a long question, and the rest would be approved unseen. */
  #refuseToAsk(name: string): undefined {
    this.#parts.warn(
      `The server ${name} of the project waits for your approval, and its launch is too long for a question. See all of it and approve it: ${product.name} mcp approve ${name}`,
    );
  }

  /** Only these words are an answer; a user who gives none is asked by `mcp approve`. */
  async #record(server: ConfiguredServer, reply: QuestionsReply): Promise<void> {
    const { scorpioxDir, projectDir } = this.#parts.start().dirs;
    const [answer] = reply.outcome === "answered" ? reply.answers : [];
    if (answer === undefined || answer.other !== null || answer.labels.length !== 1) return;
    if (projectDir === undefined) return;
    const [{ TrustStore }, { approveLaunchOf }] = await Promise.all([
      import("../upstream/trust/trust-store.ts"),
      import("../upstream/trust/launch-approval.ts"),
    ]);
    const store = new TrustStore(scorpioxDir);
    if (answer.labels[0] === labels.approve) {
      await approveLaunchOf(server, projectDir, store);
    }
    if (answer.labels[0] === labels.deny) await store.denyLaunch(server.identity, projectDir);
  }
}
