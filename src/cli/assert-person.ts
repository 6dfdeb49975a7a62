import { AppError } from "../base/errors.ts";
import { product } from "../base/product.ts";
import type { CommandIo } from "./command-io.ts";

/**
 * For commands that decide what servers may do: what a server runs may not decide that for itself.
 * @throws AppError `refused` when a server of ours has started this
 */
export async function assertPerson(commandName: string, io: CommandIo): Promise<void> {
  const sign = await io.startedByServer?.();
  if (sign === undefined) return;
  throw new AppError(
    "refused",
    `${commandName} was not run: it decides what ${product.name} may do, and a server of ${product.name} has started this (${sign}). A person has to run it in a terminal of their own.`,
  );
}
