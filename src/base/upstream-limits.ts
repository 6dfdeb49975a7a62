/**
 * Every bound of the upstream side, with its unit in the name and its reason beside it.
 * A bound that a user may change is a configuration key instead (`config/keys.ts`).
 */

const KIB = 1024;
const MIB = 1024 * KIB;

// ---- MCP servers: connections -------------------------------------------------------------

/** A server that failed is tried again after these; one that is being updated is back within some seconds. */
export const upstreamRetryMs = [1_000, 2_000, 4_000, 8_000, 16_000] as const;
/** Part by which these are longer or shorter, so that many processes do not come back in step. */
export const upstreamRetryJitter = 0.2;
/** After the last of them a server is tried this often: a repaired server needs no restart of scorpiox-code. */
export const upstreamFailedProbeMs = 60_000;
/** A call to a failed server tries it at once, but not more often than this: models repeat calls quickly. */
export const upstreamProbeOnCallMs = 5_000;
/** A server that has run for so long has recovered from its earlier failure. */
export const upstreamServerStableMs = 300_000;
/** Starts of one server within `upstreamStartsWindowMs`, whatever asks for them: each may cost a second of processor time. */
export const upstreamStartsMax = 5;
/** A server that crashes at once is so started every two seconds at most. */
export const upstreamStartsWindowMs = 10_000;
/** Servers that are being started at a time: each is a process that loads, and 2 to 16 processors are shared. */
export const upstreamStartingMax = 24;
/** Calls in a row that took too long before a server is left alone. */
export const upstreamCircuitTimeoutsMax = 5;
/** How long it is left alone; then one call is let through to see. */
export const upstreamCircuitOpenMs = 60_000;
/** A call to a server that is about to be tried again waits this long for it. */
export const upstreamBackoffWaitMs = 5_000;
/** How often to look whether another hub has let go of a server that only one of them may run. */
export const upstreamHeldLookMs = 1_000;
/**
 * A call to a server that was started for it waits this long for its lists, which come in milliseconds. One that keeps them
 * back is called by its approved definitions.
 */
export const upstreamFirstLookMs = 5_000;
/** How often a server is asked whether it lives; it costs one small message. */
export const upstreamPingEveryMs = 60_000;
/** Time for the answer; a busy machine takes a second. */
export const upstreamPingMsMax = 10_000;
/** Missing answers in a row before it is restarted. */
export const upstreamPingMissesMax = 3;
/** Connections that belong to one client or workspace and were not used for so long are closed. */
export const upstreamIdleSessionMs = 30 * 60_000;
/** The longest wait that a server may ask for with 429 or 503. */
export const upstreamRetryAfterMsMax = 60_000;
/** Times that one call is sent again because the server was busy. */
export const upstreamBusyRetriesMax = 2;
/** A server that says that its list has changed is asked for it once in so long. */
export const upstreamRelistMs = 500;
/** Snapshots for the main thread are this far apart: each is composed of all servers. */
export const upstreamPublishMs = 100;
/** Durations of calls that are kept for the percentiles of `mcp status`. */
export const upstreamLatenciesKept = 256;
/** The status file of a running server is written this often at most. */
export const upstreamStatusEveryMs = 1_000;

// ---- MCP servers: trust ---------------------------------------------------------------

/** Names that are proposed for one that nobody has: one line. */
export const nearestToolsMax = 5;
/** Bytes of `trust.json`: 4,000 tools of 20 servers take half a megabyte. */
export const trustFileBytesMax = 16 * MIB;
/** Launches whose tools are pinned; each change of an entry makes another one. The oldest are forgotten. */
export const pinnedServersMax = 500;
/** Launches that were approved or refused in a project; the oldest are asked for again. */
export const approvedLaunchesMax = 2_000;
/** Bytes of one launch's approved definitions, which are kept to show differences; 500 tools take about one. */
export const definitionFileBytesMax = 8 * MIB;
/** Characters of an allow or deny glob; names of tools have at most 128. */
export const toolGlobCharsMax = 256;
/** Its characters times the choices that its braces make together: each is matched by itself. */
export const toolGlobWorkMax = 8 * KIB;
/** The wait for a file's lock; its holder writes one small file. */
export const fileLockMsMax = 5_000;

