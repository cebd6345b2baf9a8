/**
 * Recognises a snapshot. text: a statement without parameters; isSame: whether its rows are
 * unchanged; seen: what was seen of each context, as text, by context id.
 */
export type SnapshotCheck = {
  readonly text: string;
  readonly isSame: (rows: readonly unknown[]) => boolean;
  readonly seen: ReadonlyMap<number, string>;
};

/** Data have changed between a statement that was read alone and the transaction after it. */
export class RetryRequest extends Error {
  constructor(
    reason = 'the data have changed since the first statement of the request',
    cause?: unknown,
  ) {
    super(`${reason}: it must be retried from the start`, { cause });
    this.name = 'RetryRequest';
  }
}

/** A pooler lost a prepared statement, and with it the transaction and its snapshot. */
export class StatementsLost extends RetryRequest {
  constructor(cause: unknown) {
    super('a pooler lost a prepared statement of the request', cause);
    this.name = 'StatementsLost';
  }
}

/** The answer must not take more memory before readers have taken some of the answers before it. */
export class AnswerPostponed extends RetryRequest {
  constructor() {
    super('too many bytes of answers are not taken by their readers');
    this.name = 'AnswerPostponed';
  }
}

/** Pages named by the request's manifest are missing: not on this node yet, or no longer there. */
export class PagesGone extends RetryRequest {
  constructor(cause: unknown) {
    super('segments of the request were replaced and swept, or are not on this node yet', cause);
    this.name = 'PagesGone';
  }
}

/**
 * Why a standby was passed over. behind, ahead: its versions are older or newer than requested;
 * foreign: its history is another one; slow: it took too long; gone: it could not be reached;
 * failed: a statement failed there.
 */
export const REJECTION_REASONS = ['behind', 'ahead', 'foreign', 'slow', 'gone', 'failed'] as const;

export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** A standby could not answer in place of the primary, so the primary will. */
export class StandbyRejected extends RetryRequest {
  readonly reason: RejectionReason;

  constructor(reason: RejectionReason, cause?: unknown) {
    super(`a standby was passed over, as it is ${reason}`, cause);
    this.name = 'StandbyRejected';
    this.reason = reason;
  }
}

/** Returns whether both checks have seen the same of every context that both have seen. */
export function agree(before: SnapshotCheck, after: SnapshotCheck): boolean {
  return [...after.seen].every(([thing, seen]) => (before.seen.get(thing) ?? seen) === seen);
}
