import { checkReadiness } from '../db/check-readiness.ts';
import type { Service } from './service.ts';

/** null when requests can be answered; else a sentence that says why they should go elsewhere. */
export async function readiness({
  state,
  pools,
}: Pick<Service, 'state' | 'pools'>): Promise<string | null> {
  if (state.isClosing) return 'draining: the server is closing, and takes no new requests';
  return checkReadiness(pools);
}
