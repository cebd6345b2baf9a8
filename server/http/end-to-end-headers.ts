/** RFC 9110, 7.6.1: these describe one connection, which only the server knows. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

/**
 * Returns the headers of a response that is sent as a whole. Yoga sets headers for sending a stream
 * (`accept: multipart/mixed`); together with our content-length they would not be valid HTTP.
 */
export const endToEndHeaders = (headers: Iterable<[string, string]>): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase())));
