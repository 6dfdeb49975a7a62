import type { OptionReader } from "./option-reader.ts";
import {
  EntryFault,
  type OauthOptions,
  type IdpOptions,
  keyAlgorithms,
  type KeyOptions,
  type PerUserOptions,
  type ServiceGrant,
  serviceGrants,
  type ServiceOptions,
  tradeGrants,
  type TradeOptions,
  type WrittenSecret,
} from "./server-entry.ts";

/**
 * Reads the table `oauth` of an entry. Clients write these names in snake case or in camel case.
 * @throws EntryFault for a login without a person, or of each principal, that lacks a required key
 */
export function readOauth(reader: OptionReader): OauthOptions {
  const clientId = text(reader, "client_id", "clientId");
  const clientSecret = text(reader, "client_secret", "clientSecret");
  const scopes = reader.list("scopes");
  const issuer = text(reader, "issuer");
  const ports = [1, 65_535] as const;
  const redirectPort =
    reader.integer("redirect_port", ports, undefined) ??
    reader.integer("callbackPort", ports, undefined);
  const options: OauthOptions = {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(scopes !== undefined && { scopes }),
    ...(redirectPort !== undefined && { redirectPort }),
    ...(issuer !== undefined && { issuer }),
  };
  if (reader.right("per_user", [true, false], false)) {
    return { ...options, perUser: readPerUser(reader, options) };
  }
  const grants = ["authorization_code", "token-exchange", ...serviceGrants] as const;
  const grant = reader.right("grant", grants, undefined);
  if (grant === undefined || grant === "authorization_code") return options;
  if (grant === "token-exchange") throw lacks(grant, "per_user = true");
  return { ...options, service: readService(reader, grant, options) };
}

/** @throws EntryFault */
function readPerUser(reader: OptionReader, options: OauthOptions): PerUserOptions {
  const grants = ["authorization_code", ...tradeGrants] as const;
  const grant = reader.right("grant", grants, "authorization_code");
  const confirm = reader.right("confirm", ["click", "token"], "click");
  if (grant === "authorization_code") return { confirm };
  return { confirm, trade: readTrade(reader, grant, options) };
}

/**
 * Reads how the token of a principal is traded. It goes to a party that the user names, and to no other: a holder
 * can come to this server with it.
 * @throws EntryFault
 */
function readTrade(
  reader: OptionReader,
  grant: TradeOptions["grant"],
  { clientId, clientSecret, issuer }: OauthOptions,
): TradeOptions {
  if (clientId === undefined) throw lacks(grant, "client_id");
  if (issuer === undefined) throw lacks(grant, "issuer");
  const key = readKey(reader);
  const proofs = [clientSecret, key?.text, key?.file].filter((proof) => proof !== undefined);
  if (proofs.length !== 1) {
    throw lacks(grant, "one of client_secret, private_key and private_key_file");
  }
  const trade = { grant, ...(key !== undefined && { key }) };
  if (grant !== "enterprise") return trade;
  const idp = readIdpClient(reader);
  if (idp === undefined) throw lacks(grant, "idp_issuer and idp_client_id");
  return { ...trade, idp };
}

/** @throws EntryFault */
function readService(
  reader: OptionReader,
  grant: ServiceGrant,
  { clientId, clientSecret }: OauthOptions,
): ServiceOptions {
  if (clientId === undefined) throw lacks(grant, "client_id");
  const key = readKey(reader);
  const proofs = [clientSecret, key?.text, key?.file].filter((proof) => proof !== undefined);
  // A program that its platform vouches for needs no proof of its own.
  if (proofs.length > 1 || (proofs.length === 0 && grant !== "workload")) {
    throw lacks(grant, "one of client_secret, private_key and private_key_file");
  }
  return { grant, ...(key !== undefined && { key }), ...readVoucher(reader, grant) };
}

/**
 * The identity provider or the platform's token, for grants that need one.
 * @throws EntryFault
 */
function readVoucher(
  reader: OptionReader,
  grant: ServiceGrant,
): Pick<ServiceOptions, "idp" | "workload"> {
  switch (grant) {
    case "client_credentials":
      return {};
    case "enterprise": {
      const idp = readIdp(reader);
      if (idp === undefined) throw lacks(grant, "idp_issuer, idp_client_id and id_token");
      return { idp };
    }
    case "workload": {
      const workload = written(reader, "workload_token");
      if (workload === undefined) throw lacks(grant, "workload_token or workload_token_file");
      return { workload };
    }
  }
}

function lacks(grant: ServiceGrant | TradeOptions["grant"], what: string): EntryFault {
  return new EntryFault(`has oauth.grant ${grant}, which needs ${what}`);
}

function readKey(reader: OptionReader): KeyOptions | undefined {
  const key = written(reader, "private_key");
  if (key === undefined) return undefined;
  const algorithm = reader.right("algorithm", keyAlgorithms, undefined);
  const id = text(reader, "kid");
  return {
    ...key,
    ...(algorithm !== undefined && { algorithm }),
    ...(id !== undefined && { id }),
  };
}

/** Undefined when a required key is missing. */
function readIdp(reader: OptionReader): IdpOptions | undefined {
  const client = readIdpClient(reader);
  const idToken = text(reader, "id_token");
  return client === undefined || idToken === undefined ? undefined : { ...client, idToken };
}

/** Undefined when a required key is missing. */
function readIdpClient(reader: OptionReader): Omit<IdpOptions, "idToken"> | undefined {
  const issuer = text(reader, "idp_issuer");
  const clientId = text(reader, "idp_client_id");
  const clientSecret = text(reader, "idp_client_secret");
  if (issuer === undefined || clientId === undefined) return undefined;
  return { issuer, clientId, ...(clientSecret !== undefined && { clientSecret }) };
}

/** A secret written in the entry, or in a file that the entry names. */
function written(reader: OptionReader, key: string): WrittenSecret | undefined {
  const inEntry = text(reader, key);
  const file = text(reader, `${key}_file`);
  if (inEntry === undefined && file === undefined) return undefined;
  return { ...(inEntry !== undefined && { text: inEntry }), ...(file !== undefined && { file }) };
}

/** The first of `keys` that is present, if it is a non-empty string. */
function text({ entry }: OptionReader, ...keys: readonly string[]): string | undefined {
  const value = keys.map((key) => entry[key]).find((found) => found !== undefined);
  return typeof value === "string" && value !== "" ? value : undefined;
}