// ---- Search for tools of MCP servers ------------------------------------------------------

/** More callable tools than this are hidden until they are searched for: models choose worse from more. */
export const deferredToolsMin = 15;
/** So are definitions of more estimated tokens than this, however few tools there are. */
export const deferredTokensMin = 6_000;
/** Tools in a reply of a search, unless the call says otherwise. */
export const searchLimitDefault = 5;
/** Tools in a reply at most: who wants more reads the index file. */
export const searchLimitMax = 25;
/** Tools of one server in the first page of a search, so that a large one does not hide the others. */
export const searchPerServerMax = 3;
/** Characters of a query that are looked at. */
export const searchQueryCharsMax = 1_000;
/** Words of it that are used. */
export const searchWordsMax = 24;
/** Characters of a description that are searched. */
export const searchedDescriptionCharsMax = 1_000;
/** Characters of all arguments of a tool together that are searched: an index of 4,000 tools stays small. */
export const searchedTextCharsMax = 4_000;
/** Arguments of one tool that are searched. */
export const searchedArgumentsMax = 200;
/** How deep arguments within arguments are searched. */
export const searchedSchemaDepthMax = 6;
/** Words that an unfinished one may become. */
export const prefixTermsMax = 12;
/** Words that a misspelt one may have been. */
export const nearTermsMax = 4;

// ---- Processes of MCP servers, and the Worker that speaks to them ---------------------------

/** Last bytes of a server's stderr that are kept for errors and `mcp status`. */
export const upstreamStderrBytesMax = 64 * KIB;
/** Lines of it in an error: the reason is nearly always among them. */
export const upstreamStderrLinesMax = 20;
/** Bytes of a server's log file; then it is set aside. */
export const upstreamLogFileBytesMax = 10 * MIB;
/** Log files of one server, the one that is written included. */
export const upstreamLogFilesMax = 3;
/** Bytes that may wait for the disk; what comes beyond is counted and left out: a flood costs time only. */
export const upstreamLogWaitingBytesMax = 2 * MIB;
/** Characters of a line in a log; a longer one is cut there. */
export const upstreamLogLineCharsMax = 16 * KIB;
/** Bytes that may wait for a server that does not read: four of the longest messages. */
export const upstreamInputWaitingBytesMax = 64 * MIB;
/** Messages that may wait for it, however short: each takes a kilobyte. */
export const upstreamInputsWaitingMax = 10_000;
/** Characters of short messages that are written to a server at once: many answers to a flood cost one wake-up. */
export const upstreamInputAtOnceChars = 64 * KIB;
/** A server whose stdin was closed may end by itself within this. */
export const upstreamInputEndMs = 2_000;
/** The start of a server waits this long for the PATH of the login shell. */
export const upstreamLoginPathMsMax = 2_000;
/** Folders that are named when a program was not found: a PATH may have hundreds. */
export const upstreamSearchedFoldersMax = 30;
/** The Worker is asked this often whether it lives. */
export const upstreamHeartbeatMs = 1_000;
/** Looks in a row that found it silent before it is given up. */
export const upstreamSilentLooksMax = 5;
/** The first wait before a Worker that was lost again is replaced; doubled each time. The first loss costs none. */
export const upstreamRestartMs = 1_000;
/** The longest of these waits. */
export const upstreamRestartMsMax = 16_000;
/** A Worker that has lived this long was well: losing it is a first loss. */
export const upstreamStableMs = 5 * 60_000;
/** Events of the Worker that may wait to be taken; more are dropped and counted. */
export const upstreamEventsWaitingMax = 1_000;
/** Events that are handed over at once: a fraction of a millisecond for their reader. */
export const upstreamEventsAtOnceMax = 64;
/** Characters of JSON of a catalogue that are handed over at once: half a millisecond to parse. */
export const upstreamSliceCharsMax = 64 * KIB;
/** Log messages of one server in a second; more are dropped and counted. */
export const upstreamLogsPerSecondMax = 100;
/** Lines of one server in a second that are not messages: a server may greet with a page of text, or print a stack. */
export const upstreamStraysPerSecondMax = 1_000;
/** Characters of one event, such as a log message with its data. */
export const upstreamEventCharsMax = 64 * KIB;
/** Chunks of a server's output on their way to the Worker where it cannot read the pipe itself (Windows). */
export const upstreamRelayedChunksMax = 8;
/** At the end the Worker may take this long: servers have two times half a second before they are killed. */
export const upstreamCloseMsMax = 1_200;
/** How long the rest of the output of a server that is gone may take where the main thread passes it on. */
export const upstreamRelayedRestMsMax = 10_000;
/** How often to check for a new configuration file of upstream servers. */
export const upstreamAppearMs = 2_000;

