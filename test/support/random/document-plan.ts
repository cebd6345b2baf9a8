import type { GraphQLField, GraphQLInputType } from 'graphql';

/** The content of a random document, before its variables and fragments have names. */
export type DocumentPlan = {
  readonly operations: readonly (readonly SelectionPlan[])[];
  /** Whether even a single operation has a name. */
  readonly isNamed: boolean;
  /** Which of the operations to run. */
  readonly chosen: number;
};

export type SelectionPlan = FieldPlan | FragmentPlan;

export type FieldPlan = {
  readonly kind: 'field';
  readonly field: GraphQLField<unknown, unknown>;
  readonly alias: string | null;
  readonly args: readonly NamedValue[];
  readonly directives: readonly DirectivePlan[];
  /** Empty for leaves. */
  readonly selections: readonly SelectionPlan[];
};

export type FragmentPlan = {
  readonly kind: 'fragment';
  /** null: no type condition, which only an inline fragment may omit. */
  readonly on: string | null;
  readonly isNamed: boolean;
  /** Whether an earlier fragment on the same type may be reused. */
  readonly mayBeShared: boolean;
  readonly directives: readonly DirectivePlan[];
  readonly selections: readonly SelectionPlan[];
};

export type DirectivePlan = { readonly name: 'skip' | 'include'; readonly if: ValuePlan };

export type NamedValue = readonly [name: string, value: ValuePlan];

/** A value in a document, and which parts of it are variables. */
export type ValuePlan =
  | { readonly kind: 'literal'; readonly type: GraphQLInputType; readonly value: unknown }
  | { readonly kind: 'list'; readonly items: readonly ValuePlan[] }
  | { readonly kind: 'object'; readonly fields: readonly NamedValue[] }
  | VariablePlan;

/** `given` and `fallback`: undefined means absent. */
export type VariablePlan = {
  readonly kind: 'variable';
  readonly type: GraphQLInputType;
  readonly given: unknown;
  readonly fallback: unknown;
  /** Whether an earlier variable of the same type may be reused. */
  readonly mayBeShared: boolean;
};
