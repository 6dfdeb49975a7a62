import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

import { AppError, messageOf } from "../../base/errors.ts";
import type { ExpansionContext } from "../config/expansion-context.ts";
import { NeedsConfig } from "../config/needs-config.ts";
import type { TextExpander } from "../config/text-expander.ts";
import type { OauthOptions } from "../server-entry.ts";
import { type ClientKey, readClientKey } from "./client-key.ts";
import type { KeyOptions } from "./service-options.ts";

/** Who asks for tokens where no person logs in, with its proof. */
export interface ServiceClient {
  readonly clientId: string;
  readonly proof: { readonly secret: string } | { readonly key: ClientKey };
  /** What must not be seen in any text. */
  readonly secrets: readonly string[];
}

/**
 * The client of an entry that logs in by itself, filled in.
 * @throws NeedsConfig when its secret or its key is not there or cannot be used
 */
export async function expandServiceClient(
  { clientId = "", clientSecret = "", service }: OauthOptions,
  expander: TextExpander,
  context: Pick<ExpansionContext, "homeDir">,
): Promise<ServiceClient> {
  const key = service?.key;
  if (key === undefined) {
    const secret = await expander.expand(clientSecret);
    if (secret === "") throw new NeedsConfig("client_secret", "Its client_secret is empty.");
    return { clientId, proof: { secret }, secrets: [secret] };
  }
  const pem = await pemOf(key, expander, context);
  try {
    const read = readClientKey(pem, key.algorithm, key.id);
    return { clientId, proof: { key: read }, secrets: [pem.trim()] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new NeedsConfig("private_key", error.message);
  }
}

/** @throws NeedsConfig */
async function pemOf(
  { text, file = "" }: KeyOptions,
  expander: TextExpander,
  { homeDir }: Pick<ExpansionContext, "homeDir">,
): Promise<string> {
  if (text !== undefined) return expander.expand(text);
  const written = await expander.expand(file);
  const path = /^~[/\\]/.test(written) ? join(homeDir, written.slice(1)) : written;
  const fault = (text: string): NeedsConfig =>
    new NeedsConfig("private_key_file", `The private key ${text}`);
  if (!isAbsolute(path))
    throw fault(`needs its whole path, or one that begins with ~/: ${written}.`);
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw fault(`cannot be read: ${messageOf(error)}.`);
  }
}
