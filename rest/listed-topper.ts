import type { KeyAttribute } from '../resolvers/keys.ts';

/** The content of a topper's answer, before it is written in the requested format. */
export type ListedTopper = {
  readonly guid: string;
  readonly meterIndex: number;
  readonly others: number | bigint;
  /** Made as they are read: there may be many. */
  readonly keys: Iterable<ListedKey>;
};

/** A field is null if it was not requested. */
export type ListedKey = {
  readonly key: string;
  readonly names: { readonly readable: string; readonly label: string } | null;
  readonly metric: number | bigint;
  /** null also if the key has none. */
  readonly description: string | null;
  readonly attributes: readonly KeyAttribute[] | null;
  readonly percentiles: readonly { rank: number; value: number | bigint }[] | null;
};
