import type { GraphQLResolveInfo } from 'graphql';
import type { ChangingField } from '../resolvers/changes/change-accounts.ts';
import type { OperationScope } from './operation-scope.ts';

/** Returns a field that changes something; its name in the answer is unique in an operation. */
export const changingField = (
  scope: OperationScope,
  { path }: GraphQLResolveInfo,
): ChangingField => ({ scope, name: String(path.key) });
