import type { HtmlElement } from "../../../dom/parse-html.ts";
import { walkElements } from "../../../dom/walk.ts";
import { classTokens } from "../element-pattern.ts";

/** Elements that say in the same way that they are posts. */
export interface PostGroup {
  readonly key: string;
  readonly elements: ReadonlySet<HtmlElement>;
}

/** More posts are not a readable thread. */
export const threadPostsMax = 5_000;
/** Of the fullest groups; posts and their parts make one each. */
const groupsMax = 6;

const postWord =
  /(?:^|[-_])(?:post|comment|message|msg|reply|answer|response|topic|thread|question)s?(?:$|[-_])/i;
const postId = /^(?:post|comment|message|msg|reply|answer|p|c)[-_]?\d+$/i;
const postType =
  /schema\.org\/(?:Comment|Answer|Question|DiscussionForumPosting|SocialMediaPosting)$/;

/** Elements of a page that may be its posts, by what says so: a class, the form of ids, a microdata type. */
export function findPostGroups(
  root: HtmlElement,
  charsOf: (element: HtmlElement) => number,
): PostGroup[] {
  const groups = new Map<string, Set<HtmlElement>>();
  walkElements(root, (element) => {
    for (const key of groupKeys(element)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, new Set([element]));
      else group.add(element);
    }
    return "into";
  });
  return [...groups]
    .map(([key, elements]) => ({ key, elements }))
    .filter(({ elements }) => elements.size >= 2 && elements.size <= threadPostsMax)
    .map((group) => ({ group, chars: sum(group.elements, charsOf) }))
    .toSorted((a, b) => b.chars - a.chars)
    .slice(0, groupsMax)
    .map(({ group }) => group);
}

function groupKeys(element: HtmlElement): string[] {
  const keys: string[] = [];
  for (const token of classTokens(element)) if (postWord.test(token)) keys.push(`.${token}`);
  const { id, itemtype } = element.attribs;
  if (id !== undefined && postId.test(id)) keys.push(`#${id.replace(/\d+$/, "")}`);
  if (itemtype !== undefined && postType.test(itemtype)) keys.push("microdata");
  return keys;
}

function sum(
  elements: ReadonlySet<HtmlElement>,
  charsOf: (element: HtmlElement) => number,
): number {
  let chars = 0;
  for (const element of elements) chars += charsOf(element);
  return chars;
}
