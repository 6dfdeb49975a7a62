import { Lazy } from "../../base/lazy.ts";
import type { HttpEndpointParts } from "../../server/http/http-endpoint.ts";
import { loginPagesPath } from "../../upstream/login-page.ts";
import type { Upstreams } from "../../upstream/upstreams.ts";
import type { LoginPagesParts } from "./login-pages.ts";

interface LazyLoginPagesParts extends Omit<LoginPagesParts, "answer"> {
  readonly upstreams: Pick<Upstreams, "control"> & { readonly isWanted: boolean };
}

/** The pages on which users log in to upstream servers: loaded with the first request for one. */
export function lazyLoginPages({
  upstreams,
  ...parts
}: LazyLoginPagesParts): NonNullable<HttpEndpointParts["pages"]> {
  const pages = new Lazy(async () => {
    const { LoginPages } = await import("./login-pages.ts");
    const answer: LoginPagesParts["answer"] = (request) =>
      upstreams.control({ kind: "login-page", request });
    return new LoginPages({ ...parts, answer });
  });
  return (request, path) =>
    path.startsWith(`${loginPagesPath}/`) && upstreams.isWanted
      ? pages.get().then((made) => made.answer(request, path))
      : undefined;
}