// ---- Packages that servers are started from ----------------------------------------------------

/** Packages that are fetched at a time: each takes the network and a processor. */
export const upstreamInstallsMax = 3;
/** A runner that writes nothing and computes nothing for so long is stuck: npm itself gives up a request after five minutes. */
export const upstreamInstallQuietMs = 5 * 60_000;
/** How often it is looked whether it computes. */
export const upstreamInstallLookMs = 15_000;
/** A package that is named without a version is looked up again after this time: its runner would do that at each start. */
export const upstreamRefetchMs = 24 * 60 * 60_000;
/** A package named with a tag (`@latest`) is looked up again after this time: its runner may fetch a new version at any start. */
export const upstreamRefetchTagMs = 5 * 60_000;
/** A model is advised to try again after this time; a package takes from five seconds to a minute. */
export const upstreamInstallAgainMs = 10_000;
/** A call waits this long for a package that is being fetched: it may nearly be there. */
export const upstreamInstallWaitMs = 3_000;

// ---- Connections to MCP servers -----------------------------------------------------------

/** One line, or one HTTP message, of an upstream server: the largest legitimate ones are images of a few megabytes. */
export const upstreamMessageBytesMax = 16 * MIB;
/** The id of an answer that is too long is looked for in so much of its beginning. */
export const upstreamLineHeadBytesMax = 4 * KIB;
/** Bytes of messages after which their remains are collected: */
export const upstreamRemainsBytesMin = 4 * MIB;
/** so long after, when they have been worked on. It takes some 10 to 20 ms of a Worker, and less than 1 ms of the hub's thread. */
export const upstreamRemainsMs = 500;
/**
 * With so many they are collected at once: the remains of one long answer would be in memory beside the next, three times its size.
 */
