/** What a feed did not bring into its context, and why. */
export type FeedLossCounts = {
  /** Lines that could not be accepted and were skipped. */
  readonly refusedLines: number;
  /** Flows of archived slices. */
  readonly leftOutFlows: number;
  /** What exporters sent but no line reports, in the units that their protocols count. */
  readonly lostFlows: number;
  readonly lostPackets: number;
  readonly lostDatagrams: number;
};

export const NO_LOSSES: FeedLossCounts = {
  refusedLines: 0,
  leftOutFlows: 0,
  lostFlows: 0,
  lostPackets: 0,
  lostDatagrams: 0,
};
