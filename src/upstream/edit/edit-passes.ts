import { AppError } from "../../base/errors.ts";

/** Parts of one entry that are taken out one after the other, each with a look at the whole text: people write some. */
export const editPassesMax = 200;

/** So many parts, each with a look at the whole text, would take for ever. */
export function tooOften(name: string): AppError {
  return new AppError("config", `has ${name} in more than ${editPassesMax} places`);
}