export const upstreamRemainsBytesMax = 8 * MIB;
/** How deep an answer of an upstream server may nest: printing it recurses as deep. */
export const upstreamMessageDepthMax = 1_000;
/** Objects, lists and values of one message: made into objects, cleaned and printed they take up to 300 bytes each. */
export const upstreamMessageValuesMax = 700_000;
/** Characters of a message of progress, or of an error: a line for a person. */
export const upstreamSaidCharsMax = 2_000;
/** Characters of JSON of a question, and of the data of an error: both cross to the main thread, and sampling has images. */
export const upstreamQuestionCharsMax = MIB;
/** Answers to requests of a server over a pipe that wait for it: with more its output is not read either. */
export const upstreamAnswersWaitingMax = 64;
/** Bytes that are read of a refusal over HTTP: enough for its error, and for a person to recognise a page. */
export const upstreamErrorBodyBytesMax = 64 * KIB;
/** Characters of an answer that could not be understood, as it is shown. */
export const upstreamRawCharsShown = 200;
/** After so long without an answer to `server/discover` a server at a pipe is asked `initialize` as well. */
export const upstreamProbeMsMax = 3_000;
/** A program that may be fetching what it starts, and says something of it on stderr, is waited for so long. */
export const upstreamSetUpMsMax = 5 * 60_000;
/** For one page of a list (CN5). */
export const upstreamPageMsMax = 15_000;
/** For all lists of one server. */
export const upstreamListsMsMax = 60_000;
/** Pages of a list: a list without end is one of a broken server. */
export const upstreamPagesMax = 100;
/** Entries of a list; ten times as many as the largest servers have. */
export const upstreamListItemsMax = 2_000;
/** Bytes of all lists of one server. */
export const upstreamListsBytesMax = 16 * MIB;
/** Characters of a tool's name: the specification's own limit. */
export const upstreamToolNameCharsMax = 128;
/** Levels of a tool's definition; deeper ones are made to be a burden. */
export const upstreamToolDepthMax = 64;
/** Characters of a tool's definition, for the same reason. */
export const upstreamToolCharsMax = 256 * KIB;
/** Problems of one server's lists that are reported one by one. */
export const upstreamListProblemsMax = 20;
/** For the confirmation of a subscription. */
export const upstreamSubscribeMsMax = 10_000;
/** A stream of changes that ended is opened again after so long, then after twice as long. */
export const upstreamListenAgainMs = 1_000;
/** The longest of these waits. */
export const upstreamListenAgainMsMax = 60_000;
/** A server whose output ended has ended itself within so long; else it merely closed it. */
export const upstreamEndKnownMs = 500;
/** The wait for the stderr of a server that ended, so that its failure has a reason. */
export const upstreamLastWordsMs = 100;
/** For the end of an HTTP session: a courtesy. */
export const upstreamGoodbyeMsMax = 1_000;
/** Requests to one HTTP server at once; the others wait. The runtime has 256 connections for all servers together. */
export const upstreamRequestsAtOnceMax = 64;
/** Notifications and answers to an HTTP server at once, for the same reason. */
export const upstreamPostsAtOnceMax = 8;
/** Notifications and answers that may wait for an HTTP server; more are not sent. */
export const upstreamPostsWaitingMax = 1_000;
/** A notification or an answer that an HTTP server has not taken in this time is given up. */
export const upstreamTakenMsMax = 10_000;
/** Between two attempts to take up a stream again, whatever the server says. */
export const upstreamResumeMsMin = 250;
/** Attempts to take up a broken stream again. */
export const upstreamResumesMax = 5;
/** Questions of a server in one call, in all; one at a time. Nobody answers more than that. */
export const upstreamQuestionsPerCallMax = 5;
/** A server's task is looked at this often, where the server does not say. */
export const upstreamTaskPollMsDefault = 1_000;
/** Not more often, whatever the server says: each look is a message both ways. */
export const upstreamTaskPollMsMin = 100;
/** Not less often: an answer that is there is not kept waiting longer. */
export const upstreamTaskPollMsMax = 30_000;
/** For a look at a task, an answer to its question and its end; all are small. */
export const upstreamTaskAnswerMsMax = 15_000;
/** Attempts to ask for a task, when a stream breaks or the server is busy. */
export const upstreamTaskMissesMax = 3;
/** Calls left before their answer whose late answer is still looked at: it may be a task, which is cancelled then. */
export const upstreamLeftCallsMax = 100;
/** Longer than its call the result of a task is wanted to be kept: the last look may come late. */
export const upstreamTaskKeptMs = 60_000;

// ---- Configuration of MCP servers ---------------------------------------------------------

/** Servers in one file: a user has some twenty, and 1 MiB of hostile file could name thousands. */
export const serversPerFileMax = 256;
/** Characters of a `config.toml`: twenty servers have 10,000. Parsing the worst text of this size takes some 0.1 s. */
export const tomlCharsMax = 128 * KIB;
/** Characters of an expanded argument, variable or header; Linux takes 128 KiB for one argument. */
export const expandedTextCharsMax = 128 * KIB;
/** References within the default of a reference, and so on: nobody writes three. */
export const expansionDepthMax = 8;
/** How often configuration files of servers are polled where the system reports no changes, so that changes apply within 2 s. */
export const serverFileLookMs = 1_500;
/** An editor writes a file in several steps; they are over by then. */
export const serverFileSettleMs = 150;
/** Secrets shorter than this are not taken out of texts: their characters are in every text. */
export const redactedCharsMin = 4;

