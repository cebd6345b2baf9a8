import {
  type DocumentNode,
  getArgumentValues,
  getOperationAST,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { collectFields, type Variables } from '../compiled/collect-fields.ts';
import { fragmentsOf } from '../limits/spread-order.ts';
import { schema } from '../schema.ts';

/** The field that a subscription requests; validation ensures that there is at most one. */
export type RequestedSubscription = {
  readonly field: string;
  /** Its name in the answer. */
  readonly responseKey: string;
  /** Coerced. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Whether the document has fields whose answer depends on who asks, not only on their limits. */
  readonly isPersonal: boolean;
};

/** Fields whose answer depends on the caller's name or role. */
const PERSONAL: ReadonlySet<string> = new Set([
  'Context.views',
  'Context.alertSinks',
  'Context.alertTrial',
]);

/**
 * Takes a valid document and coerced variables. Returns null if @skip or @include leaves no field.
 * Errors: those of graphql-js for arguments that a variable leaves without a value.
 */
export function requestedSubscription(
  document: DocumentNode,
  operationName: string | null,
  variables: Variables,
): RequestedSubscription | null {
  const operation = getOperationAST(document, operationName);
  const root = schema.getSubscriptionType();
  if (!operation || !root) return null;
  const fragments = Object.fromEntries(fragmentsOf(document));
  const fields = collectFields({ schema, fragments, variables }, root, [operation.selectionSet]);
  for (const [responseKey, [node]] of fields) {
    const definition = node && root.getFields()[node.name.value];
    if (!definition) continue;
    const args = getArgumentValues(definition, node, variables);
    return { field: definition.name, responseKey, args, isPersonal: isPersonal(document) };
  }
  return null;
}

function isPersonal(document: DocumentNode): boolean {
  const info = new TypeInfo(schema);
  let has = false;
  const note = () => {
    has ||= PERSONAL.has(`${info.getParentType()?.name}.${info.getFieldDef()?.name}`);
  };
  visit(document, visitWithTypeInfo(info, { [Kind.FIELD]: note }));
  return has;
}
