import { lengthsName, type NetworkLengths } from '../../../domain/filters/network-lengths.ts';
import type { Interval } from '../../../domain/time/interval.ts';
import type { Fold } from '../../../domain/toppers/meter-type.ts';

/** What to read: one meter of one group over one interval, of one probe or (null) of all. */
export type MeterRead = {
  readonly groupId: number;
  readonly bucketSeconds: number;
  readonly slot: number;
  readonly fold: Fold;
  readonly probeId: number | null;
  readonly interval: Interval;
  /** The networks that the keys lie in are read, in place of the keys; null: the keys. */
  readonly prefix: NetworkLengths | null;
};

/** What tells a read from all others of the same meters: two of the same name read the same. */
export function nameOfRead({ groupId, slot, probeId, interval, prefix }: MeterRead): string {
  const read = `${groupId} ${slot} ${probeId} ${interval.from} ${interval.to}`;
  return prefix ? `${read} ${lengthsName(prefix)}` : read;
}