// ---- MCP servers: results -----------------------------------------------------------------

/** Blocks of one result of an upstream server; an honest one has some dozens. */
export const resultBlocksMax = 10_000;
/** Values nested deeper than this are left out: JSON that is made by programs has some ten levels. */
export const jsonDepthMax = 200;
/** Characters of `_meta` of a result or block as JSON: a trace and some marks have some hundred. */
export const resultMetaCharsMax = 16 * KIB;

// ---- MCP servers: lists and calls -----------------------------------------------------

/**
 * The first `tools/list` waits this long for servers of which nothing is known yet, from the moment that their process runs: a
 * usual one starts in a second.
 */
export const upstreamListWaitMs = 1_300;
/** In all, while processes are still to be started, or another process of this user starts the same server. */
export const upstreamListWaitMsMax = 5_000;
/** A scorpiox-code process leaves a start to another one for this long: ten starts at once take ten times as long as one. */
export const upstreamTrialMsMax = 15_000;
/** Whether another process has heard of a server by now is looked at this often. */
export const upstreamTrialLookMs = 100;
/** A call by a name that nobody has waits this long for servers that are still being asked for their tools. */
export const upstreamNameWaitMs = 3_000;
/** Changes of the list within this time are announced once: servers that start together change it one after the other. */
export const upstreamChangeGatherMs = 250;
/** A cut result waits in memory until its client has registered the rest: for one that does not read, no longer than this. */
export const upstreamKeepMsMax = 1_000;
/** All cut results of a client that wait so: one that has been stopped gets the others without a task for the rest. */
export const upstreamKeepBytesMax = 32 * MIB;
/** Questions that a server may ask in one call: more is a server that works on the user. */
export const upstreamAsksMax = 5;
/** Calls that wait for a client to come back with answers, of all clients; each keeps a call to a server open. */
export const upstreamSuspendedMax = 100;
/** Characters of a server's words in one question to the user. */
export const upstreamAskCharsMax = 4_000;
/** Servers are given this long to complete an argument that somebody types. */
export const upstreamCompletionMsMax = 5_000;
/** Tools with the best words whose names are looked at more closely: no page shows more than a few of them. */
export const searchBoostedMax = 100;
/** Characters of a regular expression in a search for tools. */
export const searchPatternCharsMax = 200;
/** Characters of a description that it is matched with. */
export const searchPatternTextCharsMax = 1_000;
/** Time for all tools together; what was not looked at by then is said. */
export const searchPatternMsMax = 50;

// ---- MCP servers: schemas -----------------------------------------------------------------

/** Parts that a schema may have inside each other; the deepest of 500 real tools had 14. */
export const schemaDepthMax = 64;
/** Parts of one schema in all; the largest of real tools has some 1,000. */
export const schemaPartsMax = 20_000;
/** Looks at parts of a schema in one check: some 50 ms, where an honest one takes some hundred. */
export const schemaStepsMax = 50_000;
/** Time of one check, patterns included: each of them takes some 5 ms at most. The server's arguments are then not checked here. */
export const schemaCheckMsMax = 100;
/** A half-written private file that is older was left by a process that was killed. */
export const leftDraftMsMin = 60 * 60_000;
/** Characters of a regular expression that is used. */
export const schemaPatternCharsMax = 500;
/** Patterns for names of members that are used: each is matched with each name. */
export const schemaNamePatternsMax = 8;
/** Characters of all texts and names of a value that are matched with patterns. */
export const schemaCheckedCharsMax = 64 * KIB;
/** Longer texts and lists are not matched with patterns and not compared pairwise: work grows as the square. */
export const schemaCheckedTextCharsMax = 4 * KIB;
/** Items of a list and members of an object; longer ones are not matched or compared either. */
export const schemaCheckedItemsMax = 1_000;
/** Faults that are named: a model mends three at a time. */
export const schemaFaultsShownMax = 5;
/** Characters of the line that says what a tool does. */
export const toolSummaryCharsMax = 160;
/** Characters of the reason why a server is not there, in a reply of a search. */
export const searchReasonCharsMax = 300;
/** Tools that await approval in a reply of a search: it is about the others. */
export const searchBlockedMax = 10;
/** The part of a reply that may go to servers and tools that are not there. */
export const searchNotesCharsShare = 0.5;

