import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isRequestId } from '../../db/session/session-name.ts';

export type IsTrusted = (address: string, hop: number) => boolean;

/**
 * Returns the id that a trusted proxy gave the request, so that its log and ours can be correlated.
 * Replaces an id from anybody else, or in another form, with a new one: a caller that may choose
 * ids can hide behind those of others.
 */
export function requestIdOf(request: IncomingMessage, isTrusted: IsTrusted): string {
  const given = request.headers['x-request-id'];
  const { remoteAddress } = request.socket;
  if (typeof given !== 'string' || remoteAddress === undefined) return randomUUID();
  return isTrusted(remoteAddress, 0) && isRequestId(given) ? given : randomUUID();
}
