import type { Address } from '../address/address.ts';
import { COMPARED } from '../data/earlier.ts';
import type { ShownEarlier } from './use-earlier.ts';

type EarlierKeyProps = {
  readonly earlier: ShownEarlier;
  readonly address: Pick<Address, 'compare'>;
};

/** Says what the dashed line over a chart is, or why there is none. */
export const EarlierKey = ({ earlier: { line, time, note }, address }: EarlierKeyProps) =>
  time && (
    <p class="earlier-key hint">
      {line && <span class="swatch is-earlier" />}
      {COMPARED[address.compare]}: {time}. {note}
    </p>
  );