// ---- MCP servers: their saved lists ----------------------------------------------

/** Bytes of the file that keeps what one server offers: 20,000 tools of 1.5 kB. */
export const catalogueFileBytesMax = 32 * MIB;
/** Bytes of the file with the lists of the last start: some 700 tools of 1.5 kB. Reading more would hold up the first list. */
export const keptListsBytesMax = 1024 * 1024;
/** A server whose file is older is asked again when we start, before somebody calls a tool that is gone. */
export const catalogueFreshMsMax = 7 * 24 * 60 * 60 * 1000;
/** Bytes of the instructions in the handshake: clients cut there. */
export const instructionsBytesMax = 2_048;
/** Characters of the description of an upstream tool; the longest of real ones has 9,000. */
export const upstreamDescriptionCharsMax = 16 * KIB;
/** Characters of a title: what fits on a line of a menu, many times over. */
export const upstreamTitleCharsMax = 200;
/** Characters of a server's own words in our instructions, in one line. */
export const upstreamIntroductionCharsMax = 500;
/** How long clients may cache lists that upstream servers contribute to, in ms. */
export const upstreamListTtlMsMax = 60_000;

// ---- MCP servers: commands ------------------------------------------------------------

/** Bytes of a configuration file of another client: some keep their history in it, which grows to tens of megabytes. */
export const importFileBytesMax = 128 * MIB;
/** Values in it as JSON, history included: a million take some 350 MB. */
export const importJsonValuesMax = 1_000_000;
/** Bytes and values of one that is written by hand, with comments or as YAML, with YAML's aliases expanded. */
export const importTextBytesMax = 4 * MIB;
export const importTextValuesMax = 200_000;
/** Size that YAML's aliases may expand to: their number times the length of the file. */
export const importAliasedCharsMax = 64 * MIB;
/** Bytes of one server's entry, or of a call's arguments, that are read from stdin: a message has at most as many. */
export const mcpEntryBytesMax = 16 * MIB;
/** A call that waits for another client's call as long has waited long; so many long waits separate the clients (HB4). */
export const upstreamLongWaitMs = 5_000;
export const upstreamLongWaitsMax = 2;
/** A client's calls on a shared connection that are sent at once while another client calls too: more would wait there. */
export const upstreamClientCallsAtOnceMax = 4;
/** A call that takes longer keeps no other call waiting: its server usually waits for something itself. */
export const upstreamQuickCallMs = 100;
/** A client leaves room for another one for so long after a call of that one. */
export const upstreamNeighbourMs = 10_000;
/** Lists that one client of a connection has just read are not read again for another. */
export const upstreamListsSharedMs = 10_000;
/** Calls whose clients left before the answer, and which the server may still be working on. */
export const upstreamAbandonedCallsMax = 1_000;
/** Connections to one server that is not shared: each may be a process. */
export const upstreamConnectionsPerServerMax = 256;
/** Characters of a server's own text in a state, a log or an error: some lines. */
export const upstreamReasonCharsMax = 2_000;
/** Characters of the names of a tool's arguments in its line of the index file. */
export const indexArgumentsCharsMax = 400;
/** A search waits this long for servers of which nothing is known yet. */
export const upstreamSearchWaitMs = 3_000;
/** Resources of upstream servers that are watched for all clients. */
export const upstreamSubscriptionsMax = 10_000;
/** Characters for the sentence that some tools are not shown in full, their names apart. */
export const searchCutNoteCharsMax = 200;
/** A command that lists upstream tools waits this long for servers that start: npx may have to get a package first. */
export const upstreamToolsWaitMs = 30_000;
/** Time for polling a watched resource of a server that does not announce changes: a small read. */
export const upstreamPollMsMax = 30_000;
/** Notices that were given and are not given again. */
export const upstreamNoticesKept = 1_000;

