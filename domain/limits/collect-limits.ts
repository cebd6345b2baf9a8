/** Limits of collecting datagrams of exporters, each with its reason. */
export const COLLECT_LIMITS = {
  /** What a socket asks of the system for datagrams that wait: some seconds of a busy exporter. */
  collectReceiveBytes: 4 * 1024 * 1024,
  /** A block of datagrams on their way from the thread that receives them: about 170 large ones. */
  collectBlockBytes: 256 * 1024,
  /** Blocks that wait to be decoded, 16 MB: ten seconds of 30,000 flows each. */
  collectBlocks: 64,
  /** How long a block that is not full waits for more. */
  collectBlockMs: 20,
  /** How long a collector that ends reads what has been received: that takes a moment. */
  collectDrainMs: 1_000,
  /** How long a missing datagram may be late before it counts as lost: UDP may change the order. */
  collectReorderMs: 2_000,
  /** How often a collector stores what it knows of exporters, beside each commit of flows. */
  collectReportEveryMs: 10_000,
  /** Exporters that are named; what others send is counted without their names. */
  collectExporters: 1_000,
  /** How long an exporter is silent until any new one may take its place among these. */
  collectForgetMs: 86_400_000,
  /** Sequences of an exporter that are followed: a chassis has some dozens of line cards. */
  collectSequences: 256,
  /** Gaps of a sequence that may still be filled by late datagrams. */
  collectGaps: 1_000,
  /** A longer gap is an exporter that began anew: a quarter of an hour of 10,000 flows a second. */
  collectLongestGap: 10_000_000,
  /** A longer gap to the numbers from another port is another exporter behind the same address. */
  collectMovedGap: 10_000,
  /** How far the start of an exporter, reckoned from its uptime, may shift without a restart. */
  collectStartShiftMs: 10_000,
  /** Sampling rates of an exporter that are told: those used last. */
  collectRates: 16,
  /** How long a sampling rate counts as in use: routers export busy flows about once a minute. */
  collectRateMs: 3_600_000,
  /** How far an exporter's clock may differ before that is said in words: half a bucket of flows. */
  collectClockSeconds: 30,
  /** Pause before a collector beside a server starts again; each further one is twice as long. */
  collectFirstRestartMs: 1_000,
  /** The longest such pause; a collector that has run for so long starts again at once. */
  collectLongestRestartMs: 30_000,
  /** How long such a collector may take to end: longer than its last commit (feedLastCommitMs). */
  collectEndMs: 35_000,
} as const;
