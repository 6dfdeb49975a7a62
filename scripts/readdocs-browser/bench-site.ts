/** Pages of the kinds that docs/browser.md#how-long-it-takes measures; the server is this process. */
const paragraph = "<p>A paragraph with enough words in it to count as some text of a page.</p>";
/** 52 kB, as the page that the targets were set with. */
const text = `<h1>A page</h1>${paragraph.repeat(700)}`;

const pages: Readonly<Record<string, string>> = {
  "/static": `<!DOCTYPE html><title>Static</title>${text}`,
  "/script": `<!DOCTYPE html><title>Script</title>${text}<script>document.title += "!"</script>`,
  "/app": `<!DOCTYPE html><title>App</title><div id=root></div><script>
    setTimeout(async () => (root.innerHTML = await (await fetch("/data")).text()), 300);
  </script>`,
};

/** Of the application's data, in ms. */
const dataDelayMs = 200;

export function serveBenchSite(): Bun.Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/data") await Bun.sleep(dataDelayMs);
      const body = pathname === "/data" ? text : (pages[pathname] ?? "");
      return new Response(body, { headers: { "Content-Type": "text/html; charset=utf-8" } });
    },
  });
}
