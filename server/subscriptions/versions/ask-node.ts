import type { NodePools } from '../../../db/session/node-pools.ts';
import { ReadSession, type TimeBound } from '../../../db/session/read-session.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { LIMITS } from '../../../domain/limits.ts';

/** Runs one statement outside any request, on a connection that is released right after it. */
export async function askNode<T>(
  pools: NodePools,
  url: string,
  ask: (session: ReadSession, bound: TimeBound) => Promise<T>,
): Promise<T> {
  const session = new ReadSession({
    pool: pools.at(url),
    onStatement: pools.onStatement,
    onWork: pools.onWork,
    bound: null,
    signal: NEVER,
    mayReadAlone: true,
  });
  const until = performance.now() + LIMITS.connectTimeoutMs;
  try {
    return await ask(session, { seconds: LIMITS.connectTimeoutMs / 1000, until });
  } finally {
    await session.end();
  }
}

/** Kinds of errors of a node that is away or does not answer. */
const AWAY: ReadonlySet<string> = new Set(['unreachable', 'timeout']);

/** Whether `askNode` failed because the node is away or does not answer. */
export const isAway = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && AWAY.has(error.kind);

const NEVER = new AbortController().signal;
