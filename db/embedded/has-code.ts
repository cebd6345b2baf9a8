/** Returns whether an error carries one of these system error codes (`ENOENT` …). */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));
