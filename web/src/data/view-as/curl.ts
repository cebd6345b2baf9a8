import type { WrittenQuery } from './written-query.ts';

/** Returns a text as one word of a POSIX shell. */
const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The token is that of a variable of the shell: what is copied can be passed on. */
const SIGNED_IN = (username: string) =>
  `  -H "authorization: Bearer $TOKEN" \\\n  -H ${word(`x-username: ${username}`)}`;

/** Returns the command that sends a query. */
export const graphqlCurl = (
  url: string,
  username: string,
  { document, variables }: WrittenQuery,
): string =>
  `curl -s ${word(url)} \\
${SIGNED_IN(username)} \\
  -H 'content-type: application/json' \\
  --data-binary ${word(JSON.stringify({ query: document, variables }))}`;

/** Returns the command that gets an address. */
export const restCurl = (url: string, username: string): string =>
  `curl -s ${word(url)} \\\n${SIGNED_IN(username)}`;
