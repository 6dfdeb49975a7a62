import { join } from "node:path";

import { policyProjectsMax } from "../../../base/limits.ts";
import { findProjectDir } from "../../../config/places.ts";
import { merged, policyFileName, PolicyFiles, type PolicyPlace } from "./policy-files.ts";
import type { Policy } from "./rule.ts";

/** The rules of the projects that clients work in, besides those of the project that the server was started in. */
export class ProjectPolicies {
  readonly #homeDir: string;
  readonly #others: readonly PolicyPlace[];
  readonly #warn: (message: string) => void;
  readonly #byFolder = new Map<string, PolicyFiles>();

  /** @param others that count already */
  constructor(homeDir: string, others: readonly PolicyPlace[], warn: (message: string) => void) {
    this.#homeDir = homeDir;
    this.#others = others;
    this.#warn = warn;
  }

  /** The rules of the project that this folder is in, without those that count already. */
  at(folder: string): Policy {
    const known = this.#byFolder.get(folder) ?? new PolicyFiles(this.#placesOf(folder), this.#warn);
    // The last one that was asked for goes last.
    this.#byFolder.delete(folder);
    this.#byFolder.set(folder, known);
    const [oldest] = this.#byFolder.keys();
    if (this.#byFolder.size > policyProjectsMax && oldest !== undefined)
      this.#byFolder.delete(oldest);
    return known.current();
  }

  #placesOf(folder: string): readonly PolicyPlace[] {
    const project = findProjectDir(folder, this.#homeDir);
    if (project === undefined) return [];
    const path = join(project, ".scorpiox", policyFileName);
    return this.#others.some((other) => other.path === path) ? [] : [{ path, level: "project" }];
  }
}

/** Both together; most projects have no rules. */
export function withProject(policy: Policy, project: Policy): Policy {
  const { rules, defaults, problems } = project;
  return rules.length + defaults.length + problems.length === 0
    ? policy
    : merged([policy, project]);
}
