import type { ReadSession } from '../../session/read-session.ts';

/** The position of a change of a context's alerts, as in a subscriber's cursor. */
export type ChangeCursor = {
  readonly number: number;
  /** An integer as text. It shows whether the number still belongs to the same change. */
  readonly nonce: string;
};

/** The newest change; number 0: there was none. */
export type ChangeCounter = ChangeCursor & {
  /** Whether a change follows the one asked about. */
  readonly hasNext: boolean;
};

/** Selects the position of the newest change of a context's alerts. One statement. */
export async function selectChangeCounter(
  session: Pick<ReadSession, 'read'>,
  contextId: number,
  { number, nonce }: ChangeCursor,
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

export const NO_CHANGE: ChangeCursor = { number: 0, nonce: '0' };
