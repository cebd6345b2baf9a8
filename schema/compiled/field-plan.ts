import type {
  FieldNode,
  GraphQLField,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import type { Piece } from '../../domain/text/long-text.ts';
import type { Progress } from '../../resolvers/operation-progress.ts';
import type { OperationScope } from '../operation-scope.ts';
import type { Fragments, Variables } from './collect-fields.ts';
import type { Path } from './collected-errors.ts';

/** JSON, or a promise of it if something has to be awaited. */
export type Text = Piece | Promise<Piece>;

/** Converts a resolver's result to JSON. Errors: the result does not fit the field's type. */
export type Completer = (run: Run, value: unknown, path: Path | undefined) => Text;

export type Arguments = Record<string, unknown>;

/** Where an error may stop: a nullable value becomes null, a non-null one fails its parent. */
export type Failing = {
  readonly nodes: readonly FieldNode[];
  readonly isNonNull: boolean;
};

/** A field of a compiled operation: everything that is known about it before a run. */
export type FieldPlan = Failing & {
  /** Identifies it among the fields of the operation. */
  readonly number: number;
  /** In the answer. */
  readonly name: string;
  /** The text before its value: a comma unless it is the first field, its name, a colon. */
  readonly lead: string;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly parentType: GraphQLObjectType;
  /** null: they depend on variables. */
  readonly args: Arguments | null;
  /** Whether its value has objects or lists, whose errors name this field in their paths. */
  readonly isComposite: boolean;
  /** Whether it has the argument `timeoutSeconds`. */
  readonly hasTimeLimit: boolean;
  readonly complete: Completer;
};

/** What a run executes. */
export type RunDocument = {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
};

/** One run of a compiled operation, or of one of its fields that ends earlier. */
export type Run = {
  readonly document: RunDocument;
  readonly scope: OperationScope;
  /** Coerced. */
  readonly variables: Variables;
  readonly rootValue: unknown;
  readonly progress: Progress;
  /** Renders the fields of an object. Errors: that of a non-null field. */
  renderFields(fields: readonly FieldPlan[], source: unknown, path: Path | undefined): Text;
  /** Returns null and records the error if null is allowed; otherwise throws it to the parent. */
  fail(place: Failing, cause: unknown, path: Path): 'null';
};
