import { isAbsolute, join } from "node:path";

import { AppError } from "../../base/errors.ts";
import { readTextFile } from "../../config/read-text-file.ts";
import type { ExpansionContext } from "./expansion-context.ts";
import { NeedsConfig } from "./needs-config.ts";
import type { TextExpander } from "./text-expander.ts";
import type { OauthOptions } from "./server-entry.ts";
import { type ClientKey, readClientKey } from "./client-key.ts";
import type { IdpOptions, KeyOptions, WrittenSecret } from "./service-options.ts";

/** Who asks for tokens where no person logs in, filled in. */
export interface ServiceClient {
  readonly clientId: string;
  /** `none`: what it trades is enough. */
  readonly proof: { readonly secret: string } | { readonly key: ClientKey } | "none";
  /** What it trades for a token; absent: it asks for itself. */
  readonly trades?: { readonly idp: IdpOptions } | { readonly assertion: string };
  /** What must not be seen in any text. */
  readonly secrets: readonly string[];
}

/**
 * The client of an entry that logs in by itself, filled in.
 * @throws NeedsConfig when its secret, its key or what it trades is not there or cannot be used
 */
export async function expandServiceClient(
  { clientId = "", clientSecret, service }: OauthOptions,
  expander: TextExpander,
  { homeDir }: Pick<ExpansionContext, "homeDir">,
): Promise<ServiceClient> {
  const { key, idp, workload } = service ?? {};
  const secrets: string[] = [];
  const take = async (name: string, from: WrittenSecret): Promise<string> => {
    const value = (await secretOf(name, from, expander, homeDir)).trim();
    if (value === "") throw new NeedsConfig(name, `Its ${name} is empty.`);
    secrets.push(value);
    return value;
  };
  const proof = await proofOf(key, clientSecret, take);
  if (idp !== undefined) {
    const { clientSecret: text } = idp;
    const filled: IdpOptions = {
      issuer: idp.issuer,
      clientId: idp.clientId,
      idToken: await take("id_token", { text: idp.idToken }),
      ...(text === undefined ? {} : { clientSecret: await take("idp_client_secret", { text }) }),
    };
    return { clientId, proof, trades: { idp: filled }, secrets };
  }
  if (workload === undefined) return { clientId, proof, secrets };
  const assertion = await take("workload_token", workload);
  return { clientId, proof, trades: { assertion }, secrets };
}

async function proofOf(
  key: KeyOptions | undefined,
  clientSecret: string | undefined,
  take: (name: string, from: WrittenSecret) => Promise<string>,
): Promise<ServiceClient["proof"]> {
  if (key === undefined) {
    if (clientSecret === undefined) return "none";
    return { secret: await take("client_secret", { text: clientSecret }) };
  }
  const pem = await take("private_key", key);
  try {
    return { key: readClientKey(pem, key.algorithm, key.id) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new NeedsConfig("private_key", error.message);
  }
}

/** @throws NeedsConfig */
async function secretOf(
  name: string,
  { text, file: named = "" }: WrittenSecret,
  expander: TextExpander,
  homeDir: string,
): Promise<string> {
  if (text !== undefined) return expander.expand(text);
  const written = await expander.expand(named);
  const path = /^~[/\\]/.test(written) ? join(homeDir, written.slice(1)) : written;
  const key = `${name}_file`;
  if (!isAbsolute(path)) {
    throw new NeedsConfig(
      key,
      `${key} needs a whole path, or one that begins with ~/: ${written}.`,
    );
  }
  const file = readTextFile(path);
  if (file.kind === "text") return file.text;
  const why = file.kind === "absent" ? "is not there" : file.reason;
  throw new NeedsConfig(key, `The file of its ${key}, ${path}, ${why}.`);
}
