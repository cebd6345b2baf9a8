import type { KeyKind, SimpleKeyKind } from '../domain/keys/key-kind.ts';
import type { Guid } from '../domain/text/guid.ts';
import type { Aggregate } from '../domain/toppers/meter-type.ts';

/** `aggregate` is null for a meter of type 0, which takes no readings. */
export type ImportMeter = {
  readonly id: number;
  readonly type: number;
  readonly meterIndex: number;
  readonly aggregate: Aggregate | null;
};

/** A counter group as an import needs it. */
export type ImportGroup = {
  readonly groupId: number;
  /** The group that its keys are keys of, where their texts are: itself, or another one. */
  readonly keysGroupId: number;
  readonly guid: Guid;
  readonly keyKind: KeyKind;
  readonly bucketSeconds: number;
  readonly topperBucketSeconds: number;
  readonly meters: ReadonlyMap<number, ImportMeter>;
  /** How readings of a meter combine, by meter. */
  readonly aggregates: readonly (Aggregate | null)[];
  /** For a cross-key group: the groups of its parts, and the kinds of their keys. */
  readonly partGuids: readonly Guid[];
  readonly partKinds: readonly SimpleKeyKind[];
};
