/** A row of the tables of forum software: lists of compound selectors, as `parsePattern` reads them. */
export interface MarkupRow {
  readonly post: string;
  readonly body: string;
  readonly author?: string;
  readonly date?: string;
  readonly drop?: string;
}

/** Boards: the posts of a thread follow one another. */
export const boardMarkups: Readonly<Record<string, MarkupRow>> = {
  Discourse: {
    post: ".crawler-post, .topic-post, article[data-post-id]",
    body: "div.post[itemprop=text], div.post[itemprop=articleBody], .cooked",
    author: "[itemprop=name], .names",
    date: "time.post-time, .relative-date",
    drop: ".cooked-selection-barrier, .post-menu-area, .meta",
  },
  "XenForo 2": {
    post: ".message--post, .message[data-author], .message--article",
    body: ".message-body",
    author: ".message-name, .username",
    date: ".message-attribution-main, time.u-dt",
    drop: ".bbCodeBlock-expandLink, .bbCodeBlock-shrinkLink, .message-signature, .js-selectToQuoteEnd, .bbCodeSpoiler-button",
  },
  "XenForo 1": {
    post: "li.message[data-author]",
    body: ".messageText",
    author: ".username",
    date: ".DateTime",
    drop: ".quoteExpand, .messageTextEndMarker, .signature",
  },
  "XenForo with cards": {
    post: ".MessageCard",
    body: ".message-body, .bbWrapper",
    author: ".MessageCard__user-info__name",
    date: ".MessageCard__date-created",
    drop: ".bbCodeBlock-expandLink, .js-selectToQuoteEnd",
  },
  "Invision Community 5": {
    post: ".ipsEntry--post, article.ipsEntry",
    body: ".ipsRichText, [data-role=commentContent]",
    author: ".ipsUsername, .ipsEntry__username",
    date: "time.ipsTime",
    drop: ".ipsEdited, [data-excludequote]",
  },
  "Invision Community 4": {
    post: "article.ipsComment, .cPost",
    body: "[data-role=commentContent], .cPost_contentWrap",
    author: ".cAuthorPane_author",
    drop: ".ipsItemControls, [data-excludequote], [data-role=memberSignature]",
  },
  "Invision Power Board 3": {
    post: ".post_block",
    body: ".entry-content",
    author: ".author, .post_username",
    date: ".published",
    drop: ".edit, .signature",
  },
  phpBB: {
    post: "div.post[id^=p], .post.has-profile, .postbody[id^=p]",
    body: "div.content",
    author: ".username, .username-coloured, .author",
    date: "time, p.author",
    drop: ".signature, .notice, .back2top",
  },
  "vBulletin 5": {
    post: ".b-post, li[data-node-id].b-post",
    body: ".js-post__content-text, .b-post__content",
    author: ".author, .b-userinfo__name",
    date: ".b-post__timestamp, time",
  },
  "vBulletin 4": {
    post: "li.postbit, li.postbitlegacy, li.postcontainer, div.postbitlegacy",
    body: ".postcontent, blockquote.restore",
    author: ".username",
    date: ".date, .postdate",
    drop: ".signature",
  },
  "vBulletin 3": {
    post: "table[id^=post], div[id^=edit]",
    body: "div[id^=post_message_]",
    author: ".bigusername",
    date: "td.thead",
  },
  "Simple Machines": {
    post: "div.post_wrapper, div[id^=msg].windowbg, div[id^=msg].windowbg2",
    body: "div.inner[id^=msg_], div.inner, div.post",
    author: "h4",
    date: "a.smalltext, .postinfo, .keyinfo",
  },
  "FluxBB or PunBB": {
    post: ".blockpost, div.post.postlast, div.post.firstpost",
    body: ".postmsg, .entry-content",
    author: "dt",
    date: "h2",
    drop: ".postsignature",
  },
  MyBB: {
    post: "div.post[id^=post_], table[id^=post_]",
    body: ".post_body",
    author: ".largetext, .author_information, .post_author",
    date: ".post_date",
    drop: ".signature, .post_meta",
  },
  NodeBB: {
    post: "li[component=post], div[component=post]",
    body: "[component=post/content]",
    author: "a[data-username], [component=user/username], [itemprop=author]",
    date: ".timeago",
  },
  Flarum: {
    post: ".PostStream-item, article.Post, .Post",
    body: ".Post-body",
    author: ".PostUser-name, .username",
    date: "time",
  },
  Vanilla: {
    post: ".ItemDiscussion, .ItemComment, .Item.Comment",
    body: ".userContent, .Message",
    author: ".Username",
    date: "time",
    drop: ".Signature, .Reactions",
  },
  Discuz: {
    post: "div[id^=post_], table.plhin",
    body: "td.t_f, .t_fsz, .message",
    author: "a.xw1, .authi",
    date: "em[id^=authorposton], span[id^=authorposton]",
    drop: ".pstatus, .jammer, .sign, .aimg_tip, .tip",
  },
  WoltLab: {
    post: "article.wbbPost, .message[data-object-id]",
    body: ".messageText",
    author: ".username",
    date: "time",
    drop: ".messageSignature",
  },
  ProBoards: {
    post: "tr.post",
    body: "div.message",
    author: ".user-link",
    date: ".date",
    drop: ".signature",
  },
  bbPress: {
    post: "div.topic, div.reply, div.type-topic, div.type-reply",
    body: ".bbp-topic-content, .bbp-reply-content",
    author: ".bbp-author-name",
    date: ".bbp-reply-post-date, .bbp-topic-post-date",
    drop: ".bbp-reply-revision-log, .bbp-topic-revision-log",
  },
};

