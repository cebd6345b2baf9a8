import { createHash } from 'node:crypto';
import type { DocumentNode, ExecutionResult, VariableDefinitionNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { claimKey } from '../../resolvers/callers/claim-key.ts';
import type { GrantedContext, Identity } from '../../resolvers/callers/identity.ts';
import { grantFor } from '../../resolvers/contexts.ts';
import { isPrimary, type NodeChoice } from '../../resolvers/nodes.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type { Variables } from '../../schema/compiled/collect-fields.ts';
import type { CompiledQueries } from '../../schema/compiled/compiled-queries.ts';
import { renderError } from '../../schema/documents/render-error.ts';
import {
  type RequestedSubscription,
  requestedSubscription,
} from '../../schema/documents/requested-subscription.ts';
import type { GraphQLServerContext } from './graphql-scope.ts';
import { noteOperation } from './observe-graphql.ts';

type Asking = GraphQLServerContext & RequestScope;

type Context = Asking & { readonly params: Params };

type Params = {
  readonly query?: string | null | undefined;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
};

/**
 * Takes valid subscriptions over from Yoga, which would compute and render answers for each
 * subscriber separately. Yoga only answers those that end immediately, such as refused ones.
 */
export const openSubscriptions = (
  compiled: CompiledQueries,
): Plugin<Asking, GraphQLServerContext, RequestScope> => ({
  async onSubscribe({ args: { document, contextValue }, setResultAndStopExecution }) {
    const { exchange, identity } = contextValue;
    const name = contextValue.params.operationName;
    noteOperation(exchange.current, { document, name, isKnown: identity !== null });
    setResultAndStopExecution(await open(compiled, document, contextValue));
  },
});

/** Returns the result of a subscription that ends immediately; not used if the slot is filled. */
async function open(
  compiled: CompiledQueries,
  document: DocumentNode,
  context: Context,
): Promise<ExecutionResult> {
  const { params, identity, reads, slot } = context;
  const { operationName = null, query = '' } = params;
  const given = params.variables ?? {};
  try {
    if (!identity) throw serviceError('invalidToken');
    const operation = compiled.compile({ document, operationName });
    const { coerced, errors } = operation.coerce(given);
    if (!coerced) return { errors };
    const requested = requestedSubscription(document, operationName, coerced);
    if (!requested) return { data: {} };
    const followed = followedBy(requested);
    // The primary may be back, or less busy, before the first answer.
    const isAnsweredByFallback =
      identity.nodeUrl !== reads.primaryUrl && isPrimary(choiceOf(followed));
    const provisional = isAnsweredByFallback
      ? identity.contexts.get(followed.contextName)
      : undefined;
    const granted =
      provisional ?? (await grantFor(context, followed.contextName, choiceOf(followed)));
    if (!granted) return { data: { [requested.responseKey]: null } };
    const variables = declaredOnly(given, operation.operation.variableDefinitions ?? []);
    const question = JSON.stringify([query, operationName, variables]);
    slot.opened = {
      // Only those who are told the same of the context share answers.
      name: digestOf(
        JSON.stringify([question, granted.limit, personOf(identity, granted, requested)]),
      ),
      operation: { operation, variables },
      characters: question.length,
      requested,
      username: identity.username,
      claim: identity.claim,
      tokenDigest: identity.tokenDigest,
      granted,
      isConfirmed: provisional === undefined,
      versions: reads.grantedAt(granted.contextId),
    };
    return { data: null };
  } catch (error) {
    return { errors: [renderError(error)] };
  }
}

/** Who is told something of their own, by their claim and role; null: nobody is. */
const personOf = (
  { claim }: Identity,
  { role }: GrantedContext,
  requested: RequestedSubscription,
) => (requested.isPersonal ? [claimKey(claim), role] : null);

/** Drops variables that the operation does not declare: they would take memory for nothing. */
function declaredOnly(given: Variables, declared: readonly VariableDefinitionNode[]): Variables {
  const names = new Set(declared.map(({ variable }) => variable.name.value));
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name)));
}

/** Returns a short, distinct name for a question, whose variables may be large. */
const digestOf = (question: string): string =>
  createHash('sha256').update(question).digest('base64');

/** The argument that names the context, by field of `Subscription`. */
const CONTEXT_ARGUMENTS: Readonly<Record<string, string>> = {
  topper: 'context',
  contextChanged: 'name',
  alertEvents: 'context',
};

/** What a subscription follows, according to its arguments. */
export type Followed = {
  readonly contextName: string;
  readonly destinationNode: string | null;
  readonly everyMs: number;
};

/** Reads the arguments of a field. */
export function followedBy({ field, args }: RequestedSubscription): Followed {
  const contextName = args[CONTEXT_ARGUMENTS[field] ?? ''];
  const { everySeconds, destinationNode } = args;
  if (typeof contextName !== 'string') throw new Error(`${field} names no context`);
  return {
    contextName,
    destinationNode: typeof destinationNode === 'string' ? destinationNode : null,
    // The field's resolver refuses values below 1. Fields without it send every change.
    everyMs: typeof everySeconds === 'number' ? clamp(everySeconds) * 1000 : LIMITS.alertChangesMs,
  };
}

/** Limits an interval to what Node's timers can hold without overflow. */
const clamp = (seconds: number): number => Math.min(Math.max(1, seconds), LIMITS.timeoutSeconds);

export const choiceOf = ({ destinationNode }: Followed): NodeChoice => ({
  destinationNode,
  fromDr: false,
});
