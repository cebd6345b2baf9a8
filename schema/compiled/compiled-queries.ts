import {
  BREAK,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isAbstractType,
  isIntrospectionType,
  Kind,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../domain/limits.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type { Variables } from './collect-fields.ts';
import { countFields } from './count-fields.ts';
import type { FieldPlan } from './field-plan.ts';
import { OperationRun } from './operation-run.ts';
import { type GuardedSchema, planOperation } from './plan-operation.ts';
import { typeGuards } from './type-scopes.ts';

/** The result of an operation: `data` is JSON, errors are still as they were thrown. */
export type CompiledResult = {
  readonly data: string;
  readonly errors: readonly GraphQLError[];
};

/** One operation of a document, ready to run. */
export type CompiledQuery = {
  readonly text: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Variables that decide which fields are requested; each is true or false. */
  readonly conditions: readonly string[];
  /** Its size in memory when fully planned for all conditions, counted in characters. */
  readonly size: number;
  /** Variables: coerced. */
  readonly run: (scope: RequestScope, variables: Variables) => Promise<CompiledResult>;
};

/** A valid document as it was requested. */
export type RequestedOperation = {
  readonly text: string;
  readonly document: DocumentNode;
  readonly operationName: string | null;
};

/**
 * Compiled operations by document *and* operation name: those that are requested often, and those
 * of trusted documents. graphql-js runs operations that cannot be compiled. The size of the former
 * in memory is bounded.
 */
export class CompiledQueries {
  readonly #schema: GuardedSchema;
  readonly #hotAfter: number;
  /** The compiled operations of each trusted document by name; null: it was not requested yet. */
  readonly #trusted = new Map<string, ReadonlyMap<string | null, CompiledQuery> | null>();
  readonly #compiled = new LRUCache<string, CompiledQuery>({
    maxSize: LIMITS.compiledDocumentCharacters,
    sizeCalculation: ({ size }) => size,
  });
  /** Requests for an operation since it was last compiled; NaN: it cannot be compiled. */
  readonly #asked = new LRUCache<string, number>({
    maxSize: LIMITS.notedDocumentCharacters,
    sizeCalculation: (_, key) => key.length,
  });

  /** hotAfter: how often an operation is requested before it is compiled. */
  constructor(schema: GraphQLSchema, hotAfter: number) {
    this.#schema = { schema, guards: typeGuards(schema) };
    this.#hotAfter = hotAfter;
  }

  /** null: it is not hot, or cannot be compiled. */
  find(text: string, operationName: string | null): CompiledQuery | null {
    const trusted = this.#trustedOperations(text)?.get(operationName);
    return trusted ?? this.#compiled.get(keyOf(text, operationName)) ?? null;
  }

  /** Counts a request for an operation. Returns its compiled form if it has one by now. */
  note(asked: RequestedOperation): CompiledQuery | null {
    const known = this.find(asked.text, asked.operationName);
    if (known) return known;
    const key = keyOf(asked.text, asked.operationName);
    const times = (this.#asked.get(key) ?? 0) + 1;
    const isHot = this.#hotAfter > 0 && times >= this.#hotAfter;
    const query = isHot ? compile(this.#schema, asked) : null;
    if (query) this.#compiled.set(key, query);
    // An operation that cannot be compiled is not tried again.
    this.#asked.set(key, !isHot ? times : query ? 0 : Number.NaN);
    return query;
  }

  /** Compiles the operations of a valid document when it is first requested, and keeps them. */
  trust(text: string): void {
    this.#trusted.set(text, null);
  }

  #trustedOperations(text: string): ReadonlyMap<string | null, CompiledQuery> | undefined {
    const known = this.#trusted.get(text);
    if (known !== null) return known;
    const operations = compileAll(this.#schema, text);
    this.#trusted.set(text, operations);
    return operations;
  }

  /** null: graphql-js has to refuse the variables, or something that depends on them. */
  coerce({ operation, conditions }: CompiledQuery, variables: Variables): Variables | null {
    const { variableDefinitions = [] } = operation;
    const { coerced } = getVariableValues(this.#schema.schema, variableDefinitions, variables);
    const isDecided = conditions.every((name) => typeof coerced?.[name] === 'boolean');
    return coerced && isDecided ? coerced : null;
  }
}

/** A name in JSON has no line break, so no other name and document have the same key. */
const keyOf = (text: string, operationName: string | null): string =>
  `${JSON.stringify(operationName)}\n${text}`;

/** Returns the operations of a valid document that can be compiled, by name. */
function compileAll(schema: GuardedSchema, text: string): Map<string | null, CompiledQuery> {
  const document = parse(text);
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const names = operations.map(({ name }) => name?.value ?? null);
  const compiled = new Map<string | null, CompiledQuery>();
  // The only operation of a document need not be named.
  for (const operationName of operations.length === 1 ? [null, ...names] : names) {
    const query = compile(schema, { text, document, operationName });
    if (query) compiled.set(operationName, query);
  }
  return compiled;
}

/** null: it is not a query, or graphql-js has to run it. */
function compile(
  schema: GuardedSchema,
  { text, document, operationName }: RequestedOperation,
): CompiledQuery | null {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== 'query' || !isCompilable(schema.schema, document)) return null;
  const conditions = conditionsOf(document, operation);
  if (conditions.length > LIMITS.compiledConditions) return null;
  const fragments = Object.fromEntries(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const fields = countFields(operation, fragments) * 2 ** conditions.length;
  const size = text.length + LIMITS.plannedFieldCharacters * fields;
  if (size > LIMITS.compiledDocumentCharacters) return null;
  const runDocument = { schema: schema.schema, operation, fragments };
  const plans = new Map<string, readonly FieldPlan[]>();
  return {
    text,
    document,
    operation,
    conditions,
    size,
    run(scope, variables) {
      // Only these variables: the plan keeps what it is made with.
      const decided = Object.fromEntries(conditions.map((each) => [each, variables[each]]));
      const name = Object.values(decided).join();
      const planning = { ...schema, fragments, variables: decided };
      const plan = plans.get(name) ?? planOperation(planning, operation);
      plans.set(name, plan);
      return runOperation(plan, new OperationRun(runDocument, scope, variables));
    },
  };
}

async function runOperation(
  fields: readonly FieldPlan[],
  run: OperationRun,
): Promise<CompiledResult> {
  const { errors } = run.errors;
  try {
    return { data: await run.renderFields(fields, undefined, undefined), errors };
  } catch (error) {
    run.errors.add(error as GraphQLError, undefined);
    return { data: 'null', errors };
  }
}

/**
 * Whether a document can be compiled. Interfaces and unions cannot, because only a value shows
 * which type's scopes apply. The schema itself cannot either.
 */
function isCompilable(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let isPlain = true;
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        const type = getNamedType(types.getType());
        if (!type || isAbstractType(type) || isIntrospectionType(type)) isPlain = false;
        return isPlain ? undefined : BREAK;
      },
    }),
  );
  return isPlain;
}

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
