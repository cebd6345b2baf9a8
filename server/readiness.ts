import { checkReadiness } from '../db/check-readiness.ts';
import { LOST_STATEMENTS } from '../db/pooler.ts';
import type { Service } from './service.ts';

export type Readiness = {
  /** A sentence that says why requests should go elsewhere; null: they can be answered. */
  readonly problem: string | null;
  /** What an operator should mend although requests are answered. */
  readonly warning: string | null;
};

export async function readiness({
  state,
  pools,
}: Pick<Service, 'state' | 'pools'>): Promise<Readiness> {
  if (state.isClosing) {
    return { problem: 'draining: the server is closing, and takes no new requests', warning: null };
  }
  const problem = await checkReadiness(pools);
  const losesStatements = pools.entries().some(([, { pooler }]) => pooler.losesStatements);
  return { problem, warning: losesStatements ? LOST_STATEMENTS : null };
}
