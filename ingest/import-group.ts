import type { KeyKind, SimpleKeyKind } from '../domain/keys/key-kind.ts';
import type { Guid } from '../domain/text/guid.ts';
import type { Fold } from '../domain/toppers/meter-type.ts';

/** fold is null for a meter of type 0, which takes no readings. */
export type ImportMeter = {
  readonly id: number;
  readonly type: number;
  readonly slot: number;
  readonly fold: Fold | null;
};

/** A counter group as an import needs it. */
export type ImportGroup = {
  readonly groupId: number;
  readonly guid: Guid;
  readonly keyKind: KeyKind;
  readonly bucketSeconds: number;
  readonly topperBucketSeconds: number;
  readonly meters: ReadonlyMap<number, ImportMeter>;
  /** By slot − 1: how readings of the slot combine. */
  readonly folds: readonly (Fold | null)[];
  /** Of a cross-key group: the groups that its parts come from, and what their keys are. */
  readonly partGuids: readonly Guid[];
  readonly partKinds: readonly SimpleKeyKind[];
};
