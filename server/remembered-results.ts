import type { ExecutionResult } from 'graphql';
import type { Identity } from '../resolvers/identity.ts';
import type { RequestScope } from '../resolvers/request-scope.ts';
import type { CompiledQuery, Variables } from '../schema/compiled-queries.ts';

/** An operation that is compiled, as it is asked for. */
export type AskedCompiled = {
  readonly query: CompiledQuery;
  readonly operationName: string | null;
  readonly variables: Variables;
  readonly extensions: Readonly<Record<string, unknown>> | null;
};

/** A result without errors whose text is known: Yoga calls `stringify` where there is one. */
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
 * What a compiled operation answers, or has answered before: its text is the same whichever way it
 * is asked for, and is made once for all of them.
 */
export async function runOrRemember(
  scope: RequestScope,
  asked: AskedCompiled,
): Promise<ExecutionResult> {
  const { query, variables, extensions } = asked;
  // Plans tell how it was come by this time.
  if (!scope.identity || extensions?.['plan'] === true) return query.run(scope, variables);
  let failed: ExecutionResult | null = null;
  const { body } = await scope.reads.remembered(nameOf(scope.identity, asked), async () => {
    const made = await query.run(scope, variables);
    if (made.errors) {
      failed = made;
      scope.reads.noteMoment();
    }
    return { status: 200, headers: {}, body: made.errors ? '' : JSON.stringify(made) };
  });
  return failed ?? new RenderedResult(body);
}

/** All that decides what is answered: who asks and what they may read, and all that they ask. */
const nameOf = (
  { username, contexts }: Identity,
  { query, operationName, variables }: AskedCompiled,
): string =>
  JSON.stringify([
    ...['graphql', operationName, variables, username, [...contexts.values()]],
    query.text,
  ]);
