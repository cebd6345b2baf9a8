/** Limits of feeds and of what they lose, each with its reason. */
export const FEED_LIMITS = {
  /** Flows that a feed holds in memory, those that are being committed too: some 100 MB. */
  feedPendingFlows: 200_000,
  /** A flow is committed at the latest so long after it was read, however slow its stream is. */
  feedHoldMs: 120_000,
  /** Seconds in which flows of a bucket that is over may still come, unless told otherwise. */
  feedLatenessSeconds: 30,
  /** A day: beyond it `feedHoldMs` decides. */
  feedLatenessCeilingSeconds: 86_400,
  /** Late flows are due at once, and each commit costs some ten statements. */
  feedCommitEveryMs: 5_000,
  /** How often a feed looks for what is due, and tells how it stands. */
  feedTickMs: 1_000,
  /** A feed writes a line about itself so often where it does not write to a terminal. */
  feedStatusMs: 10_000,
  /** After a failed commit, the first pause; then each is twice as long as the one before. */
  feedFirstRetryMs: 200,
  /** No pause is longer: the database is back for some seconds before it is noticed. */
  feedLongestRetryMs: 5_000,
  /** Told to end, how long a feed tries its last commit: systemd waits 90 seconds. */
  feedLastCommitMs: 30_000,
  /** What a feed lost is stored so often where no flows are committed with it. */
  feedLossesEveryMs: 30_000,
  /** How long a missing sequence number may still come: pmacct prints a minute in any order. */
  lostAfterMs: 60_000,
  /** Lines after which it is looked what is lost where no clock tells, as in a file. */
  lostAfterLines: 200_000,
  /** Exporters whose sequence numbers are followed: some kilobytes each. */
  lossExporters: 1_000,
  /** An exporter that sent nothing for so long is forgotten: what it sends next begins anew. */
  lossExporterIdleMs: 3_600_000,
  /** Sequences that one exporter may number side by side, as each of its line cards does. */
  lossSequences: 16,
  /** How far a number may be from its sequence where an exporter may have several of them. */
  lossNearNumbers: 10_000,
  /** The same where a line says which sequence it is of; pmacct prints a minute in any order. */
  lossNearNumbersOfOne: 1_000_000,
  /** What may be lost at once: a quarter of an hour of 10,000 flows a second. */
  lossLongestGap: 10_000_000,
  /** Lines of an exporter after which a sequence that none of them is of has ended … */
  lossSilentLines: 1_000,
  /** … and as many times of `lostAfterMs`: a line card may be idle for minutes. */
  lossSilentLooks: 5,
  /** Exporters that a report names with what was lost of them; the others are only counted. */
  lossNamedExporters: 100,
} as const;
