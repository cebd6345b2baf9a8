import type { Connection } from '../../db/connection/connection.ts';
import type { ContextNumbers } from '../../db/write/segments/raise-layout.ts';
import { type Publication, publishSegments } from '../publish/publish-segments.ts';
import type { WrittenSegments } from './pair-writer.ts';

type WrittenPublication = Pick<Publication, 'contextId' | 'changes' | 'at'>;

/**
 * Publishes written segments, as the last step of the transaction. Parts are born and die at once,
 * so that they are swept like all merged segments.
 */
export async function publishWritten(
  connection: Connection,
  publication: WrittenPublication,
  { live, dead }: WrittenSegments,
): Promise<ContextNumbers> {
  if (dead.length > 0) {
    await publishSegments(connection, { ...publication, born: dead, died: [] });
  }
  const died = dead.map(({ segmentId }) => segmentId);
  return publishSegments(connection, { ...publication, born: live, died });
}
