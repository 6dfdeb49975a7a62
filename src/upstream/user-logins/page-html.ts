import { product } from "../../base/product.ts";
import { escapeUnsafe } from "../../base/unsafe-characters.ts";
import { loginPagesPath, ownLoginsPath } from "../login-page.ts";

/** The facts that a person must know before a login begins: who gets the rights, of which server, and where. */
export interface ConfirmParts {
  /** The name of the upstream server, and the host of its address. */
  readonly server: string;
  readonly host: string;
  /** The principal, as people call it. */
  readonly who: string;
  /** The host of this server. */
  readonly here: string;
  /** The secret of the request, and a digest of the browser's. */
  readonly request: string;
  readonly browser: string;
  /** The page asks for the principal's token. */
  readonly wantsToken: boolean;
}

/** The page of a login that has not begun. */
export function confirmPage(parts: ConfirmParts): string {
  const { request, browser, wantsToken } = parts;
  const [server, host, who, here] = [parts.server, parts.host, parts.who, parts.here].map(shown);
  const token = wantsToken
    ? `<label>Your token of ${here}, to show that you are ${who}:<br>` +
      `<input type="password" name="token" autocomplete="off" required></label>`
    : "";
  return page(
    `Log in to ${server}`,
    `<p><b>${who}</b>, a user of ${here}, will use ${server} (${host}) with the account that you log in with next.</p>` +
      `<p>Go on only if <b>you are ${who}</b> and have just asked for this. If somebody has sent you this page, close ` +
      `it: ${who} would act in your account.</p>` +
      `<form method="post" action="${loginPagesPath}/login">` +
      `<input type="hidden" name="request" value="${shown(request)}">` +
      `<input type="hidden" name="browser" value="${shown(browser)}">` +
      `${token}<button>I am ${who}: log in to ${server}</button></form>`,
  );
}

/** One server on the page of a principal's logins. */
export interface OwnLoginRow {
  /** The name of the upstream server, and the host of its address. */
  readonly server: string;
  readonly host: string;
  /** Where a login begins. */
  readonly link: string;
  /** A login: since when, in milliseconds since 1970, and the secret of the button that ends it. */
  readonly login?: { readonly since: number; readonly ending: string };
}

/** The page that asks a person for the token, to show the logins. */
export function askTokenPage(here: string, problem?: string): string {
  const wrong = problem === undefined ? "" : `<p><b>${shown(problem)}</b></p>`;
  return page(
    "Your logins",
    `${wrong}<p>See which MCP servers ${shown(here)} uses with your account, log in, and log out.</p>` +
      `<form method="post" action="${ownLoginsPath}"><label>Your token of ${shown(here)}:<br>` +
      `<input type="password" name="token" autocomplete="off" required></label> ` +
      `<button>Show my logins</button></form>`,
  );
}

/** The logins of one principal. @param who as people call it */
export function ownLoginsPage(who: string, rows: readonly OwnLoginRow[]): string {
  const none = "<p>No MCP server here needs your login.</p>";
  const list = rows.map((row) => `<li>${ownLoginHtml(row)}</li>`).join("");
  return page(`Logins of ${shown(who)}`, rows.length === 0 ? none : `<ul>${list}</ul>`);
}

function ownLoginHtml({ server, host, link, login }: OwnLoginRow): string {
  const name = `<b>${shown(server)}</b> (${shown(host)})`;
  const anchor = `<a href="${shown(link)}">`;
  if (login === undefined) return `${name}: not logged in. ${anchor}Log in</a>`;
  const since = new Date(login.since).toISOString().slice(0, 10);
  return (
    `${name}: logged in since ${since}. ${anchor}Log in with another account</a>` +
    `<form method="post" action="${ownLoginsPath}"><input type="hidden" name="ending" value="${shown(login.ending)}">` +
    `<button>Log out of ${shown(server)}</button></form>`
  );
}

/** A page without anything to do. */
export function messagePage(title: string, text: string): string {
  return page(shown(title), `<p>${shown(text)}</p>`);
}

/** @param title and `body` are HTML */
function page(title: string, body: string): string {
  const style =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:3rem auto;padding:0 1rem}" +
    "button,input{font:inherit;padding:.4rem .8rem;margin:.5rem 0}";
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${title} - ${product.name}</title><style>${style}</style><h1>${title}</h1>${body}</html>`
  );
}

/** Outside text as HTML that shows it, without characters that would hide or forge other text. */
function shown(text: string): string {
  return Bun.escapeHTML(escapeUnsafe(text.slice(0, 500)));
}
