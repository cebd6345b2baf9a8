/**
 * By what a snapshot is known again. text: a statement without parameters; isSame: whether its rows
 * are what they were; seen: what was seen of each thing, as a text.
 */
export type SnapshotCheck = {
  readonly text: string;
  readonly isSame: (rows: readonly unknown[]) => boolean;
  readonly seen: ReadonlyMap<number, string>;
};

/** Between a statement that was read alone and the transaction after it, data have changed. */
export class SnapshotMoved extends Error {
  constructor(
    reason = 'the data have changed since the first statement of the request',
    cause?: unknown,
  ) {
    super(`${reason}: it has to begin anew`, { cause });
    this.name = 'SnapshotMoved';
  }
}

/** A pooler lost a prepared statement, and the transaction with it, and with that the snapshot. */
export class StatementsLost extends SnapshotMoved {
  constructor(cause: unknown) {
    super('a pooler lost a prepared statement of the request', cause);
    this.name = 'StatementsLost';
  }
}

/** Pages that the request's manifest names are not there, or not any more. */
export class PagesGone extends SnapshotMoved {
  constructor(cause: unknown) {
    super('segments of the request were replaced and swept, or are not on this node yet', cause);
    this.name = 'PagesGone';
  }
}

/**
 * Why a standby was passed over: its versions are older or newer than those that were asked for;
 * its history is another one; it took too long; it could not be reached; a statement failed there.
 */
export const PASS_REASONS = ['behind', 'ahead', 'foreign', 'slow', 'gone', 'failed'] as const;

export type PassReason = (typeof PASS_REASONS)[number];

/** A standby could not answer in place of the primary: the primary will. */
export class PassedOver extends SnapshotMoved {
  readonly reason: PassReason;

  constructor(reason: PassReason, cause?: unknown) {
    super(`a standby was passed over, as it is ${reason}`, cause);
    this.name = 'PassedOver';
    this.reason = reason;
  }
}

/** Whether the same was seen of everything that both have seen. */
export function agree(before: SnapshotCheck, after: SnapshotCheck): boolean {
  return [...after.seen].every(([thing, seen]) => (before.seen.get(thing) ?? seen) === seen);
}
