/** Returns whether an error carries one of these codes of Node (`ENOENT` …). */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));
