import { createHash, timingSafeEqual } from 'node:crypto';
import type { Role } from '../../domain/callers/role.ts';
import { ServiceError, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { pause } from '../loaders/session/event-loop-turns.ts';
import type {
  Claim,
  IdentityRow,
  NodeRow,
  RequestReads,
} from '../loaders/session/request-reads.ts';
import type { NodeDirectory } from '../node-directory.ts';
import { urlOf } from '../nodes.ts';
import type { LogInGate } from './log-in-gate.ts';

export type Credentials = {
  readonly username: string;
  readonly token: string;
  /** The context whose slices are asked for, where that is known: they come in the same breath. */
  readonly slicesOf?: string | null;
};

export type GrantedContext = {
  readonly contextId: number;
  readonly name: string;
  readonly role: Role;
  readonly nodes: readonly NodeRow[];
};

/** A user who proved who they are, and the contexts they may read, by name. */
export type Identity = {
  readonly username: string;
  readonly contexts: ReadonlyMap<string, GrantedContext>;
  /** The node that vouched for them: the primary, unless it could not be reached. */
  readonly nodeUrl: string;
};

export type IdentitySources = {
  readonly reads: RequestReads;
  readonly directory: NodeDirectory;
  readonly variable: (name: string) => string | undefined;
  readonly gate: LogInGate;
};

/**
 * Who is asking. Fails with `invalidToken` for an unknown user and for a wrong token alike, in the
 * same time (decision 10), with `tooManyFailures` after many of them, and with `busy`. While the
 * primary cannot be reached, `standIns` are asked in turn: they hold the same users and grants
 * (decision 13).
 */
export function identify(
  sources: IdentitySources,
  { username, token, slicesOf = null }: Credentials,
  standIns: readonly NodeRow[],
): Promise<Identity> {
  return identifyBy(sources, { username, digest: digestOf(token), slicesOf }, standIns);
}

/** What is kept of a token. */
export const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The same for those of whose token only the digest is known. */
export async function identifyBy(
  sources: IdentitySources,
  claim: Claim,
  standIns: readonly NodeRow[],
): Promise<Identity> {
  const end = sources.reads.onWork('identity', 'identify');
  try {
    const identity = await prove(sources, claim, standIns);
    sources.reads.noteIdentity(identity.username);
    await pause();
    end();
    return identity;
  } catch (error) {
    end(error);
    throw error;
  }
}

async function prove(
  sources: IdentitySources,
  claim: Claim,
  standIns: readonly NodeRow[],
): Promise<Identity> {
  const { username, digest: given } = claim;
  sources.gate.check(username);
  const { row, nodeUrl } = await findUser(sources, claim, standIns);
  const stored = row?.digest ?? Buffer.alloc(given.length);
  // An unknown user is compared as well, with zeros, so that both cost the same.
  const matches = timingSafeEqual(given, stored);
  if (!row?.digest || !matches) throw sources.gate.failed(username);
  sources.gate.proved(username);
  const contexts = row.contexts.map(({ contextId, name, role, nodes }) => {
    sources.directory.remember(name, nodes);
    return [name, { contextId, name, role, nodes }] as const;
  });
  return { username, contexts: new Map(contexts), nodeUrl };
}

async function findUser(
  { reads, variable }: IdentitySources,
  claim: Claim,
  standIns: readonly NodeRow[],
): Promise<{ row: IdentityRow | null; nodeUrl: string }> {
  const urls = [reads.primaryUrl, ...standIns.map((node) => urlOf(node, variable))];
  const candidates = [...new Set(urls)].filter((url) => url !== null);
  let failure: unknown = null;
  for (const [index, nodeUrl] of candidates.entries()) {
    // A node that hangs must not keep those from answering that would stand in for it.
    const isLast = index === candidates.length - 1;
    const bound = isLast ? null : reads.boundFromNow(LIMITS.connectTimeoutMs / 1000);
    try {
      return { row: await reads.identity(nodeUrl, claim, bound), nodeUrl };
    } catch (error) {
      if (isLast || !isOutOfReach(error)) throw error;
      failure = error;
    }
  }
  throw failure ?? serviceError('unreachable');
}

const isOutOfReach = (error: unknown): boolean =>
  error instanceof ServiceError && (error.kind === 'unreachable' || error.kind === 'timeout');
