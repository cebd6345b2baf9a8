import { createHash } from 'node:crypto';
import type { EpochSeconds } from '../../domain/time/interval.ts';

export type EventOrigin = {
  /** The UUID of the rule's revision. */
  readonly revision: string;
  /** null: the whole group. */
  readonly key: string | null;
  readonly startedAt: EpochSeconds;
};

/**
 * Returns the id of an event: a version 5 UUID (RFC 9562) of its start and key, with the revision
 * as the namespace. A window that is decided again yields events with the same ids.
 */
export function eventIdOf({ revision, key, startedAt }: EventOrigin): string {
  const hash = createHash('sha1');
  hash.update(Buffer.from(revision.replaceAll('-', ''), 'hex'));
  hash.update(JSON.stringify([startedAt, key]));
  const bytes = hash.digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
