/** Limits of feeds and of what they lose, each with its reason. */
export const FEED_LIMITS = {
  /** Flows that a feed holds in memory, including those being committed: about 100 MB. */
  feedPendingFlows: 200_000,
  /** Longest wait of a flow, however slow its stream is. A longer lateness prolongs it. */
  feedHoldMs: 120_000,
  /** Seconds after the end of a bucket in which its flows may still arrive, unless configured. */
  feedLatenessSeconds: 30,
  /** A day: a crash loses the flows that wait, and `feedPendingFlows` bounds them anyway. */
  feedLatenessCeilingSeconds: 86_400,
  /** Pause between commits: late flows are due right away, a commit costs about ten statements. */
  feedCommitEveryMs: 5_000,
  /** How often a feed checks for flows that are due, and reports its status. */
  feedTickMs: 1_000,
  /** How often a feed prints a line about itself if it does not write to a terminal. */
  feedStatusMs: 10_000,
  /** The first pause after a failed commit; each further pause is twice as long. */
  feedFirstRetryMs: 200,
  /** The longest such pause: a database that is back goes unnoticed for a few seconds. */
  feedLongestRetryMs: 5_000,
  /** How long a feed that is told to end retries its last commit: systemd waits 90 seconds. */
  feedLastCommitMs: 30_000,
  /** How often the losses of a feed are stored if no flows are committed with them. */
  feedLossesEveryMs: 30_000,
  /** How long a feed waits for another one of its context and probe to end, or to be given up. */
  feedBesideWaitMs: 30_000,
  /** How long a missing sequence number may be late: pmacct prints a minute in any order. */
  lostAfterMs: 60_000,
  /** Lines after which losses are judged when no clock runs, as in a file. */
  lostAfterLines: 200_000,
  /** Exporters whose sequence numbers are followed: some kilobytes each. */
  lossExporters: 1_000,
  /** Silence after which an exporter is forgotten: what it sends next starts a new sequence. */
  lossExporterIdleMs: 3_600_000,
  /** Sequences that one exporter may number in parallel, as each of its line cards does. */
  lossSequences: 16,
  /** How far a number may be from its sequence if an exporter may have several sequences. */
  lossNearNumbers: 10_000,
  /** The same if a line names its sequence; pmacct prints a minute in any order. */
  lossNearNumbersOfOne: 1_000_000,
  /** The most that may be lost at once: a quarter of an hour of 10,000 flows a second. */
  lossLongestGap: 10_000_000,
  /** Lines of an exporter after which a sequence without any of them has ended … */
  lossSilentLines: 1_000,
  /** … if as many times `lostAfterMs` have also passed: a line card may be idle for minutes. */
  lossSilentChecks: 5,
  /** Exporters that a report names, with their losses. It only counts the others. */
  lossNamedExporters: 100,
  /** Exporters of a context that an answer lists: as many as one run of a collector names. */
  listedExporters: 1_000,
} as const;
