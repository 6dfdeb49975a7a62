/** A feature of the extractor, and how it is switched off: in the text of a file, while that is loaded. */
export interface Feature {
  readonly name: string;
  /** What leaves with it: files below `src/web/extract/`, or `file#declaration`. */
  readonly code: readonly string[];
  readonly change: Change;
  /** The forests hear it: they are trained without it. */
  readonly isTrained?: boolean;
}

/** A replacement in the text of a file. */
export interface Change {
  /** Below `src/web/extract/`. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
}

const main = "extract-page.ts";
const kind = "kinds/find-kind.ts";
const words = "kinds/short-text.ts";
const furniture = "kinds/furniture.ts";
const known = "kinds/forum/known-thread.ts";
const unknown = "kinds/forum/unknown-thread.ts";
const posts = "kinds/forum/find-posts.ts";
const list = "kinds/list/find-list.ts";
const evidence = "kinds/list/list-evidence.ts";
const records = "kinds/list/record-groups.ts";
const judge = "blocks/judge-blocks.ts";
const headings = "blocks/keep-blocks.ts";
const texts = "features/text-features.ts";
const blocks = "features/block-features.ts";
const places = "features/place-features.ts";

/** All that can be taken out of the extractor by itself. */
export const features: readonly Feature[] = [
  feature("generators of documentation", ["find-manual.ts"], {
    file: main,
    from: "const manual = findManual(page);",
    to: "const manual = undefined;",
  }),
  feature(
    "kinds of page, all",
    [
      kind,
      words,
      furniture,
      known,
      unknown,
      posts,
      "kinds/forum/forum-markups.ts",
      list,
      evidence,
      records,
    ],
    {
      file: main,
      from: "const kind = cut.expected < certainMin ? findKind(page) : undefined;",
      to: "const kind = undefined;",
    },
  ),
  feature("threads", [known, unknown, posts, "kinds/forum/forum-markups.ts"], {
    file: kind,
    from: "const thread = findThread(page);",
    to: "const thread = undefined;",
  }),
  feature("– of known software", [known, "kinds/forum/forum-markups.ts"], {
    file: kind,
    from: "const known = knownThread(page);",
    to: "const known = undefined;",
  }),
  feature("– – boards", ["kinds/forum/forum-markups.ts#boardMarkups"], {
    file: known,
    from: "...boardMarkups,",
    to: "",
  }),
  feature("– – questions, nested comments", ["kinds/forum/forum-markups.ts#answerMarkups"], {
    file: known,
    from: "...answerMarkups,",
    to: "",
  }),
  feature("– of unknown software", [unknown, `${posts}#findPostGroups`, `${posts}#groupKeys`], {
    file: kind,
    from: "known : unknownThread(page);",
    to: "known : undefined;",
  }),
  feature("– – the text before the posts", [], {
    file: unknown,
    from: "lead: before > proseBeforeMax ? lead : undefined,",
    to: "lead: undefined,",
  }),
  feature("– – bodies by their classes", [`${unknown}#namedBody`, `${unknown}#isNamedBody`], {
    file: unknown,
    from: "namedBody(post, posts, page) ?? ",
    to: "",
  }),
  feature("lists", [list, evidence], {
    file: kind,
    from: "const list = findList(page, claims);",
    to: "const list = undefined;",
  }),
  feature("– prose and heading around a list", [`${list}#addsContent`], {
    file: list,
    from: "if (addsContent(parent, child, heading, page)) root = parent;",
    to: "",
  }),
  feature("– several lists of a page", [], {
    file: evidence,
    from: "return [first, ...beside];",
    to: "return [first];",
  }),
  feature("– lists beside the text", [`${evidence}#isBeside`, `${evidence}#besideClass`], {
    file: evidence,
    from: "(claims.isCollection || !isBeside(records[0])) &&",
    to: "",
  }),
  feature("– records that occur twice", [], {
    file: list,
    from: "return this.#repeats.isSecond(element);",
    to: "return false;",
  }),
  feature(
    "– parts for small screens",
    [`${furniture}#isForSmallScreens`, `${furniture}#smallScreenClass`],
    {
      file: list,
      from: "return isForSmallScreens(element) && this.#repeats.isElsewhere(element);",
      to: "return false;",
    },
  ),
  feature("– records by signatures without numbers", [`${records}#ownOfRecord`], {
    file: records,
    from: "if (ownOfRecord.test(token)) continue;",
    to: "",
  }),
  feature(
    "products",
    [`${kind}#findProduct`, `${kind}#otherGoods`, `${kind}#isRowOf`, `${kind}#mainOf`],
    {
      file: kind,
      from: "const main = mainOf(page);",
      to: "if (page !== undefined) return undefined;\n  const main = mainOf(page);",
    },
  ),
  feature("– other goods", [`${kind}#otherGoods`, `${kind}#isRowOf`], {
    file: kind,
    from: "const cards = otherGoods(page, holders);",
    to: "const cards = new Set();",
  }),
  feature("– parts beside, by words", [`${kind}#besideWords`], {
    file: kind,
    from: "if (measure.chars >= besideCharsMin && saysWord(element, besideWords)) return true;",
    to: "",
  }),
  feature("lists, products: links that act", [`${list}#isActionText`, `${list}#action`], {
    file: list,
    from: "return action.test(shortLine(element, actionCharsMax));",
    to: "return false;",
  }),
  feature("lists, products: menus of links", [`${furniture}#isLinkMenu`], {
    file: furniture,
    from: "if (links < menuLinksMin) return false;",
    to: "return false;",
  }),
  feature("lists, products: headings of nothing", [`${words}#isHeadingOfNothing`], {
    file: words,
    from: "if (!/^h[2-6]$/.test(element.name)) return false;",
    to: "return false;",
  }),
  feature(
    "hidden by class",
    [`${furniture}#isHiddenByClass`, `${furniture}#hiddenClass`, `${furniture}#shownSomewhere`],
    {
      file: furniture,
      from: "if (tokens.length === 0) return false;",
      to: "return false;",
    },
  ),
  feature("claims in data for search engines", [`${words}#readClaims`, `${words}#PageClaims`], {
    file: words,
    from: "const { types } = structured;",
    to: "const types = new Set(structured === undefined ? [] : []);",
  }),
  feature("claims in microdata", [`${words}#countMicrodata`], {
    file: words,
    from: "const { articles, products } = countMicrodata(body);",
    to: "const [articles, products] = [0, 0];",
  }),
  feature("vote of Readability", ["article-vote.ts"], {
    file: main,
    from: "cut.expected < doubtfulMax ? await articleVote(page, blocks, opinions) : undefined",
    to: "undefined",
  }),
  feature("small pages", [`${main}#keepSmall`, `${main}#isSmall`], {
    file: main,
    from: "if (isSmall(blocks)) return",
    to: "if (false) return",
  }),
  feature("code beside text", [`${main}#settleCode`, `${main}#holderOf`], {
    file: main,
    from: "settleCode(blocks, opinions, vote ?? chosen)",
    to: "vote ?? chosen",
  }),
  feature(
    "headings follow their text",
    [`${headings}#settleHeadings`, `${headings}#isTitle`, `${headings}#hasKeptSection`],
    {
      file: main,
      from: "settleHeadings(blocks, opinions, kept, page.title)",
      to: "kept",
    },
  ),
  feature("– titles", [`${headings}#isTitle`, `${headings}#isSaid`], {
    file: headings,
    from: "if (level === 1 && settled[index] !== true) {",
    to: "if (false) {",
  }),
  feature("titles of notes, terms", [`${headings}#settleLeads`, `${headings}#ledBy`], {
    file: headings,
    from: "settled[index] = holder !== undefined && isWithin(next.container, holder, levelsMax);",
    to: "",
  }),
  feature(
    "tables as a whole",
    [`${judge}#evenTables`, `${judge}#tablesAround`, `${judge}#opinionAround`],
    {
      file: main,
      from: "evenTables(blocks, judgeBlocks(page, blocks, model))",
      to: "judgeBlocks(page, blocks, model)",
    },
  ),
  feature("– but not layouts", [], {
    file: judge,
    from: "if (layouts.has(table)) continue;",
    to: "",
  }),
  feature("– the text around a table", [`${judge}#opinionAround`], {
    file: judge,
    from: "const opinion = Math.max(sum / total, (sum / total + around) / 2);",
    to: "const opinion = around === undefined ? 0 : sum / total;",
  }),
  feature("cut of best expected F1, instead of 0.5", [], {
    file: main,
    from: "const chosen = opinions.map((opinion) => opinion >= cut.opinion);",
    to: "const chosen = opinions.map((opinion) => opinion >= 0.5);",
  }),
  feature(
    "second forest",
    [
      `${judge}#contextRows`,
      `${blocks}#contextFeatures`,
      `${blocks}#addLevels`,
      `${blocks}#elementMeans`,
      `${blocks}#lookMeans`,
    ],
    {
      file: judge,
      from: "return contextRows(blocks, rows, opinions).map((row) => forestOpinion(second, row));",
      to: "return second === undefined ? [] : opinions;",
    },
  ),
  feature("hidden page that a script shows", ["remove-unseen.ts#createPageTest"], {
    file: "remove-unseen.ts",
    from: "const isPage = createPageTest(body);",
    to: "const isPage = () => false;",
  }),
  trained("forests: data for search engines", ["structured-data.ts"], {
    file: "structured-data.ts",
    from: "  return draft;\n",
    to: '  return { types: draft.types, articleBody: "", description: "" };\n',
  }),
  trained("forests: phrases", [`${texts}#phraseFeatures`, `${texts}#phrases`], {
    file: texts,
    from: "return phrases.map((phrase) => (phrase.test(text) ? 1 : 0));",
    to: "return noPhrases;",
  }),
  trained("forests: neighbours", [`${places}#createNeighbourFeatures`], {
    file: blocks,
    from: "neighbours(index),",
    to: "neighbours(index).map(() => 0),",
  }),
  trained("forests: place", [`${places}#createPlaceFeatures`], {
    file: blocks,
    from: "place(index),",
    to: "place(index).map(() => 0),",
  }),
  trained("forests: containers", ["features/container-features.ts"], {
    file: blocks,
    from: "container(block),",
    to: "container(block).map(() => 0),",
  }),
  trained("forests: names of elements", ["features/inherited.ts"], {
    file: blocks,
    from: "distances,",
    to: "distances.map(() => 0),",
  }),
];

function feature(name: string, code: readonly string[], change: Change): Feature {
  return { name, code, change };
}

function trained(name: string, code: readonly string[], change: Change): Feature {
  return { ...feature(name, code, change), isTrained: true };
}
