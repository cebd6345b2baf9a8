import type { AnonymousScope } from '../../resolvers/request-scope.ts';

/**
 * Returns the extensions of an answer: which blocks its toppers were added up from, if the request
 * has `"extensions": { "plan": true }`.
 */
export const plansOf = (
  requested: Readonly<Record<string, unknown>> | null | undefined,
  { reads }: AnonymousScope,
): { readonly plan: unknown } | undefined =>
  requested?.['plan'] === true ? { plan: reads.plans } : undefined;
