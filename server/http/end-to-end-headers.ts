/** RFC 9110, 7.6.1: these are about one connection, and it is the server that knows it. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

/**
 * The headers of an answer that is sent whole. Yoga says how its streams would be sent (`accept:
 * multipart/mixed`): beside our content-length no client would take that for HTTP.
 */
export const endToEndHeaders = (headers: Iterable<[string, string]>): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase())));
