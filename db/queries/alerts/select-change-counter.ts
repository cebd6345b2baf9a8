import type { ReadSession } from '../../session/read-session.ts';

/** A change of a context's alerts, as a subscriber's cursor has it. */
export type ChangePlace = {
  readonly number: number;
  /** A whole number as text: it tells whether the number is still that of the same change. */
  readonly nonce: string;
};

/** The newest change; number 0: there was none. */
export type ChangeCounter = ChangePlace & {
  /** Whether there is a change that follows the one that was asked about. */
  readonly hasNext: boolean;
};

/** Up to where there are changes of a context's alerts. One statement. */
export async function selectChangeCounter(
  session: Pick<ReadSession, 'read'>,
  contextId: number,
  { number, nonce }: ChangePlace,
): Promise<ChangeCounter> {
  const [counter] = await session.read<ChangeCounter>({
    query: 'select-change-counter',
    name: 'change counter',
    text: `
select last::float8 as number, nonce::text, exists (
  select from alert_changes c
  where c.context_id = $1 and c.number = $2::bigint + 1
    and $3::bigint in (c.nonce, c.nonce_before)) as "hasNext"
from alert_change_counters where context_id = $1`,
    values: [contextId, number, nonce],
  });
  return counter ?? { ...NO_CHANGE, hasNext: false };
}

export const NO_CHANGE: ChangePlace = { number: 0, nonce: '0' };
