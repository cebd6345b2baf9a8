import { ENDPOINT_NAMES, LEGACY_ENDPOINTS, type LegacyEndpoint } from './legacy-endpoint.ts';

/** A request to replay, as read from a line. */
export type ReplayedRequest = {
  readonly endpoint: LegacyEndpoint;
  readonly query: URLSearchParams;
};

/**
 * The meaning of a line. `none`: the line is empty or a comment. `left out`: it is not a GET of a
 * legacy endpoint.
 */
export type RequestLine =
  | { readonly kind: 'requests'; readonly requests: readonly ReplayedRequest[] }
  | { readonly kind: 'left out'; readonly reason: string }
  | { readonly kind: 'none' };

/** Matches the quoted request in the common and combined access log formats. */
const ACCESS_LOG = /^\S+ \S+ .*\[[^\]]*\] "([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?"/;

/** Matches a request line by itself. */
const REQUEST_LINE = /^([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?$/;

/** Reads a line: an address, a path with its query, a query alone, or a line of an access log. */
export function readRequestLine(line: string): RequestLine {
  const text = line.trim();
  if (text === '' || text.startsWith('#')) return { kind: 'none' };
  const [, method = 'GET', target = text] = ACCESS_LOG.exec(text) ?? REQUEST_LINE.exec(text) ?? [];
  if (/\s/.test(target)) return leftOut('no address, query or line of an access log');
  if (method !== 'GET') return leftOut(`${method}, and no GET`);
  return readTarget(target);
}

const leftOut = (reason: string): RequestLine => ({ kind: 'left out', reason });

function readTarget(target: string): RequestLine {
  const isPath = target.startsWith('/') || /^https?:\/\//i.test(target);
  if (!isPath) return readQuery(target.replace(/^\?/, ''));
  const [beforeFragment = ''] = target.split('#');
  const [path = '', ...rest] = beforeFragment.split('?');
  // The service may be mounted below any path, and some callers double the slashes.
  const plain = path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  const endpoint = ENDPOINT_NAMES.find((name) => plain.endsWith(LEGACY_ENDPOINTS[name].path));
  if (!endpoint) return leftOut('none of the three endpoints');
  const query = new URLSearchParams(rest.join('?'));
  return { kind: 'requests', requests: [{ endpoint, query }] };
}

/**
 * Reads a bare query. It belongs to the endpoints that own its parameters, or else to each endpoint
 * that accepts it.
 */
function readQuery(text: string): RequestLine {
  const query = new URLSearchParams(text);
  if (!query.has('context')) return leftOut('neither an address nor a query with a context');
  return {
    kind: 'requests',
    requests: endpointsOf(query).map((endpoint) => ({ endpoint, query })),
  };
}

function endpointsOf(query: URLSearchParams): LegacyEndpoint[] {
  const owners = ENDPOINT_NAMES.filter((name) =>
    LEGACY_ENDPOINTS[name].own.some((parameter) => query.has(parameter)),
  );
  if (owners.includes('topper')) return ['topper'];
  if (owners.length > 0) return owners;
  return query.has('counter_group') ? ['topper'] : ['slices', 'groups'];
}
