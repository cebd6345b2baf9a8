import type { KeyKind, SimpleKeyKind } from '../domain/keys/key-kind.ts';
import type { Fold } from '../domain/toppers/meter-type.ts';

/** What a counter group says about its segments. */
export type SegmentShape = {
  readonly keyKind: KeyKind;
  /** Of a cross-key group the kinds of its two or three parts, else null. */
  readonly partKinds: readonly SimpleKeyKind[] | null;
  readonly bucketSeconds: number;
  /** A multiple of bucketSeconds. */
  readonly topperBucketSeconds: number;
  /** The meters by slot − 1; null: a meter that takes no readings. */
  readonly folds: readonly (Fold | null)[];
};
