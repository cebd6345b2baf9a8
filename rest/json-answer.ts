import { writeJson } from '../domain/text/write-json.ts';
import type { Rendered } from '../resolvers/request-scope.ts';

/** Decision 6. */
export const jsonAnswer = (
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Rendered => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: writeJson(body),
});
