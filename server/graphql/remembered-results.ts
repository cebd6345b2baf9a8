import type { ExecutionResult } from 'graphql';
import type { Identity } from '../../resolvers/callers/identity.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type { Variables } from '../../schema/compiled/collect-fields.ts';
import type { CompiledQuery, CompiledResult } from '../../schema/compiled/compiled-queries.ts';

/** An operation that is compiled, as it is asked for. */
export type AskedCompiled = {
  readonly query: CompiledQuery;
  readonly operationName: string | null;
  /** As they were given. */
  readonly variables: Variables;
  readonly coerced: Variables;
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
  const { query, coerced, extensions } = asked;
  // Plans tell how it was come by this time.
  if (!scope.identity || extensions?.['plan'] === true) {
    return asObjects(await query.run(scope, coerced));
  }
  let failed: ExecutionResult | null = null;
  const { body } = await scope.reads.remembered(nameOf(scope.identity, asked), async () => {
    const made = await query.run(scope, coerced);
    if (made.errors.length === 0) {
      return { status: 200, headers: {}, body: `{"data":${made.data}}` };
    }
    failed = asObjects(made);
    scope.reads.noteMoment();
    return { status: 200, headers: {}, body: '' };
  });
  return failed ?? new RenderedResult(body);
}

/** As graphql-js gives it, for those who add to it before it is written. */
function asObjects({ data, errors }: CompiledResult): ExecutionResult {
  const parsed: ExecutionResult = { data: JSON.parse(data) };
  return errors.length === 0 ? parsed : { errors, ...parsed };
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
