import { isRestPath } from '../../rest/handle-request.ts';
import { ENDPOINT_DESCRIPTIONS, parametersOf } from '../../rest/openapi/openapi.ts';
import { API_TOKEN, USERNAME } from '../../rest/parameters/decode-common.ts';
import type { Settings } from '../settings/settings.ts';
import { GRAPHQL_PATH } from './graphql-path.ts';
import type { Exchange } from './http-exchange.ts';

type LoggedAddress = {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** How many other parameters there were; undefined: none. */
  readonly unknownParameters?: number;
};

/** Returns what the log shows of the address of a request. */
export type AddressLog = (exchange: Pick<Exchange, 'path' | 'query'>) => LoggedAddress;

/**
 * Decision 10: tokens are never logged, however a caller misspells or misplaces them. So the log
 * shows known parameters only.
 */
export function addressLog(settings: Settings): AddressLog {
  const restNames = new Set([
    ...ENDPOINT_DESCRIPTIONS.flatMap((each) =>
      parametersOf(each, settings).map(({ name }) => name),
    ),
    'valid_input',
  ]);
  // A caller without an Authorization header sends both, and may mistake one for the other.
  for (const { name } of [API_TOKEN, USERNAME]) restNames.delete(name);
  const namesOf = (path: string): ReadonlySet<string> => {
    if (isRestPath(path)) return restNames;
    return path === GRAPHQL_PATH ? GRAPHQL_NAMES : NO_NAMES;
  };
  return ({ path, query }) => {
    const names = namesOf(path);
    const shown = [...query].filter(([name]) => names.has(name.replace(/\[\]$/, '')));
    const unknown = [...query.keys()].filter((name) => !EXPECTED.has(name)).length - shown.length;
    return {
      path: plainStart(path),
      parameters: Object.fromEntries(shown.map(([name, value]) => [name, ownPart(value)])),
      ...(unknown > 0 && { unknownParameters: unknown }),
    };
  };
}

const GRAPHQL_NAMES: ReadonlySet<string> = new Set(['operationName', 'documentId']);
const NO_NAMES: ReadonlySet<string> = new Set();

/** Known, but never shown: they are credentials, or may contain anything. */
const EXPECTED: ReadonlySet<string> = new Set([
  API_TOKEN.name,
  USERNAME.name,
  'query',
  'variables',
  'extensions',
]);

/** Cuts a path where a query without its `?` may begin: `/api/topper&api_token=…`. */
const plainStart = (path: string): string => path.replace(/[^\w/.~-].*$/s, '…');

/** Cuts a value where the next parameter begins if it was escaped, or joined by a second `?`. */
const ownPart = (value: string): string => value.replace(/[?&;#][^?&;#=]*=.*$/s, '…');
