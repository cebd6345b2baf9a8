import { serviceError } from '../../domain/errors.ts';
import { parseGuid } from '../../domain/text/guid.ts';
import type { ContextView } from '../../resolvers/contexts.ts';
import { type CounterGroupView, findGroup } from '../../resolvers/counter-groups.ts';

/** Decision 4: a malformed GUID gives the same error as one that is not in the context. */
export async function existingGroup(at: ContextView, text: string): Promise<CounterGroupView> {
  const guid = parseGuid(text);
  const group = guid && (await findGroup(at, guid));
  if (!group) throw serviceError('invalidCounterGroup', { guid: text });
  return group;
}
