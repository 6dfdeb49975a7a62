import { readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  EngineAnswer,
  EngineId,
  EngineMemory,
  EngineQuery,
  EngineResponse,
  EngineSettings,
} from "../../../../src/web/search/engine.ts";
import { engineOf } from "../../../../src/web/search/engines/engines.ts";

const root = join(import.meta.dir, "../../../fixtures/search");

/** A page of the project's own, `<engine>/<name>`; `any/…` are what any site may answer. */
export function fixture(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Memory whose contents can be looked at. */
export function createTestMemory(kept: Record<string, string> = {}): EngineMemory & {
  readonly kept: Readonly<Record<string, string>>;
} {
  return {
    kept,
    get: (name) => kept[name],
    set: (name, value) => {
      kept[name] = value;
    },
    delete: (name) => {
      Reflect.deleteProperty(kept, name);
    },
  };
}

export function queryOf(
  text: string,
  settings: Partial<EngineSettings> = {},
  memory: EngineMemory = createTestMemory(),
): EngineQuery {
  return {
    text,
    settings: {
      language: "en",
      region: undefined,
      marginaliaKey: undefined,
      searxngUrl: undefined,
      ...settings,
    },
    memory,
  };
}

/** What an engine makes of a text that came with 200, unless `response` says otherwise. */
export function readText(
  id: EngineId,
  text: string,
  response: Partial<EngineResponse> = {},
): Promise<EngineAnswer> {
  const whole = { status: 200, url: "", headers: {}, text, ...response };
  return engineOf(id).read(whole, queryOf("tide pools"));
}
