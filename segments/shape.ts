import type { KeyKind, SimpleKeyKind } from '../domain/keys/key-kind.ts';
import type { Aggregate } from '../domain/toppers/meter-type.ts';

/** The properties of a counter group that determine the form of its segments. */
export type SegmentShape = {
  readonly keyKind: KeyKind;
  /** The kinds of a cross-key group's two or three parts; null for other groups. */
  readonly partKinds: readonly SimpleKeyKind[] | null;
  readonly bucketSeconds: number;
  /** A multiple of bucketSeconds. */
  readonly topperBucketSeconds: number;
  /**
   * By meter: how the meter's readings are combined; null for a meter that takes no readings.
   */
  readonly aggregates: readonly (Aggregate | null)[];
};
