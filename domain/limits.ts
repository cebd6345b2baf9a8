import { ALERT_LIMITS } from './limits/alert-limits.ts';
import { EDIT_LIMITS } from './limits/edit-limits.ts';
import { FEED_LIMITS } from './limits/feed-limits.ts';
import { LIVE_LIMITS } from './limits/live-limits.ts';

/** Every limit of the service in one place, each with its reason. */
export const LIMITS = {
  /** A legacy request is a handful of parameters; a pattern may be long (decision 1). */
  restBodyBytes: 64 * 1024,
  /** A dashboard's document of 60 aliased toppers is about 20 KiB. */
  graphqlBodyBytes: 256 * 1024,
  /** Characters of all documents that are kept compiled, each of which takes some 100 bytes. */
  compiledDocumentCharacters: 512 * 1024,
  /** As how many of them each of their fields counts, written out: it takes some 1,000 bytes. */
  plannedFieldCharacters: 8,
  /** Characters of the documents of which it is known how often they were asked for. */
  notedDocumentCharacters: 4 * 1024 * 1024,
  /** Characters of all documents that are kept parsed, each of which takes some 100 bytes. */
  parsedDocumentCharacters: 512 * 1024,
  /** Characters of the documents that callers registered by their hash. */
  persistedDocumentCharacters: 4 * 1024 * 1024,
  /** Trusted documents, which are all compiled when the server starts. */
  trustedDocuments: 10_000,
  /** How often a document is asked for before it is compiled: most are asked for once. */
  compileAfter: 4,
  /** Variables of @skip and @include: an operation is planned for each combination asked for. */
  compiledConditions: 4,
  /** Tokens of a GraphQL document: a dashboard of 60 aliased toppers has about 3,000. */
  graphqlTokens: 5_000,
  /** Fields within fields: a drill-down of a drill-down, from its context on, has 9. */
  graphqlDepth: 12,
  /** Braces within braces, fragments counted too: what comes after calls itself for each. */
  graphqlNesting: 150,
  /** Fields within fields of `__schema` and `__type`: explorers and code generators need 15. */
  graphqlIntrospectionDepth: 20,
  /** Aliased fields of an operation: a dashboard gives one to each of its 60 toppers. */
  graphqlAliases: 100,
  /** Fields of an operation's outermost level: the same dashboard, without a common context. */
  graphqlRootFields: 100,
  /** Directives of an operation: `@include` and `@skip` are the only ones of use. */
  graphqlDirectives: 50,
  /** Comparisons of fields of one name, after which graphql-js stops: the number is its own. */
  graphqlComparisons: 500_000,
  /** Ids given to one `nodes`: those of a whole page of keys. */
  graphqlNodeIds: 1_000,
  /** Five dashboards of 60 toppers of 100 keys with percentiles over 30 days (reference/limits). */
  graphqlCost: 1_000_000,
  /** The highest that can be set: beyond it nothing is limited. */
  graphqlCostCeiling: 1_000_000_000,
  /** Days that a window costs at most: few data are older, and what is not there costs nothing. */
  graphqlCostDays: 366,
  /** The specification's default number of keys. */
  defaultMaxItems: 100,
  /** Steps of a trend: three and a half days in steps of five minutes. */
  trendSteps: 1_000,
  /** Keys listed of each step of a trend unless `maxItems` says otherwise. */
  defaultTrendItems: 10,
  /** Keys that `/metrics/toppers` lists: each is a time series that Prometheus keeps for weeks. */
  topperMetricsItems: 1_000,
  /** The same of a drill-down, which is asked for under every key (schema). */
  defaultDrilldownItems: 10,
  /** Keys or events that a tool of MCP lists unless asked for more: a model reads every one. */
  defaultMcpItems: 10,
  /** The most that it lists: some 20 KB, which a model can still keep in mind. */
  mcpItems: 100,
  /** Points that the series of a key has there unless asked for more. */
  defaultMcpPoints: 50,
  /** The most: a day of topper buckets of five minutes, and more. */
  mcpPoints: 500,
  /** Ceiling of maxitems unless configured (decision 29). */
  maxItems: 10_000,
  /** The highest ceiling that can be configured: such an answer has some 100 MB. */
  maxItemsCeiling: 1_000_000,
  /** Of one list, also over REST: all whole ones from 0 to 100. */
  percentileRanks: 101,
  /** Points of a series: a week of minutes (decisions, section 10). */
  seriesPoints: 10_000,
  /** Seconds between them: 68 years, the largest Int of GraphQL and of PostgreSQL. */
  seriesStepSeconds: 2_147_483_647,
  /** Points of the series of all listed keys of one topper: a hundred with 10,000 each. */
  seriesPointsInAll: 1_000_000,
  /** Values in one answer: these with time and value. Some 50 MB, and a second to write them. */
  answerValues: 2_000_000,
  /** Rows of a flat series: a hundred keys over three days, far more than a chart shows. */
  flatSeriesRows: 100_000,
  /** Keys listed by one page of `keys` unless `first` says otherwise. */
  defaultKeysPage: 50,
  /** Keys listed by one page of `keys`. */
  keysPage: 1_000,
  /** Seconds; beyond it PostgreSQL's statement_timeout and Node's timers overflow (decision 14). */
  timeoutSeconds: 2_147_483,
  /** Bytes of a text key (decisions, section 7). */
  textKeyBytes: 512,
  /** Bytes of a whole cross-key: what a PostgreSQL b-tree entry can hold. */
  crossKeyBytes: 2_600,
  /** Characters of a key pattern: RE2 is linear in it, but a program of it is kept in memory. */
  patternLength: 10_000,
  /** Instructions of a compiled key pattern: only counted repetitions give more than its length. */
  patternInstructions: 20_000,
  /** Values in one list of a key filter. */
  filterListItems: 10_000,
  /** Bytes of one line of an import; a longer one is not a log line. */
  importLineBytes: 1024 * 1024,
  /** Rows of readings kept in memory before an import writes them as segments. */
  importBatchRows: 1_500_000,
  /** Memory in bytes for them, as each may bring a key of its own. */
  importBatchBytes: 160 * 1024 * 1024,
  /** Bytes of key texts, labels and attributes kept in memory before an import writes them. */
  importBatchTextBytes: 64 * 1024 * 1024,
  /** Rows of an export whose keys are looked up at once: they may have long texts. */
  exportPageRows: 5_000,
  /** Keys with texts that an export reads at once, of which it remembers the compact form. */
  exportTextKeys: 20_000,
  /** Characters that an export renders before it writes them. */
  exportChunkCharacters: 256 * 1024,
  /** After its start the server first answers, then looks for segments to merge. */
  mergingFirstMs: 3_000,
  /** How often it looks again: a feed that commits each minute has something to merge every 12. */
  mergingEveryMs: 10_000,
  /** How often it looks for roll-ups to be made where nothing is to be merged. */
  rollUpLookSeconds: 3600,
  /** The same where nothing was imported or merged since: one falls due with time alone. */
  quietRollUpLookSeconds: 86_400,
  /** For how long a context is left alone whose segments could not be merged. */
  mergingRetrySeconds: 60,
  /** How often a command that waits for another one's merge looks whether it is done. */
  mergeLookMs: 200,
  /** How often what merges have replaced is swept: it stays for five minutes anyway. */
  sweepingEverySeconds: 60,
  /**
   * How long distributed pages are looked for that a worker does not have yet, before the request
   * begins anew: it commits some milliseconds after the coordinator, later where it is overloaded.
   */
  latePagesMs: 2_000,
  /** How long distributed pages are read until it is asked whether all workers still answer. */
  workerLookMs: 1_000,
  /** How long a new partition of pages waits while Citus moves a shard; feeds try again. */
  shardMoveWaitMs: 120_000,
  /** How often it is tried meanwhile. */
  shardMoveLookMs: 500,
  /** Of each table of pages: each partition is a table of its own in each of them. */
  shards: 1_000,
  /** How long an archived or dropped slice's samples wait for readers from before, at first. */
  detachWaitMs: 10_000,
  /** How often it is looked whether they are done. */
  detachLookMs: 50,
  /** Bytes of the header of an archive: it names groups, meters and probes. */
  archiveHeaderBytes: 64 * 1024 * 1024,
  /** Characters of a context's folder in a pool: a file's name may have 255 bytes. */
  archiveFolderCharacters: 150,
  /** After its start the server first answers, then looks for slices that are too old. */
  retentionFirstMs: 3_000,
  /** How often it looks again: slices get too old once an hour at most. */
  retentionEveryMs: 60_000,
  /** How long it waits for an import to give the context back before it looks again later. */
  retentionLockMs: 10_000,
  /** Differences that `verify` names; the others are only counted. */
  namedDifferences: 1_000,
  /** Addresses whose key and network an import remembers: those of a large office's day. */
  importKnownAddresses: 65_536,
  /** Slices one file may fill: each takes a few of PostgreSQL's locks (6,400 by default). */
  importSlices: 1_000,
  /** That one flow may last: a longer one comes from a clock that was wrong. */
  flowDays: 31,
  /** Bad lines that an import names; the others are only counted. */
  importNamedBadLines: 100,
  /** Characters of names of contexts, users, nodes, probes, pools, groups and meters. */
  nameLength: 200,
  /** A database that does not accept a connection in this time is not reachable. */
  connectTimeoutMs: 3_000,
  /** How long a pooler may let a new connection wait for a server process that is free. */
  poolerWaitMs: 30_000,
  /** After a cancel was sent, how long its statement may take to end before the socket is cut. */
  cancelGraceMs: 2_000,
  /** How often it is cancelled meanwhile: a cancel that comes before its statement is lost. */
  cancelAgainMs: 100,
  /** After a crash the embedded server first replays up to 2 GB of write-ahead log. */
  embeddedStartMs: 300_000,
  /** A fast shutdown ends with a checkpoint; one that takes longer than this is made immediate. */
  embeddedStopMs: 60_000,
  /** How often `serve` looks whether its embedded server is alive. */
  embeddedLookMs: 250,
  /** Before one that died again is started again; twice as long each time. */
  embeddedPauseMs: 500,
  /** The longest such pause; a server that lived longer is started again at once. */
  embeddedLongestPauseMs: 30_000,
  /** What a killed server left behind may take to end, each time that it is told so. */
  orphanGraceMs: 1_000,
  /** How long a request whose caller has gone counts as under way: its statement is cancelled. */
  goneCallerMs: 250,
  /** Bytes of a refused body that are still read, so that its caller gets to see the answer. */
  discardedBodyBytes: 16 * 1024 * 1024,
  /** How long they may take. */
  discardMs: 5_000,
  /** Seconds a server that ends waits for the requests it has begun to answer. */
  shutdownSeconds: 10,
  /** Seconds: what ends programs for good (systemd, Kubernetes) is rarely told to wait longer. */
  shutdownSecondsCeiling: 3_600,
  /** Before it closes idle connections, an ending server answers what was already on its way. */
  drainIdleMs: 500,
  /** Connections that wait to be accepted: the kernel's own limit, which is as many on Linux. */
  waitingConnections: 4_096,
  /** Addresses whose network is remembered: some hundred bytes each. */
  knownCallers: 1_000,
  /**
   * Requests worked on at once. Most wait for their turn, ten at a time are on the database; a
   * small server that stands still for a second fills them.
   */
  concurrentRequests: 1_024,
  /** More than one process can work on. */
  concurrentRequestsCeiling: 100_000,
  /** Of the same read, so many are under way at once: whoever comes then shares the next one. */
  sharedReads: 2,
  /** A shared read waits no longer than that for those before it. */
  sharedReadMs: 25,
  /** How long a request may wait to be begun: what a second's standstill delays is still answered. */
  startWaitMs: 2_000,
  /** A line in the log tells of all requests that were refused in this time. */
  refusalLogMs: 10_000,
  /** Failed log-ins of a user from one address: nobody mistypes so often, guessing needs more. */
  logInFailures: 20,
  /** Of all users from one address: an office behind it may have a dozen scripts that fail. */
  logInFailuresPerAddress: 300,
  /** Seconds over which they are counted, and a caller with too many is refused. */
  logInFailureSeconds: 60,
  /** Callers, and users of them, whose log-ins are remembered: some 10 MB. */
  rememberedCallers: 50_000,
  /** Open connections: an idle one takes some 20 KB and a file descriptor. */
  connections: 2_048,
  /** More than an operating system gives to a program. */
  connectionsCeiling: 1_000_000,
  /** Bytes of a request's line and headers: a key pattern of the longest fits in a query string. */
  headerBytes: 32 * 1024,
  /** A request's line and headers are one packet or a few. */
  headersSeconds: 10,
  /** Seconds for the whole of a request (256 KiB at 70 kbit/s), and to take any of an answer. */
  slowCallerSeconds: 30,
  /** How often it is looked for requests that take too long to arrive. */
  connectionCheckMs: 1_000,
  /** Seconds an idle connection is kept: longer than the 60 after which proxies give theirs up. */
  keepAliveSeconds: 65,
  /** An hour: an idle connection is cheap to open again. */
  keepAliveSecondsCeiling: 3_600,
  /** After so long without a sound it is tried whether a caller is still there. */
  tcpProbeMs: 30_000,
  /** Threads that add up blocks: beyond it memory is the limit, not processors. */
  workersCeiling: 64,
  /** Tasks that wait for one of them, of some milliseconds each: about as many as are worth it. */
  workerQueue: 256,
  /** Decoded segments in memory: a month of a large group, on a machine of 2 GB. */
  blockCacheMegabytes: 256,
  /** The highest that can be set: a terabyte. */
  blockCacheCeilingMegabytes: 1_048_576,
  /** Answers in memory: some thousand toppers of a hundred keys. */
  answerCacheMegabytes: 32,
  /** Rendered answers in memory: some thousand of a hundred keys. */
  responseCacheMegabytes: 32,
  /** A request beyond this is worth a line in the log, unless configured. */
  slowRequestMs: 1_000,
  /** Plans in such a line: the first ones say what kind of request it was. */
  slowLogPlans: 20,
  /** Names that callers choose and metrics have as labels: each is kept until the server ends. */
  metricNames: 200,
  /** How long a server that ends waits for its last traces to be taken. */
  traceFlushMs: 5_000,
  /** How long a request waits for a standby that is shared, in all: then the primary answers. */
  standbyWaitMs: 2_000,
  /** After a standby was passed over, when it is first looked at again; twice as long each time. */
  standbyLookMs: 100,
  /** The longest such pause. */
  standbyLongestLookMs: 5_000,
  /** A standby that is passed over for longer is worth a line in the log: others catch up. */
  standbyWarnMs: 1_000,
  /** Connections to each PostgreSQL node. */
  poolConnections: 10,
  /** Of several serving processes, each has at least so many of them. */
  poolConnectionsLeast: 2,
  /** Processes that serve at one address: the largest machines have some more processors. */
  processesCeiling: 64,
  /** Before a process that could not start is started again; twice as long each time. */
  processPauseMs: 500,
  /** The longest such pause. */
  processLongestPauseMs: 30_000,
  /** Starts that fail one after the other until the server, if nothing serves, gives up. */
  processStarts: 8,
  /** How often each process is asked whether it still takes messages … */
  processLookMs: 5_000,
  /** … and so often in a row it may give no answer: nothing that it does takes half a minute. */
  processSilentLooks: 6,
  /** How long a process may take to tell its metrics, before what it told last is taken. */
  processMetricsMs: 1_000,
  /** Beyond the time for its requests and traces, how long an ending process may take. */
  processEndMs: 5_000,
  /** `parity` asks both services for so many requests at once: it must not be a load to either. */
  parityAtOnce: 4,
  /** Different requests of one run, which are held in memory. */
  parityRequests: 200_000,
  /** Callers may wait for as long as a topper takes; longer is a difference that they notice. */
  parityTimeoutMs: 120_000,
  ...LIVE_LIMITS,
  ...ALERT_LIMITS,
  ...EDIT_LIMITS,
  ...FEED_LIMITS,
} as const;
