/** The result of one look at a page. Times in ms. */
export interface PageLook {
  /** Characters of visible text, those in open shadow trees included. */
  readonly textChars: number;
  /** For how long the text has not changed. */
  readonly quietMs: number;
  /** `readyState` is `complete`. */
  readonly isComplete: boolean;
  /**
   * Nothing in the tree can change it: no script, frame, plug-in or refresh. The server's document may still say
   * otherwise.
   */
  readonly isInert: boolean;
}

/**
 * Looks at the page, in a world of its own where the page cannot reach. The first look sets up the observer.
 * Members of `Document.prototype` are called on the document, because a page can have elements named like them.
 */
export const lookScript = String.raw`(() => {
  const minCharsChanged = 2, minPartChanged = 0.005, walkedMax = 20000, laidOutMax = 30000, costFactor = 8;
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const all = (root) => root === document
    ? Document.prototype.getElementsByTagName.call(document, "*")
    : root.querySelectorAll("*");
  const size = all(document).length;
  // Visibility takes a layout to know: seconds for the largest pages.
  const textOf = (element) =>
    (size > laidOutMax ? element?.textContent : element?.innerText)?.length ?? 0;
  let state = globalThis.readerState;
  if (state === undefined) {
    state = globalThis.readerState = {
      isDirty: true, text: 0, quietSince: performance.now(), changedAt: performance.now(),
      measuredAt: 0, costMs: 0, roots: new Set(),
    };
    state.observer = new MutationObserver(() => {
      state.isDirty = true;
      state.changedAt = performance.now();
    });
    state.watch = (root) => {
      state.roots.add(root);
      state.observer.observe(root, { childList: true, characterData: true, subtree: true });
    };
    state.watch(document);
  }
  const findRoots = (root, found) => {
    const elements = all(root);
    const walked = Math.min(elements.length, walkedMax);
    for (let index = 0; index < walked; index++) {
      const shadow = elements[index].shadowRoot;
      if (!shadow || shadow.nodeType !== 11) continue;
      found.push(shadow);
      findRoots(shadow, found);
    }
    return found;
  };
  const startedAt = performance.now();
  if (startedAt - state.measuredAt >= state.costMs * costFactor) {
    const shadows = findRoots(document, []);
    for (const shadow of shadows) {
      if (state.roots.has(shadow)) continue;
      state.watch(shadow);
      state.isDirty = true;
      state.changedAt = startedAt;
    }
    if (state.isDirty) {
      state.isDirty = false;
      let text = textOf(own("body"));
      for (const shadow of shadows) for (const child of shadow.children) text += textOf(child);
      const changed = Math.abs(text - state.text);
      if (changed > Math.max(minCharsChanged, state.text * minPartChanged)) {
        state.text = text;
        state.quietSince = state.changedAt;
      }
    }
    state.measuredAt = performance.now();
    state.costMs = state.measuredAt - startedAt;
  }
  const active = "script,iframe,frame,object,embed,portal,meta[http-equiv=refresh i]";
  return {
    textChars: state.text,
    quietMs: performance.now() - state.quietSince,
    isComplete: own("readyState") === "complete",
    isInert: Document.prototype.querySelector.call(document, active) === null,
  };
})()`;

/**
 * True when no script can have run in a document that was sent as `html`: nothing in it starts one, and nothing
 * will replace it. Rather false too often than once true wrongly.
 */
export function isInertSource(html: string): boolean {
  return !/<\s*(?:\w+:)?(?:script|i?frame|object|embed|portal)\b|\son\w+\s*=|javascript\s*:|http-equiv\s*=\s*["']?\s*refresh/i.test(
    html,
  );
}
