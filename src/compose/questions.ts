import { messageOf } from "../base/errors.ts";
import { Lazy } from "../base/lazy.ts";
import type { StateServices } from "../calls/state-calls.ts";
import type { Supervisor } from "../commands/background/supervisor.ts";
import type { Orphanage } from "../commands/process/orphanage.ts";
import type { Questions } from "../interact/questions/questions.ts";
import type { Terminals } from "../interact/questions/terminals.ts";
import type { ApplicationOptions } from "./program-parts.ts";

export interface LazyQuestionsParts extends Pick<ApplicationOptions, "start" | "env" | "warn"> {
  readonly orphanage: Orphanage;
  readonly supervisor: Pick<Supervisor, "collectAdopted">;
  readonly terminals: Terminals;
}

/** Questions to the user; loaded with the first one. */
export class LazyQuestions implements Disposable {
  readonly #parts: LazyQuestionsParts;
  readonly #questions: Lazy<Questions> = new Lazy(() => this.#make());

  constructor(parts: LazyQuestionsParts) {
    this.#parts = parts;
  }

  readonly ask: StateServices["questions"]["ask"] = async (request, asking) => {
    const questions = await this.#questions.get();
    this.#questions.assertOpen();
    return questions.ask(request, asking);
  };

  /** The client is gone: its questions are taken back. */
  endClient(clientId: string): void {
    this.#questions.made?.endClient(clientId);
  }

  [Symbol.dispose](): void {
    this.#questions.close();
    this.#questions.made?.[Symbol.dispose]();
  }

  async #make(): Promise<Questions> {
    const [{ Questions: Made }, { PageRung }, { terminalRung }, { createPageBrowser }] =
      await Promise.all([
        import("../interact/questions/questions.ts"),
        import("../interact/questions/page/page-rung.ts"),
        import("../interact/questions/terminals.ts"),
        import("./open-pages.ts"),
      ]);
    const { start, env, warn, orphanage, supervisor, terminals } = this.#parts;
    const browser = createPageBrowser({
      setting: start.config.settings.askBrowser,
      env,
      homeDir: start.dirs.homeDir,
      platform: process.platform,
      orphanage,
      onOpened: () => supervisor.collectAdopted(),
    });
    const terminal = terminalRung(terminals);
    const page = new PageRung(browser);
    return new Made({
      // A page that opens by itself to have something allowed would teach people to allow.
      localRungs: (purpose) => (purpose === "question" ? [terminal, page] : [terminal]),
      onFailure: (error) => warn(`A question could not be shown: ${messageOf(error)}`),
    });
  }
}
