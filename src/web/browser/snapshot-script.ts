/** The page as it is at the end. */
export interface PageSnapshot {
  /** HTML of the whole document; for a type that the browser shows as text, that text. */
  readonly text: string;
  readonly isHtml: boolean;
  /** More than was asked for: the rest is not in `text`. */
  readonly isCut: boolean;
  /** `document.URL`: after redirects and `pushState`, with its fragment. */
  readonly url: string;
}

/**
 * Serialises the document: open shadow trees and slots as the tree that is shown, a frame of the same origin that holds
 * the content in the place of its element, undisplayed elements marked as `hidden`, elements without size left out; without
 * code and styles. The page is of no use afterwards. Runs where the page cannot reach; prototypes' members are called
 * because elements can have children named like them (a form with a field `children`).
 */
const snapshotFunction = String.raw`(charsMax) => {
  const own = (name, doc = document) => Reflect.get(Document.prototype, name, doc);
  const find = (selector, doc = document) =>
    [...Document.prototype.querySelectorAll.call(doc, selector)];
  const { checkVisibility, setAttribute, removeAttribute, hasAttribute } = Element.prototype;
  const frameTextMin = 200, noscriptTextMin = 200, walkedMax = 200000, hiddenTextMin = 20, laidOutMax = 30000;
  // Layout and computed styles take seconds for the largest pages: there only hidden elements are looked for.
  const isLarge = Document.prototype.getElementsByTagName.call(document, "*").length > laidOutMax;
  const textOf = (element) =>
    (isLarge ? element?.textContent : element?.innerText)?.trim().length ?? 0;
  const url = own("URL");
  const type = own("contentType");
  const cut = (text) => {
    if (text.length <= charsMax) return { text, isCut: false };
    const end = (text.charCodeAt(charsMax - 1) & 0xfc00) === 0xd800 ? charsMax - 1 : charsMax;
    return { text: text.slice(0, end), isCut: true };
  };
  const root = own("documentElement");
  if (type !== "text/html" && type !== "application/xhtml+xml") {
    return { ...cut(root?.textContent ?? ""), isHtml: false, url };
  }

  const attributesOf = Object.getOwnPropertyDescriptor(Element.prototype, "attributes").get;
  const childNodesOf = Object.getOwnPropertyDescriptor(Node.prototype, "childNodes").get;
  const unseen = [];
  const hide = (element) => {
    setAttribute.call(element, "hidden", "");
    unseen.push(element);
  };
  const ownTextOf = (element) =>
    [...childNodesOf.call(element)].filter((node) => node.nodeType === 3 && node.data.trim() !== "");
  // Its content may have a size again.
  const dropSmallText = (element) => {
    const texts = ownTextOf(element);
    if (texts.length === 0 || getComputedStyle(element).fontSize !== "0px") return;
    for (const text of texts) text.data = "";
  };
  const markUnseen = (top) => {
    const walker = Document.prototype.createTreeWalker.call(document, top, 1);
    const silent = /^(script|style|template|link|meta|noscript|title|base)$/;
    let node = walker.nextNode();
    for (let walked = 0; node !== null && walked < walkedMax; walked++) {
      let inside = true;
      if (silent.test(node.localName)) inside = false;
      else if (hasAttribute.call(node, "hidden")) inside = true;
      else if (!checkVisibility.call(node)) {
        if (getComputedStyle(node).display === "none") {
          hide(node);
          inside = false;
        }
      } else if (!isLarge) dropSmallText(node);
      if (inside && node.shadowRoot?.nodeType === 11) markUnseen(node.shadowRoot);
      let next = inside ? walker.firstChild() : null;
      while (next === null) {
        next = walker.nextSibling();
        if (next === null && walker.parentNode() === null) break;
      }
      node = next;
    }
  };

  const inlineFrames = () => {
    const mainText = textOf(own("body"));
    for (const frame of find("iframe,frame")) {
      const inner = frame.contentDocument;
      const body = inner === null || inner === undefined ? null : own("body", inner);
      if (body === null || textOf(body) < Math.max(frameTextMin, mainText)) continue;
      for (const name of ["href", "src"]) {
        for (const element of inner.querySelectorAll("[" + name + "]")) {
          const value = element[name];
          if (typeof value === "string") setAttribute.call(element, name, value);
        }
      }
      const section = Document.prototype.createElement.call(document, "div");
      for (const child of [...body.childNodes]) section.append(child);
      if (frame.localName === "frame") {
        const page = Document.prototype.createElement.call(document, "body");
        page.append(section);
        own("body").replaceWith(page);
        return;
      }
      frame.replaceWith(section);
    }
  };

  const voids = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta",
    "source", "track", "wbr"]);
  const raws = new Set(["script", "style", "noscript", "xmp", "iframe", "noembed", "noframes"]);
  const escapeText = (text) =>
    text.replaceAll("&", "&amp;").replaceAll("\u00a0", "&nbsp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const escapeValue = (text) => escapeText(text).replaceAll('"', "&quot;");
  const writeTree = (top) => {
    const parts = [];
    const write = (node, isRaw) => {
      if (node.nodeType === 3) return void parts.push(isRaw ? node.data : escapeText(node.data));
      if (node.nodeType !== 1) return;
      const name = node.localName;
      if (name === "template" || name === "style") return;
      if (name === "slot") {
        const given = node.assignedNodes();
        for (const child of given.length > 0 ? given : childNodesOf.call(node)) write(child, false);
        return;
      }
      parts.push("<" + name);
      for (const { name: key, value } of attributesOf.call(node)) {
        parts.push(" " + key + '="' + escapeValue(value) + '"');
      }
      parts.push(">");
      if (voids.has(name)) return;
      const shadow = node.shadowRoot?.nodeType === 11 ? node.shadowRoot : null;
      for (const child of shadow?.childNodes ?? childNodesOf.call(node)) write(child, raws.has(name));
      parts.push("</" + name + ">");
    };
    write(top, false);
    return parts.join("");
  };
  const hasShadows = () => {
    const elements = Document.prototype.getElementsByTagName.call(document, "*");
    const walked = Math.min(elements.length, walkedMax);
    for (let index = 0; index < walked; index++) {
      if (elements[index].shadowRoot?.nodeType === 11) return true;
    }
    return false;
  };

  inlineFrames();
  const body = own("body");
  const seen = textOf(body);
  if (body) {
    markUnseen(body);
    // A page that shows itself only when its pictures or fonts are there would never do so here.
    if (seen < hiddenTextMin) for (const element of unseen) removeAttribute.call(element, "hidden");
  }
  const isData = /^(application\/ld\+json|math\/.*)$/i;
  for (const script of find("script")) if (!isData.test(script.type ?? "")) script.remove();
  for (const style of find("style,link[rel~=stylesheet i]")) style.remove();
  if (seen >= noscriptTextMin) for (const note of find("noscript")) note.remove();
  let html;
  try {
    html = hasShadows() ? writeTree(root) : root.outerHTML;
  } catch {
    // Deeper than the call stack allows.
    html = root.outerHTML;
  }
  return { ...cut("<!DOCTYPE html>\n" + html), isHtml: true, url };
}`;

export function snapshotScript(charsMax: number): string {
  return `(${snapshotFunction})(${charsMax})`;
}