/** Questions with answers, and comments that answer each other. */
export const answerMarkups: Readonly<Record<string, MarkupRow>> = {
  "Khoros Community": {
    post: ".lia-message-view-wrapper, .lia-message-view, .lia-quilt-forum-message, [data-lia-message-uid]",
    body: ".lia-message-body-content, .lia-message-body, .lia-message-template-content-zone",
    author: ".lia-user-name-link, .lia-user-name",
    date: ".DateTime, .lia-message-posted-on, time",
    drop: ".lia-message-signature",
  },
  "Stack Exchange": {
    post: "div.question, div.answer",
    body: ".js-post-body, .s-prose, .post-text",
    author: ".user-details",
    date: ".relativetime",
  },
  Askbot: { post: ".post", body: ".post-body", author: ".user-info", date: ".timeago" },
  Question2Answer: {
    post: ".qa-q-view, .qa-a-list-item",
    body: ".qa-q-view-content, .qa-a-item-content, .qa-post-content",
    author: ".qa-user-link",
    date: "time",
  },
  Slashcode: {
    post: "article.fhitem-story, li.comment",
    body: "div.commentBody, div.body, div.p",
    author: ".by, .story-byline",
    date: ".otherdetails, time",
    drop: ".quote_share",
  },
  "Hacker News and its kin": {
    post: "tr.comtr, table.fatitem",
    body: ".commtext, .toptext",
    author: ".hnuser",
    date: ".age",
    drop: ".reply",
  },
  "Reddit, old": {
    post: "div.thing.link, div.thing.comment",
    body: ".usertext-body",
    author: "a.author",
    date: "time",
  },
  "Reddit, new": {
    post: "shreddit-post, shreddit-comment",
    body: "[slot=text-body], [slot=comment], [id$=-post-rtjson-content]",
    author: "a[href^=/user/]",
    date: "faceplate-timeago, time",
  },
  Lobsters: {
    post: "div.comment, .story_content",
    body: ".comment_text, .story_text",
    author: ".u-author",
    date: "time",
  },
  Lemmy: {
    post: ".comment, .post-listing",
    body: ".md-div",
    author: ".person-listing",
    date: ".moment-time",
  },
  "GitHub issues and discussions": {
    post: ".timeline-comment, .js-comment-container, .js-timeline-item, [data-testid=comment-viewer-outer-box]",
    body: ".comment-body, .markdown-body",
    author: "a.author",
    date: "relative-time",
  },
  Jive: {
    post: ".j-original-message, .jive-thread-reply, .jive-thread-message, article.thread-post",
    body: ".jive-rendered-content, .j-rte-content",
    author: ".jive-username-link, .j-user-name",
    date: "time",
  },
  "Higher Logic": {
    post: ".MessageThreadsDisplay, .PostRow, .feed-item",
    body: ".MessageBody, .feed-item-text",
    author: ".ContactName",
    date: ".PostDate",
  },
};
