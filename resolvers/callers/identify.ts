import { joinLimits } from '../../domain/callers/grant-limit.ts';
import { highestRole } from '../../domain/callers/role.ts';
import { type ErrorKind, ServiceError, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { pause } from '../../engine/snapshot/event-loop-scheduler.ts';
import {
  type Claim,
  type IdentityRow,
  type NodeRow,
  type RequestReads,
  RetryRequest,
  tokenDigest,
} from '../loaders/request-reads.ts';
import type { NodeDirectory } from '../node-directory.ts';
import { urlOf } from '../nodes.ts';
import { type GrantedContext, type Grants, Identity } from './identity.ts';
import type { LoginNode, LoginThrottle } from './login-throttle.ts';
import { provedRow } from './proved-row.ts';
import type { TokenProver, TokenUseNotes } from './token-prover.ts';

export type Credentials = {
  readonly username: string;
  readonly token: string;
  /** The context whose slices are requested, if known: the same statement then reads them. */
  readonly slicesOf?: string | null;
};

type IdentitySources = {
  readonly reads: RequestReads;
  readonly directory: NodeDirectory;
  readonly variable: (name: string) => string | undefined;
  readonly throttle: LoginThrottle;
  readonly chosenTokens: TokenProver;
  readonly tokenUses: TokenUseNotes;
  readonly signal: AbortSignal;
};

/**
 * Authenticates the caller. Fails with `invalidToken` for an unknown user and for a wrong token
 * alike, in the same time (decision 10); with `tooManyFailures` after many such failures; and with
 * `busy`. While the primary cannot be reached, `fallbackNodes` are tried in order: they have the same
 * users and grants (decision 13), though perhaps those of some time ago. The primary is then not
 * read at all.
 */
export function identify(
  sources: IdentitySources,
  { username, token, slicesOf = null }: Credentials,
  fallbackNodes: readonly NodeRow[],
): Promise<Identity> {
  return identifyBy(sources, { username, digest: tokenDigest(token), slicesOf }, fallbackNodes);
}

/**
 * Like `identify`, for a caller whose token is known only by its digest, who has a session, or for
 * whom a proxy vouches. A session that has ended fails with `invalidToken`, which is not counted,
 * and so does a name that nobody has.
 */
export async function identifyBy(
  sources: IdentitySources,
  claim: Claim,
  fallbackNodes: readonly NodeRow[],
): Promise<Identity> {
  const end = sources.reads.onWork('identity', 'identify');
  try {
    const identity = await prove(sources, claim, fallbackNodes);
    sources.reads.noteIdentity(identity.username);
    // The token of a session is in use as long as the session is.
    if (identity.tokenDigest) sources.tokenUses.note(identity.username, identity.tokenDigest);
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
  fallbackNodes: readonly NodeRow[],
): Promise<Identity> {
  if ('digest' in claim) sources.throttle.check(claim.username, 'primary');
  const found = await findUser(sources, claim, fallbackNodes);
  const { username } = found.row;
  sources.throttle.proved(
    username,
    found.nodeUrl === sources.reads.primaryUrl ? 'primary' : 'stand-in',
  );
  return new Identity({
    username,
    claim,
    tokenDigest: found.row.digest,
    shownName: found.row.shownName,
    isAdmin: found.row.isAdmin,
    contexts: grantsIn(sources, found),
    nodeUrl: found.nodeUrl,
    async lookUpAt(nodeUrl) {
      const row = await provedRow(sources, claim, { nodeUrl, deadline: null, at: null });
      return row ? grantsIn(sources, { row, nodeUrl }) : new Map();
    },
  });
}

function grantsIn(sources: IdentitySources, { row, nodeUrl }: Found): Grants {
  const contexts = row.contexts.map(({ contextId, name, grants, nodes: read }) => {
    const role = highestRole(grants.map((grant) => grant.role));
    const nodes = nodesAt(nodeUrl, sources, { name, nodes: read });
    const limit = joinLimits(grants.map((grant) => grant.limit));
    return [name, { contextId, name, role, limit, nodes }] as const;
  });
  return new Map(contexts);
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

/** A user whose token is right, and the node that says so. */
type Found = { readonly row: IdentityRow; readonly nodeUrl: string };

async function findUser(
  sources: IdentitySources,
  claim: Claim,
  fallbackNodes: readonly NodeRow[],
): Promise<Found> {
  const { reads, throttle, variable } = sources;
  const nodeUrl = reads.primaryUrl;
  const roles = new Map<string, NodeRow['role']>();
  for (const node of fallbackNodes) {
    const url = urlOf(node, variable);
    if (url !== null && url !== nodeUrl && !roles.has(url)) roles.set(url, node.role);
  }
  // A primary that hangs must not prevent its stand-ins from answering.
  const deadline = roles.size > 0 ? reads.deadlineOfAttempt() : null;
  let row: IdentityRow | null;
  try {
    if (deadline && reads.isPrimarySilent)
      throw serviceError('timeout', { seconds: USUAL_SECONDS });
    row = await provedRow(sources, claim, { nodeUrl, deadline, at: 'primary' });
  } catch (error) {
    if (roles.size === 0 || !isOutOfReach(error)) throw error;
    const isBusy = isOf(error, 'busy');
    reads.refuse(nodeUrl, isBusy ? error : serviceError('unreachable', {}, { cause: error }));
    const wasBrief =
      isOf(error, 'timeout') && deadline !== null && deadline.seconds < USUAL_SECONDS;
    return findAtStandIns(sources, claim, { roles, failures: [error], wasBrief });
  }
  if (!row) throw refusal(throttle, claim, 'primary');
  return { row, nodeUrl };
}

/** Returns why a claim is refused. Only a token can be guessed. */
const refusal = (throttle: LoginThrottle, claim: Claim, at: LoginNode): ServiceError =>
  'digest' in claim ? throttle.failed(claim.username, at) : serviceError('invalidToken');

type Search = {
  /** The roles of the nodes to ask, by address. */
  readonly roles: ReadonlyMap<string, NodeRow['role']>;
  /** Why the nodes asked so far did not answer. */
  readonly failures: readonly unknown[];
  /** Whether the primary had less time than usual: it may just be slow. */
  readonly wasBrief: boolean;
};

/** How long a node has if the request's limit allows that. */
const USUAL_SECONDS = LIMITS.connectTimeoutMs / 1000;

/**
 * Asks stand-ins in order until one of them knows the user and the token. The others may be broken,
 * or lag behind: all their data are still out of the user's reach (see `Identity.grantsOf`). If
 * none does, the word of a recovery node counts, or that of all nodes together.
 */
async function findAtStandIns(
  sources: IdentitySources,
  claim: Claim,
  { roles, failures: before, wasBrief }: Search,
): Promise<Found> {
  const { reads, throttle } = sources;
  if ('digest' in claim) throttle.check(claim.username, 'stand-in');
  const failures = [...before];
  const refusedBy = new Set<NodeRow['role']>();
  const last = [...roles.keys()].at(-1);
  for (const [nodeUrl, role] of roles) {
    const isLast = nodeUrl === last;
    const deadline = isLast ? null : reads.deadlineOfAttempt();
    let row: IdentityRow | null;
    try {
      row = await provedRow(sources, claim, { nodeUrl, deadline, at: 'stand-in' });
    } catch (error) {
      if (error instanceof RetryRequest) throw error;
      failures.push(error);
      continue;
    }
    if (row) return { row, nodeUrl };
    refusedBy.add(role);
  }
  if (refusedBy.size > 0) {
    const refused = refusal(throttle, claim, 'stand-in');
    // The token may be right on a primary that is only slow, or on a node that did not answer.
    const isSilent = failures.slice(before.length).some(isOutOfReach);
    const isUncertain = wasBrief || (isSilent && !refusedBy.has('dr'));
    throw isUncertain && isOf(refused, 'invalidToken') ? nobodyReachable(failures) : refused;
  }
  reads.requireTime();
  const lastFailure = failures.at(-1);
  if (isOf(lastFailure, 'timeout')) throw lastFailure;
  throw failures.find(isWorthRetrying) ?? nobodyReachable(failures);
}

const isOf = (error: unknown, ...kinds: readonly ErrorKind[]): error is ServiceError =>
  error instanceof ServiceError && kinds.includes(error.kind);

/** While the primary hangs, requests that wait for one of its connections find it busy. */
const isOutOfReach = (error: unknown): boolean => isOf(error, 'unreachable', 'timeout', 'busy');

const isWorthRetrying = (error: unknown): boolean => isOf(error, 'busy', 'conflict');

const nobodyReachable = (failures: readonly unknown[]): ServiceError => {
  const cause = new AggregateError(
    failures,
    'the primary and all nodes that can stand in for it failed to look up a user',
  );
  return serviceError('unreachable', {}, { cause });
};
