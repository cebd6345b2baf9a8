import type {
  FieldNode,
  GraphQLField,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type { Fragments, Variables } from './collect-fields.ts';
import type { Path } from './collected-errors.ts';

/** JSON, at once or when something was waited for. */
export type Text = string | Promise<string>;

/** Makes JSON of what a resolver gave. Errors: it is none of the field's type. */
export type Completer = (run: Run, value: unknown, path: Path | undefined) => Text;

export type Arguments = Record<string, unknown>;

/** A place where an error may end: what is null there, or not null and fails what is around it. */
export type Failing = {
  readonly nodes: readonly FieldNode[];
  readonly isNonNull: boolean;
};

/** A field of a compiled operation: all that is known of it before anybody asks. */
export type FieldPlan = Failing & {
  /** Tells it from all other fields of the operation. */
  readonly number: number;
  /** In the answer. */
  readonly name: string;
  /** What stands before its value: a comma unless it is the first one, its name, a colon. */
  readonly lead: string;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly parentType: GraphQLObjectType;
  /** null: they depend on variables. */
  readonly args: Arguments | null;
  /** Whether there are objects or lists within, whose errors name it in their paths. */
  readonly isComposite: boolean;
  readonly complete: Completer;
};

/** What a run is a run of. */
export type RunDocument = {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
};

/** One run of a compiled operation, as its fields see it. */
export type Run = {
  readonly document: RunDocument;
  readonly scope: RequestScope;
  /** Coerced. */
  readonly variables: Variables;
  /** The fields of an object. Errors: that of a field that may not be null. */
  renderFields(fields: readonly FieldPlan[], source: unknown, path: Path | undefined): Text;
  /** null with an error beside it where there may be null; else what is around it fails. */
  fail(place: Failing, cause: unknown, path: Path): 'null';
};
