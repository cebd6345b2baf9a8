import {
  BREAK,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isAbstractType,
  isIntrospectionType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../domain/limits.ts';
import type { RequestScope } from '../resolvers/request-scope.ts';
import { compilableSchema } from './compilable-schema.ts';
import { type AskedDocument, fieldNodesAt } from './field-nodes.ts';

/** One operation of a document, compiled to a function. */
export type CompiledQuery = AskedDocument & {
  readonly text: string;
  readonly document: DocumentNode;
  /** Variables that must not be null, and must be given unless they have a default. */
  readonly needed: ReadonlySet<string>;
  /** Errors are still as they were thrown. Variables: as given, and known to coerce. */
  readonly run: (scope: RequestScope, variables: Variables) => Promise<ExecutionResult>;
};

export type Variables = Readonly<Record<string, unknown>>;

/** A valid document as it was asked for. */
export type AskedOperation = {
  readonly text: string;
  readonly document: DocumentNode;
  readonly operationName: string | null;
};

/**
 * Compiled operations by document *and* operation name. Compiling takes as long as validating, so
 * it is done for what is asked for often, or was trusted at the start. Operations that cannot be
 * compiled go on as before. Bounded by the length of the documents.
 */
export class CompiledQueries {
  readonly #schema: GraphQLSchema;
  readonly #hotAfter: number;
  readonly #trusted = new Map<string, CompiledQuery>();
  readonly #compiled = boundedByLength<CompiledQuery>(LIMITS.compiledDocumentCharacters);
  /** How often an operation was asked for since it was compiled; NaN: it cannot be. */
  readonly #asked = boundedByLength<number>(LIMITS.notedDocumentCharacters);

  /** hotAfter: how often an operation is asked for before it is compiled. */
  constructor(schema: GraphQLSchema, hotAfter: number) {
    this.#schema = compilableSchema(schema);
    this.#hotAfter = hotAfter;
  }

  /** null: it is not hot, or cannot be compiled. */
  find(text: string, operationName: string | null): CompiledQuery | null {
    const key = keyOf(text, operationName);
    return this.#trusted.get(key) ?? this.#compiled.get(key) ?? null;
  }

  /** Notes that an operation was asked for, and gives its compiled form when it has one by now. */
  note(asked: AskedOperation): CompiledQuery | null {
    const known = this.find(asked.text, asked.operationName);
    if (known) return known;
    const key = keyOf(asked.text, asked.operationName);
    const times = (this.#asked.get(key) ?? 0) + 1;
    const isHot = this.#hotAfter > 0 && times >= this.#hotAfter;
    const query = isHot ? compile(this.#schema, asked) : null;
    if (query) this.#compiled.set(key, query);
    // Once only: what cannot be compiled will not be tried again.
    this.#asked.set(key, !isHot ? times : query ? 0 : Number.NaN);
    return query;
  }

  /** Compiles all operations of a valid document for good. */
  trust(text: string): void {
    const document = parse(text);
    const operations = document.definitions.filter(
      (each) => each.kind === Kind.OPERATION_DEFINITION,
    );
    const names = operations.map(({ name }) => name?.value ?? null);
    // The only operation of a document need not be named.
    for (const operationName of operations.length === 1 ? [null, ...names] : names) {
      const query = compile(this.#schema, { text, document, operationName });
      if (query) this.#trusted.set(keyOf(text, operationName), query);
    }
  }

  /**
   * The variables as graphql-js coerces them, which is stricter than what was compiled (`@oneOf`).
   * null: it refuses them, or does something else with them than compiled code; it is to be asked.
   */
  coerce({ operation, needed }: CompiledQuery, variables: Variables): Variables | null {
    const { variableDefinitions = [] } = operation;
    const { coerced } = getVariableValues(this.#schema, variableDefinitions, variables);
    if (!coerced) return null;
    for (const name of needed) if ((coerced[name] ?? null) === null) return null;
    return coerced;
  }
}

const boundedByLength = <Value extends object | number>(characters: number) =>
  new LRUCache<string, Value>({ maxSize: characters, sizeCalculation: (_, key) => key.length });

const keyOf = (text: string, operationName: string | null): string =>
  `${operationName ?? ''}\n${text}`;

function compile(
  schema: GraphQLSchema,
  { text, document, operationName }: AskedOperation,
): CompiledQuery | null {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== 'query' || !isCompilable(schema, document)) return null;
  const compiled = compileQuery(schema, document, operationName ?? undefined);
  if (!isCompiledQuery(compiled)) return null;
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const asked = { operation, fragments };
  const defaults = defaultsOf(operation);
  return {
    ...asked,
    text,
    document,
    needed: neededVariables(schema, document),
    async run(scope, given) {
      const variables = { ...defaults, ...given };
      const result = await compiled.query(undefined, scope, variables);
      if (!result.errors) return result;
      return { ...result, errors: result.errors.map((error) => located(error, asked)) };
    },
  };
}

/** Compiled code does not always say where in the document its errors are. */
function located(error: GraphQLError, asked: AskedDocument): GraphQLError {
  const { message, path, originalError, extensions } = error;
  if (!path) return error;
  const nodes = fieldNodesAt(asked, path);
  return new GraphQLError(message, { nodes, path, originalError, extensions });
}

/** Given with each request, since compiled code does not apply them everywhere. */
const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Variables =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );

/**
 * Whether all of it does what graphql-js does once it is compiled. Not so: interfaces and unions,
 * whose types' scopes only the value would tell, @skip and @include on fields that merge, and the
 * schema itself, which is another one here.
 */
function isCompilable(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let isPlain = true;
  visit(
    document,
    visitWithTypeInfo(types, {
      enter(node) {
        if (node.kind === Kind.DIRECTIVE) isPlain = false;
        if (node.kind !== Kind.FIELD) return undefined;
        const type = getNamedType(types.getType());
        if (!type || isAbstractType(type) || isIntrospectionType(type)) isPlain = false;
        return isPlain ? undefined : BREAK;
      },
    }),
  );
  return isPlain;
}

/**
 * Variables that, null or left out, leave a default in force or are an error on their field: in
 * place of an argument that has a default or may not be null, and within lists and input objects.
 * Compiled code does neither.
 */
function neededVariables(schema: GraphQLSchema, document: DocumentNode): Set<string> {
  const types = new TypeInfo(schema);
  const needed = new Set<string>();
  visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition: () => false,
      Variable({ name }, _key, parent) {
        const isArgument = parent !== undefined && 'kind' in parent && parent.kind === 'Argument';
        const hasDefault = types.getDefaultValue() !== undefined;
        if (!isArgument || hasDefault || isNonNullType(types.getInputType())) {
          needed.add(name.value);
        }
      },
    }),
  );
  return needed;
}
