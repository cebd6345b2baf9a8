import type { ServerResponse } from 'node:http';

/**
 * On every answer, unless its route says otherwise. Answers are one user's and of one moment, so
 * nothing on the way keeps them; they are what their content type says, and no page of another site
 * may draw them into itself (what CORS allows is not meant by that).
 */
export const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ['cache-control', 'no-store'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
];

export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
}
