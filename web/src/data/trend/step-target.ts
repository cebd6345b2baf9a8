import type { Address } from '../../address/address.ts';
import { BY_METRIC } from '../../address/ranking.ts';
import type { Span } from '../choices.ts';

/** Leads to a key among the top keys of a step, ranked as the trend ranks. */
export const stepTarget = (
  { from, to }: Span,
  { key }: { readonly key: string },
): Partial<Address> => ({
  view: 'top',
  window: { kind: 'interval', from, to },
  ranking: BY_METRIC,
  prefix: null,
  key,
});
