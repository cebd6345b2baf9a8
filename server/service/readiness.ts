import { checkReadiness } from '../../db/check-readiness.ts';
import { LOST_STATEMENTS } from '../../db/connection/pooler.ts';
import type { Service } from './service.ts';

export type Readiness = {
  /** A sentence that says why requests should go elsewhere; null: they can be answered. */
  readonly problem: string | null;
  /** What an operator should fix although requests are answered. */
  readonly warnings: readonly string[];
};

export async function readiness({
  state,
  pools,
  siblings,
}: Pick<Service, 'state' | 'pools' | 'siblings'>): Promise<Readiness> {
  if (state.isClosing) {
    return { problem: 'draining: the server is closing, and takes no new requests', warnings: [] };
  }
  const { problem, warning } = await checkReadiness(pools);
  const losesStatements = pools.entries().some(([, { pooler }]) => pooler.losesStatements);
  const missing = siblings?.missing() ?? null;
  return {
    problem,
    warnings: [warning, losesStatements ? LOST_STATEMENTS : null, missing].filter(
      (each) => each !== null,
    ),
  };
}
