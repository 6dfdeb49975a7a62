/** Characters of a query; DuckDuckGo refuses more than 499, others some thousand. */
export const queryCharsMax = 500;
/** Characters of the shown parts of one result (ranking, "Cleaning a result"). */
export const titleCharsMax = 200;
export const snippetCharsMax = 300;
/** Characters of a result's address; ten longer ones would leave no room for anything else. */
export const urlCharsMax = 1500;
/** Characters of what an engine said besides: it may come from the network. */
export const detailCharsMax = 120;
