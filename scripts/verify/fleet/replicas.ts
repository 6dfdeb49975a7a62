import { freePort } from "../../../test/e2e/harness/free-port.ts";
import { HttpServer } from "../../../test/e2e/harness/http-server.ts";
import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import { type Replica, RoundRobin } from "../../../test/support/round-robin.ts";

const fleetKey = Buffer.alloc(32, 7).toString("base64");

/** One compiled server that can be killed and started again at its port, with its home. */
class KillableReplica implements Replica, AsyncDisposable {
  readonly origin: string;
  readonly #port = freePort();
  readonly #home = new TempFolder();
  readonly #sharedUrl: string;
  readonly #tokens: readonly string[];
  #server: HttpServer | undefined;

  constructor(sharedUrl: string, tokens: readonly string[]) {
    this.#sharedUrl = sharedUrl;
    this.#tokens = tokens;
    this.origin = `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#server = await HttpServer.start({
      address: `127.0.0.1:${this.#port}`,
      home: this.#home,
      tokens: this.#tokens,
      env: { SHARED_URL: this.#sharedUrl, FLEET_KEY: fleetKey },
    });
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
  ): Promise<ProxiedFleet> {
    const replicas = Array.from({ length: count }, () => new KillableReplica(sharedUrl, tokens));
    await Promise.all(replicas.map((replica) => replica.start()));
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
