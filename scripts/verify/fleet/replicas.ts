import { freePort } from "../../../test/e2e/harness/free-port.ts";
import { HttpServer } from "../../../test/e2e/harness/http-server.ts";
import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import { type Replica, RoundRobin } from "../../../test/support/round-robin.ts";

const fleetKey = Buffer.alloc(32, 7).toString("base64");

/** More variables of every replica. */
type FleetEnv = Readonly<Record<string, string>>;

/** One compiled server that can be killed and started again at its port, with its home. */
class KillableReplica implements Replica, AsyncDisposable {
  readonly origin: string;
  readonly #port = freePort();
  readonly #home = new TempFolder();
  readonly #sharedUrl: string;
  readonly #tokens: readonly string[];
  readonly #env: FleetEnv;
  #server: HttpServer | undefined;
  isOut = false;

  constructor(sharedUrl: string, tokens: readonly string[], env: FleetEnv) {
    this.#sharedUrl = sharedUrl;
    this.#tokens = tokens;
    this.#env = env;
    this.origin = `http://127.0.0.1:${this.#port}`;
  }

  /** @param binary of another version; the product's unless told otherwise */
  async start(binary?: string): Promise<void> {
    this.#server = await HttpServer.start({
      ...(binary === undefined ? {} : { binary }),
      address: `127.0.0.1:${this.#port}`,
      home: this.#home,
      tokens: this.#tokens,
      env: { SHARED_URL: this.#sharedUrl, FLEET_KEY: fleetKey, ...this.#env },
    });
    this.isOut = false;
  }

  /** As Kubernetes ends a pod: no new requests, then SIGTERM. @returns its exit code */
  async stop(): Promise<number> {
    this.isOut = true;
    // Requests that a balancer has chosen it for are still on their way.
    await Bun.sleep(100);
    const server = this.#server;
    this.#server = undefined;
    server?.signal("SIGTERM");
    const code = (await server?.ended(60_000)) ?? 0;
    await server?.[Symbol.asyncDispose]();
    return code;
  }

  /** As the loss of its machine, but for its files. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.signal("SIGKILL");
    await server?.[Symbol.asyncDispose]();
  }

  get stderr(): string {
    return this.#server?.stderr ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    this.#home[Symbol.dispose]();
  }
}

/** Compiled servers behind a proxy without affinity. */
export class ProxiedFleet implements AsyncDisposable {
  readonly replicas: readonly KillableReplica[];
  readonly proxy: RoundRobin;

  private constructor(replicas: readonly KillableReplica[]) {
    this.replicas = replicas;
    this.proxy = new RoundRobin(replicas);
  }

  /** @param tokens lines of a token file, the same for all */
  static async start(
    sharedUrl: string,
    count: number,
    tokens: readonly string[],
    { env = {}, binary }: { readonly env?: FleetEnv; readonly binary?: string | undefined } = {},
  ): Promise<ProxiedFleet> {
    const replicas = Array.from(
      { length: count },
      () => new KillableReplica(sharedUrl, tokens, env),
    );
    await Promise.all(replicas.map((replica) => replica.start(binary)));
    return new ProxiedFleet(replicas);
  }

  /** Of the MCP endpoint, behind the proxy. */
  get url(): string {
    return `${this.proxy.origin}/mcp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy[Symbol.asyncDispose]();
    await Promise.all(this.replicas.map((replica) => replica[Symbol.asyncDispose]()));
  }
}
