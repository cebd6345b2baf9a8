import { selectBlockChanges } from '../../db/queries/select-block-changes.ts';
import type { TimeBound } from '../../db/read-session.ts';
import type { ContextState, NodeReader } from './node-reader.ts';

/** Makes what is remembered true at the snapshot's version, where that is the newer one. */
export async function catchUp(
  { memory, session }: NodeReader,
  { contextId, memoryKey, versions }: ContextState,
  bound: TimeBound | null,
): Promise<void> {
  const known = memory.versionOf(memoryKey);
  if (known !== null && known >= versions.version) return;
  const changes =
    known === null ? null : await selectBlockChanges(session, contextId, known, bound);
  // Somebody else may have been faster: what they did must not be undone.
  if (memory.versionOf(memoryKey) === known) memory.moveOn(memoryKey, versions.version, changes);
}
