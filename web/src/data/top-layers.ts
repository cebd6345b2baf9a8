import type { Address, ChartForm } from '../address/address.ts';
import { type BigNumber, partOf, sum } from '../format/big-number.ts';
import { addsUp, type MeterKind } from './meter-kind.ts';
import type { ShownToppers } from './shown-toppers.ts';

/** All keys that have no layer of their own in the chart of top keys. */
export type Rest = {
  /** `Others` are the keys that the table does not list, everywhere on the page. */
  readonly name: string;
  readonly amount: BigNumber;
  /** Its part of what the whole chart is, 0 to 1. */
  readonly share: number;
};

type Charted = Pick<ShownToppers, 'others'> & {
  readonly table: Pick<ShownToppers['table'], 'keys'>;
  readonly chart: Pick<ShownToppers['chart'], 'lines'>;
};

export function restOf({ table: { keys }, chart: { lines }, others }: Charted): Rest {
  const charted = keys.slice(0, lines.length);
  const listed = keys.slice(lines.length);
  const amount = sum([others, ...listed.map(({ metric }) => metric)]);
  const whole = sum([amount, ...charted.map(({ metric }) => metric)]);
  return { name: nameOf(lines.length + 1, keys.length), amount, share: partOf(amount, whole) };
}

function nameOf(first: number, last: number): string {
  if (first > last) return 'Others';
  return first === last ? `Others and key ${last}` : `Others and keys ${first} – ${last}`;
}

/** With more than this share, the rest leaves too little height to the keys. */
const MOST_SHARE = 0.5;

/** Returns whether the chart has the rest: as the address says, or unless it is most of it. */
export const showsRest = ({ others }: Pick<Address, 'others'>, { share }: Rest): boolean =>
  others === null ? share <= MOST_SHARE : others === 'on';

/** Values that do not add up have no stack. */
export const formOf = ({ chart }: Pick<Address, 'chart'>, kind: MeterKind): ChartForm =>
  addsUp(kind) ? chart : 'lines';
