import type { ExecutionResult } from 'graphql';
import type { Identity } from '../../resolvers/callers/identity.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type { Variables } from '../../schema/compiled/collect-fields.ts';
import type { CompiledQuery, CompiledResult } from '../../schema/compiled/compiled-queries.ts';

/** A compiled operation with the parameters of a request. */
export type CompiledRequest = {
  readonly query: CompiledQuery;
  readonly operationName: string | null;
  /** As the caller sent them. */
  readonly variables: Variables;
  readonly coerced: Variables;
  readonly extensions: Readonly<Record<string, unknown>> | null;
};

/** A rendered result without errors. Yoga calls `stringify` if a result has it. */
export class RenderedResult implements ExecutionResult {
  readonly body: string | Buffer;
  readonly stringify: () => string;

  constructor(body: string | Buffer) {
    this.body = body;
    this.stringify = () => String(body);
  }

  get data(): Record<string, unknown> {
    return (JSON.parse(String(this.body)) as { readonly data: Record<string, unknown> }).data;
  }
}

/**
 * Runs a compiled operation, or returns its cached result. The text is the same on every path that
 * a request can take, so it is rendered once for all of them.
 */
export async function runOrRemember(
  scope: RequestScope,
  request: CompiledRequest,
): Promise<ExecutionResult> {
  const { query, coerced, extensions } = request;
  const { identity, reads } = scope;
  const isByPrimary = identity?.nodeUrl === reads.primaryUrl;
  // Plans describe this run, and what a stand-in knows of the caller may differ from node to node.
  if (!identity || !isByPrimary || extensions?.['plan'] === true) {
    return asObjects(await query.run(scope, coerced));
  }
  let failed: ExecutionResult | null = null;
  const { body } = await reads.remembered(nameOf(identity, request), async () => {
    const made = await query.run(scope, coerced);
    if (made.errors.length === 0) {
      return { status: 200, headers: {}, body: `{"data":${made.data}}` };
    }
    failed = asObjects(made);
    reads.noteMoment();
    return { status: 200, headers: {}, body: '' };
  });
  return failed ?? new RenderedResult(body);
}

/** Returns a result in the form of graphql-js, for callers that add to it before it is rendered. */
function asObjects({ data, errors }: CompiledResult): ExecutionResult {
  const parsed: ExecutionResult = { data: JSON.parse(data) };
  return errors.length === 0 ? parsed : { errors, ...parsed };
}

/** Returns the cache key. It holds all that decides the result: user, grants and operation. */
const nameOf = (
  { username, contexts }: Identity,
  { query, operationName, variables }: CompiledRequest,
): string =>
  JSON.stringify([
    'graphql',
    operationName,
    variables,
    username,
    [...contexts.values()],
    query.text,
  ]);
