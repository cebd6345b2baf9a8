import type { ExporterRow } from '../../db/sql/exporters.ts';
import type { LostUnits } from '../../domain/exporters.ts';
import type { ReadUnit, SkippedLines } from '../lines/skipped-lines.ts';
import type { ExporterLoss } from '../losses/feed-losses.ts';
import type { MonotonicMs } from './feed-clock.ts';
import type { LateFlowCounter } from './late-flows.ts';
import type { PendingFlows } from './pending-flows.ts';

/** Where the flows of a feed come from: lines, or the datagrams of exporters. */
export type FeedInput = {
  /** Its name in messages. */
  readonly name: string;
  readonly unit: ReadUnit;
  /** Begins to read into the sink. */
  readonly open: (sink: FeedSink) => FeedReader;
};

/** Where a reader puts flows. */
export type FeedSink = {
  readonly pending: PendingFlows;
  readonly late: LateFlowCounter;
  /** Returns what to wait for before more is read, or null. */
  readonly room: () => Promise<void> | null;
};

export type FeedReader = {
  /** Resolved when reading is over, for whatever reason. */
  readonly done: Promise<void>;
  readonly stop: () => void;
  readonly tally: () => ReaderTally;
  readonly losses: ReaderLosses;
  /** What is known of the exporters that are heard, to be stored with each commit. */
  readonly exporters: () => readonly ExporterRow[];
  /** Throws what ended the reading. Called when everything before it is committed. */
  readonly throwIfFailed: () => void;
  /** Throws if nothing was counted and that is likely a mistake, as with a file. */
  readonly throwIfUncounted: () => void;
};

export type ReaderTally = {
  /** Lines, or datagrams. */
  readonly lines: number;
  /** Number of flows that were read. */
  readonly flows: number;
  /** What could be read and is not counted, by reason. */
  readonly skipped: SkippedLines;
  /** What could not be accepted. */
  readonly badLines: number;
};

/** What exporters sent that did not arrive, as far as a reader can tell. */
export type ReaderLosses = {
  /** Settles what has had time to arrive. Returns whether more is lost than at the last call. */
  readonly settle: (nowMs: MonotonicMs) => boolean;
  /** Settles everything, because nothing more arrives. Returns the same. */
  readonly end: () => boolean;
  readonly total: () => LostUnits;
  /** The exporters that lost something, largest loss first. */
  readonly exporters: () => readonly ExporterLoss[];
};
