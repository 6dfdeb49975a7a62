import { keyAlgorithms, type KeyOptions, type ServiceOptions } from "../oauth/service-options.ts";
import type { OauthOptions } from "../server-entry.ts";
import { EntryFault } from "./entry-fault.ts";
import type { OptionReader } from "./option-reader.ts";

/**
 * The table `oauth` of an entry. Clients write these names in one way or the other.
 * @throws EntryFault for a login without a person that lacks what it needs
 */
export function readOauth(reader: OptionReader): OauthOptions {
  const clientId = text(reader, "client_id", "clientId");
  const clientSecret = text(reader, "client_secret", "clientSecret");
  const scopes = reader.list("scopes");
  const ports = { min: 1, max: 65_535 };
  const redirectPort =
    reader.integer("redirect_port", ports, undefined) ??
    reader.integer("callbackPort", ports, undefined);
  const options: OauthOptions = {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(scopes !== undefined && { scopes }),
    ...(redirectPort !== undefined && { redirectPort }),
  };
  const grant = reader.right("grant", ["authorization_code", "client_credentials"], undefined);
  if (grant !== "client_credentials") return options;
  return { ...options, service: readService(reader, options) };
}

/** @throws EntryFault */
function readService(
  reader: OptionReader,
  { clientId, clientSecret }: OauthOptions,
): ServiceOptions {
  const issuer = text(reader, "issuer");
  const key = readKey(reader);
  const proofs = [clientSecret, key?.text, key?.file].filter((proof) => proof !== undefined);
  if (clientId === undefined || proofs.length !== 1) {
    throw new EntryFault(
      "has oauth.grant client_credentials, which needs client_id and one of client_secret, private_key and private_key_file",
    );
  }
  return {
    grant: "client_credentials",
    ...(issuer !== undefined && { issuer }),
    ...(key !== undefined && { key }),
  };
}

function readKey(reader: OptionReader): KeyOptions | undefined {
  const written = text(reader, "private_key");
  const file = text(reader, "private_key_file");
  if (written === undefined && file === undefined) return undefined;
  const algorithm = reader.right("algorithm", keyAlgorithms, undefined);
  const id = text(reader, "kid");
  return {
    ...(written !== undefined && { text: written }),
    ...(file !== undefined && { file }),
    ...(algorithm !== undefined && { algorithm }),
    ...(id !== undefined && { id }),
  };
}

/** The first of `keys` that is there, where it is a text and not empty. */
function text({ entry }: OptionReader, ...keys: readonly string[]): string | undefined {
  const value = keys.map((key) => entry[key]).find((found) => found !== undefined);
  return typeof value === "string" && value !== "" ? value : undefined;
}