// ---- MCP servers: secrets and logins ---------------------------------------------------

/** Bytes of one secret: the largest are keys in PEM and the record of a login with two long tokens. */
export const secretBytesMax = 256 * KIB;
/** Names of secrets that are kept: far more than anybody has, and a list of them is still read at once. */
export const secretNamesMax = 2_000;
/** A keychain that has not answered by then asks the user for a password that nobody is there to type. */
export const keychainAnswerMs = 20_000;
/** Whether there is a keychain at all is known sooner. */
export const keychainProbeMs = 3_000;
/** Windows keeps at most 2,560 bytes in one credential: longer secrets are kept in pieces. */
export const keychainPieceBytes = 2_400;
/** Pieces of one secret: those of the longest, in base64. */
export const keychainPiecesMax = 200;
/** The command of `${cmd:…}`: a password manager may have to be unlocked with a fingerprint. */
export const secretCommandMsMax = 30_000;
/** Its output is reused for this long: it may ask the user for a fingerprint, and configuration is read again and again. */
export const secretCommandKeptMs = 10 * 60_000;
/** Bytes of what such a command writes. */
export const secretCommandBytesMax = 64 * KIB;
/** Bytes of a document about logins or of a token response; real ones have a few thousand. */
export const oauthDocumentBytesMax = 256 * KIB;
/** For one request to an authorization server. A refresh holds a lock meanwhile: less than others wait for that. */
export const oauthRequestMsMax = 4_000;
/** Redirects of a metadata document that are followed, each checked as the first address is. */
export const oauthRedirectsMax = 3;
/** The user has this long to log in. */
export const oauthLoginMsMax = 5 * 60_000;
/** Characters of a token: it travels in a header. */
export const oauthTokenCharsMax = 64 * KIB;
/** A server that refuses a token which is this new is not helped by another one. */
export const oauthRefreshPauseMs = 30_000;
/** A client assertion is used at once; the rest is for clocks that differ. Servers may refuse longer ones. */
export const oauthAssertionMsMax = 60_000;
/** Bits of an RSA key that signs a proof: RFC 7518 section 3.3. */
export const oauthRsaBitsMin = 2_048;
/** The part of a token's life after which it is renewed. */
export const oauthRefreshAtShare = 0.8;
/** Characters of an authorization server's error that are shown. */
export const oauthErrorCharsShown = 300;
/** A user who was shown a login address in a call and did not log in is not asked again before that. */
export const oauthAskAgainMs = 10 * 60_000;
/** A login is noticed by all servers that run within this. */
export const upstreamLoginSeenMs = 4_000;
/** Keys in a file of them: the one that seals, and those before it until all logins are renewed. */
export const secretsKeysMax = 16;
/** Bytes of one login of a principal: two tokens of `oauthTokenCharsMax`, sealed, and all that a renewal needs. */
export const userLoginBytesMax = 512 * KIB;
/** Rows of logins that a process remembers: 2,000 principals with five servers each. */
export const userLoginRowsKept = 10_000;
/** Logins in a list: more than anybody reads. */
export const userLoginsListedMax = 100_000;
/** A principal who was asked to log in has this long to open the page. */
export const userLoginAskMs = 10 * 60_000;
/** How often a waiting call looks whether its principal has logged in, perhaps at another replica: it costs one look at a file. */
export const userLoginLookMs = 250;
/** Rows that have expired are removed this often. */
export const userLoginSweepMs = 60_000;
/** Characters of the query or form of a login page: a code of `oauthTokenCharsMax` does not come by a URL. */
export const loginPageCharsMax = 16 * KIB;
/** Bytes of the list of logins; an entry has a few hundred. */
export const oauthLoginsBytesMax = 4 * MIB;
/** Files of one skill of an upstream server: the number that the extension requires every host to accept. */
export const upstreamSkillFilesMax = 512;
/** Bytes of all of them together: as the number of files. */
export const upstreamSkillBytesMax = 16 * MIB;
