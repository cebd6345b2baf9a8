import { type DocumentNode, getOperationAST } from 'graphql';

/** The name of the operation that is run; null for one without. */
export const operationName = (
  document: DocumentNode,
  chosen: string | null | undefined,
): string | null => getOperationAST(document, chosen)?.name?.value ?? null;
