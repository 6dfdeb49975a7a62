import { skillFrontMatterDepthMax, skillFrontMatterValuesMax } from "../../base/limits.ts";
import type { FrontMatterValue } from "./skill.ts";

/** A copy of a parser's value as plain data; undefined when it is too large, too deep or cyclic. */
export function boundedValue(value: unknown): FrontMatterValue | undefined {
  const copier = new Copier();
  const copy = copier.copy(value, 0);
  return copier.isTooMuch ? undefined : copy;
}

class Copier {
  #left = skillFrontMatterValuesMax;
  #isTooDeep = false;

  get isTooMuch(): boolean {
    return this.#left < 0 || this.#isTooDeep;
  }

  /** Shared parts are counted each time that they are met, so a text of few lines stays few values. */
  copy(value: unknown, depth: number): FrontMatterValue {
    this.#left -= 1;
    if (depth > skillFrontMatterDepthMax) this.#isTooDeep = true;
    if (this.isTooMuch) return null;
    if (Array.isArray(value)) {
      return (value as readonly unknown[]).map((inner) => this.copy(inner, depth + 1));
    }
    if (typeof value === "object" && value !== null) return this.#copyObject(value, depth);
    if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
    if (typeof value === "boolean") return value;
    return typeof value === "string" ? value.toWellFormed() : null;
  }

  #copyObject(value: object, depth: number): FrontMatterValue {
    const copy: Record<string, FrontMatterValue> = Object.create(null) as Record<
      string,
      FrontMatterValue
    >;
    for (const [key, inner] of Object.entries(value)) {
      if (this.isTooMuch) break;
      copy[key.toWellFormed()] = this.copy(inner, depth + 1);
    }
    return copy;
  }
}
