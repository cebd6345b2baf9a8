import type { KeyAttribute } from '../resolvers/keys.ts';

/** What the topper's answer says, before it is written in the format that was asked for. */
export type ListedTopper = {
  readonly guid: string;
  readonly meterIndex: number;
  readonly others: number | bigint;
  readonly keys: readonly ListedKey[];
};

/** A field is null where it was not asked for. */
export type ListedKey = {
  readonly key: string;
  readonly names: { readonly readable: string; readonly label: string } | null;
  readonly metric: number | bigint;
  /** null also where the key has none. */
  readonly description: string | null;
  readonly attributes: readonly KeyAttribute[] | null;
  readonly percentiles: readonly { rank: number; value: number | bigint }[] | null;
};
