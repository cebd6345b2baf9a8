import { writeJson } from '../domain/text/write-json.ts';
import type { Rendered } from '../resolvers/request-scope.ts';

export type TextAnswer = Rendered & { readonly body: string };

export const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const;

/** Decision 6. */
export const jsonAnswer = (
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): TextAnswer => ({
  status,
  headers: { ...JSON_HEADERS, ...headers },
  body: writeJson(body),
});
