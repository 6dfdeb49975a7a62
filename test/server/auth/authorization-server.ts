import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from "jose";

/** How the server answers when it is asked for its keys. */
export type KeysBehaviour =
  | { readonly kind: "keys" }
  | { readonly kind: "answer"; readonly respond: () => Response }
  /** Takes the request and says nothing. */
  | { readonly kind: "silent" };

export interface SignOptions {
  readonly key?: SigningKey;
  /** Beside `alg` and `kid`. */
  readonly header?: Readonly<Record<string, unknown>>;
}

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export async function createSigningKey(kid: string, alg = "ES256"): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg } };
}

/** An authorization server with real keys on a real port, which does as the test says. */
export class AuthorizationServer implements AsyncDisposable {
  static async start(): Promise<AuthorizationServer> {
    return new AuthorizationServer(await createSigningKey("first"));
  }

  behaviour: KeysBehaviour = { kind: "keys" };
  /** How often the keys were asked for. */
  requests = 0;
  readonly issuer: string;
  readonly keySetUrl: URL;
  readonly #server: Bun.Server<undefined>;

  /** @param key the key in use, also when `published` lists others */
  private constructor(
    public key: SigningKey,
    public published: readonly JWK[] = [key.publicJwk],
  ) {
    this.#server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => this.#answer() });
    this.issuer = this.#server.url.origin;
    this.keySetUrl = new URL("/keys", this.#server.url);
  }

  #answer(): Response | Promise<Response> {
    this.requests += 1;
    switch (this.behaviour.kind) {
      case "keys":
        return Response.json({ keys: this.published });
      case "answer":
        return this.behaviour.respond();
      case "silent":
        return new Promise<Response>(() => {});
    }
  }

  /** A new key; `keep`: the old one stays among the published. */
  async rotate(kid: string, keep = false): Promise<void> {
    this.key = await createSigningKey(kid);
    this.published = [...(keep ? this.published : []), this.key.publicJwk];
  }

  /** Claims of a good token: valid for ten minutes at `nowMs`. */
  claims(audience: string, nowMs: number): JWTPayload {
    const iat = Math.floor(nowMs / 1000);
    return { iss: this.issuer, aud: audience, sub: "alice", iat, exp: iat + 600 };
  }

  async sign(claims: JWTPayload, { key = this.key, header }: SignOptions = {}): Promise<string> {
    return (
      new SignJWT(claims)
        .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
        // What the server calls critical is for the other side to understand.
        .sign(key.privateKey, { crit: { x: true } })
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}
