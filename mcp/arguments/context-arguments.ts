import { text, yesOrNo } from './forms.ts';

/** The context to query, as the `context` field of GraphQL's `Query` takes it. */
export const CONTEXT_ARGUMENTS = {
  context: text('the name of a context').describe('Name of the context; list_contexts has them.'),
  destinationNode: text('the name of a node')
    .optional()
    .describe('Name of the database node to read from; left out: the primary.'),
  fromDr: yesOrNo().default(false).describe('Whether to read from the disaster-recovery node.'),
};

/** The same arguments as variables of a document, and the field that passes them on. */
export const CONTEXT_VARIABLES = '$context: String!, $destinationNode: String, $fromDr: Boolean!';
export const CONTEXT_FIELD =
  'context(name: $context, destinationNode: $destinationNode, fromDr: $fromDr)';

export type ContextChoice = {
  readonly context: string;
  readonly destinationNode?: string | undefined;
  readonly fromDr: boolean;
};

export const contextVariables = ({ context, destinationNode, fromDr }: ContextChoice) => ({
  context,
  destinationNode,
  fromDr,
});
