import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  visit,
} from 'graphql';
import { LIMITS } from '../../domain/limits.ts';
import type { Piece } from '../../domain/text/long-text.ts';
import type { OperationProgress } from '../../resolvers/operation-progress.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import { measureDocument } from '../limits/measure-document.ts';
import type { Variables } from './collect-fields.ts';
import { countFields } from './count-fields.ts';
import type { FieldPlan, Text } from './field-plan.ts';
import { isPending } from './is-promise.ts';
import { type OperationRun, startRun } from './operation-run.ts';
import { type GuardedSchema, planOperation } from './plan-operation.ts';

/** A valid document as it was requested. */
export type RequestedOperation = {
  readonly document: DocumentNode;
  readonly operationName: string | null;
};

/** The result of an operation: `data` is JSON, errors are still as they were thrown. */
export type CompiledResult = {
  readonly data: Piece;
  readonly errors: readonly GraphQLError[];
};

export type RunRequest = {
  readonly scope: RequestScope;
  /** Coerced. */
  readonly variables: Variables;
  /** The source of the root fields. */
  readonly rootValue?: unknown;
  readonly progress: OperationProgress;
};

/** One operation of a document, ready to run. */
export type CompiledOperation = {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Whether it requests the schema. `__typename` does not. */
  readonly introspects: boolean;
  /** Its size in memory when fully planned, in characters besides those of its text. */
  readonly size: number;
  /** Errors: the variables do not fit their types. */
  readonly coerce: (variables: Variables) => Coerced;
  readonly run: (request: RunRequest) => Promise<CompiledResult>;
};

/** Variables in the form that their types require, or what is wrong with them. */
export type Coerced =
  | { readonly coerced: Variables; readonly errors?: never }
  | { readonly coerced?: never; readonly errors: readonly GraphQLError[] };

/** Plans an operation. Errors: the document has none of that name. */
export function compileOperation(
  schema: GuardedSchema,
  { document, operationName }: RequestedOperation,
): CompiledOperation {
  const operation = operationOf(document, operationName);
  const fragments = Object.fromEntries(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const runDocument = { schema: schema.schema, operation, fragments };
  const conditions = conditionsOf(document, operation);
  const mayKeepPlans = conditions.length <= LIMITS.compiledConditions;
  const plans = new Map<string, readonly FieldPlan[]>();
  const planFor = (variables: Variables): readonly FieldPlan[] => {
    // Only these variables: the plan keeps what it is made with.
    const decided = Object.fromEntries(conditions.map((each) => [each, variables[each]]));
    const name = JSON.stringify(Object.values(decided));
    const known = plans.get(name);
    if (known) return known;
    const plan = planOperation({ ...schema, fragments, variables: decided }, operation);
    if (mayKeepPlans) plans.set(name, plan);
    return plan;
  };
  const fields = countFields(operation, fragments);
  return {
    document,
    operation,
    introspects: (measureDocument(document).get(operation)?.introspectionDepth ?? 0) > 0,
    size: LIMITS.plannedFieldCharacters * fields * (mayKeepPlans ? 2 ** conditions.length : 1),
    coerce: (variables) => coerceVariables(schema, operation, variables),
    run({ scope, variables, rootValue, progress }) {
      const run = startRun({
        document: runDocument,
        scope: { ...scope, progress },
        variables,
        rootValue,
        progress,
      });
      return finish(run, progress, () => render(run, planFor(variables)));
    },
  };
}

function operationOf(
  document: DocumentNode,
  operationName: string | null,
): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (operation) return operation;
  throw new GraphQLError('Could not determine what operation to execute.');
}

function coerceVariables(
  { schema }: GuardedSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
): Coerced {
  const { coerced, errors = [] } = getVariableValues(schema, variableDefinitions, variables);
  return coerced ? { coerced } : { errors };
}

/** Mutations run one after the other (GraphQL specification, "Mutation"). */
function render(run: OperationRun, fields: readonly FieldPlan[]): Text {
  const { rootValue, document } = run;
  return document.operation.operation === OperationTypeNode.MUTATION
    ? run.renderSerially(fields, rootValue)
    : run.renderFields(fields, rootValue, undefined);
}

/** Returns the result as soon as it is complete, or the operation has ended early. */
async function finish(
  run: OperationRun,
  progress: OperationProgress,
  work: () => Text,
): Promise<CompiledResult> {
  // At once: errors of other fields that come later are not part of the answer.
  const fail = (error: unknown): Piece => {
    run.errors.add(error as GraphQLError, undefined);
    return 'null';
  };
  const data = handled(work, fail);
  await Promise.race([data, progress.whenEnded]).catch(() => undefined);
  const { ended } = progress;
  if (ended) return { data: 'null', errors: [asGraphQLError(ended.error)] };
  return { data: await data, errors: run.errors.errors };
}

/** Returns what `fail` returns if `work` fails, now or later. */
function handled(work: () => Text, fail: (error: unknown) => Piece): Text {
  try {
    const text = work();
    return isPending(text) ? text.then(undefined, fail) : text;
  } catch (error) {
    return fail(error);
  }
}

const asGraphQLError = (error: unknown): GraphQLError =>
  new GraphQLError(String(error), { originalError: error as Error });

/** Returns the variables of the operation that directives such as @skip and @include use. */
function conditionsOf(
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive(directive) {
      for (const { value } of directive.arguments ?? []) {
        if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      }
    },
  });
  return variableDefinitions
    .map(({ variable }) => variable.name.value)
    .filter((name) => names.has(name));
}
