import { createHash, timingSafeEqual } from 'node:crypto';
import type { Role } from '../../domain/callers/role.ts';
import { ServiceError, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Claim, IdentityRow, NodeRow, RequestReads } from '../loaders/request-reads.ts';
import { pause } from '../loaders/session/event-loop-turns.ts';
import type { NodeDirectory } from '../node-directory.ts';
import { urlOf } from '../nodes.ts';
import type { LogInGate } from './log-in-gate.ts';

export type Credentials = {
  readonly username: string;
  readonly token: string;
  /** The context whose slices are requested, if known: the same statement then reads them. */
  readonly slicesOf?: string | null;
};

export type GrantedContext = {
  readonly contextId: number;
  readonly name: string;
  readonly role: Role;
  readonly nodes: readonly NodeRow[];
};

/** An authenticated user, and the contexts they may read, by name. */
export type Identity = {
  readonly username: string;
  readonly contexts: ReadonlyMap<string, GrantedContext>;
  /** The node that authenticated the user: the primary, unless it could not be reached. */
  readonly nodeUrl: string;
};

export type IdentitySources = {
  readonly reads: RequestReads;
  readonly directory: NodeDirectory;
  readonly variable: (name: string) => string | undefined;
  readonly gate: LogInGate;
};

/**
 * Authenticates the caller. Fails with `invalidToken` for an unknown user and for a wrong token
 * alike, in the same time (decision 10); with `tooManyFailures` after many such failures; and with
 * `busy`. While the primary cannot be reached, `standIns` are tried in turn: they have the same
 * users and grants (decision 13).
 */
export function identify(
  sources: IdentitySources,
  { username, token, slicesOf = null }: Credentials,
  standIns: readonly NodeRow[],
): Promise<Identity> {
  return identifyBy(sources, { username, digest: digestOf(token), slicesOf }, standIns);
}

/** Returns the digest of a token. Nothing else of the token is kept. */
export const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Like `identify`, for a caller whose token is known only by its digest. */
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
  // For an unknown user the token is compared with zeros, so that both cases take the same time.
  const matches = timingSafeEqual(given, stored);
  if (!row?.digest || !matches) throw sources.gate.failed(username);
  sources.gate.proved(username);
  const contexts = row.contexts.map(({ contextId, name, role, nodes: read }) => {
    const nodes = nodesAt(nodeUrl, sources, { name, nodes: read });
    return [name, { contextId, name, role, nodes }] as const;
  });
  return { username, contexts: new Map(contexts), nodeUrl };
}

/**
 * Returns the nodes of a context. A stand-in may lag behind their declaration, so its own list
 * counts only if no list was ever read from the primary.
 */
function nodesAt(
  nodeUrl: string,
  { reads, directory }: IdentitySources,
  { name, nodes }: Pick<GrantedContext, 'name' | 'nodes'>,
): readonly NodeRow[] {
  if (nodeUrl !== reads.primaryUrl) return directory.knows(name) ? directory.nodesOf(name) : nodes;
  directory.remember(name, nodes);
  return nodes;
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
    // A node that hangs must not prevent its stand-ins from answering.
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
