import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { stringify } from 'lossless-json';
import type { QueryResultRow } from 'pg';
import { addUser } from '../../../access/users.ts';
import type { Connection } from '../../../db/connection/connection.ts';
import { applyDeclaration } from '../../../ingest/declaration/apply.ts';
import { importFile } from '../../../ingest/files/import-file.ts';
import { mergeHere } from '../../../server/background/merge-in-thread.ts';
import { readSettings, type Settings } from '../../../server/settings/settings.ts';
import { startServer } from '../../../server/start-server.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import type { Tracing } from '../../../server/telemetry/tracing.ts';
import { createTestDatabase } from '../database/database.ts';
import { onConnection, rowsOf } from '../database/rows-of.ts';
import { type ErrorBody, parseExactly, type TopperBody } from '../http/answers.ts';
import { collectingStream } from '../http/collecting-stream.ts';
import { type HttpAnswer, type HttpCall, httpCall } from '../http/http-call.ts';
import { type Encoding, encode, post, type RestParameters } from '../http/rest-parameters.ts';

/** A line of the `samples` format (operations, "Import formats"). */
export type Line = {
  readonly group: string;
  readonly key: string;
  readonly ts: number;
  readonly values: Readonly<Record<string, number | bigint>>;
  readonly count?: number;
  readonly probe?: string;
  readonly label?: string;
  readonly description?: string;
  readonly attributes?: Readonly<Record<string, string>>;
};

const PATHS = {
  slices: '/api/time_slices/time_slices_request',
  groups: '/api/counter_group_info/counter_group_info_request',
  topper: '/api/topper/topper_request',
} as const;

export type EndpointName = keyof typeof PATHS;

export const ENDPOINT_NAMES = ['slices', 'groups', 'topper'] as const;

export type RestAnswer = HttpAnswer & { readonly body: unknown };

export type GraphQLProblem = {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string };
};

export type GraphQLAnswer<Data> = HttpAnswer & {
  readonly data: Data;
  readonly errors: readonly GraphQLProblem[] | undefined;
};

export type Credentials = { readonly username: string; readonly token: string };

/** The user and the context that tests use by default. */
export const ADA: Credentials = { username: 'ada', token: 'ada-token' };
export const CONTEXT = 'lab';

export const basic = ({ username, token }: Credentials): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`,
});

export type TestServiceOptions = {
  readonly settings?: Partial<Settings>;
  /** Trusted documents by hash. */
  readonly documents?: ReadonlyMap<string, string>;
  /** The environment variables that a node's `url_env` can name. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly tracing?: Tracing;
  /** Called before each statement is sent. */
  readonly beforeStatement?: (text: string) => void;
  /** An existing database, instead of a new one. It stays when the service is closed. */
  readonly databaseUrl?: string;
};

export type TestService = Awaited<ReturnType<typeof startTestService>>;

/** Starts the real server on a free port, with a database of its own. */
export async function startTestService(options: TestServiceOptions = {}) {
  const database = options.databaseUrl ? null : await createTestDatabase();
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const statements: string[] = [];
  const logged: string[] = [];
  const clock = { seconds: Date.UTC(2024, 6, 15, 12) / 1000 };
  const settings: Settings = { ...readSettings({ PORT: '0' }), ...options.settings };
  const server = await startServer({
    settings,
    databaseUrl,
    log: createLog(options.settings?.logLevel ?? 'debug', collectingStream(logged)),
    clock: () => clock.seconds * 1000,
    onStatement(text) {
      statements.push(text);
      options.beforeStatement?.(text);
    },
    variable: (name) => options.variables?.[name],
    explorer: { credentials: null },
    ...(options.documents && { documents: options.documents }),
    tracing: options.tracing ?? null,
    // Tests start merges themselves; a worker thread would run the last build, not the sources.
    merging: { delays: null, mergeContext: mergeHere },
    retention: null,
    notifying: null,
    alerts: null,
    audit: null,
    keepingUses: null,
  });
  const agent = new Agent({ keepAlive: true });
  const call = (path: string, how: HttpCall = {}) => httpCall(server.url + path, { agent, ...how });
  return {
    url: server.url,
    databaseUrl,
    /** A test may change the limits of an answer between requests. */
    settings,
    /** The server's current time, in seconds since the epoch. */
    clock,
    /** The server's log so far. */
    logText: () => logged.join(''),
    /** The texts of the statements that the server sends from now on. */
    watchStatements(): () => readonly string[] {
      const mark = statements.length;
      return () => statements.slice(mark);
    },
    /** Decides the windows of alerts that are due. */
    decideAlertsNow: () => server.evaluateAlertsNow(),
    /** Writes failed sign-ins, and logs what is new in the audit. */
    keepAuditNow: () => server.keepAuditNow(),
    /** Writes when tokens were last used. */
    keepTokenUsesNow: () => server.keepTokenUsesNow(),
    /** Empties the caches that the server keeps from one request to the next. */
    emptyCaches: () => server.emptyCaches(),
    /** Announces that the server will close, which is the first step of closing. */
    beginToClose: () => server.beginToClose(),
    /** Merges and sweeps what the server would merge and sweep in the background. */
    mergeNow: () => server.mergeNow(),
    /** Drops what the server would drop in the background. */
    dropExpiredNow: () => server.dropExpiredNow(),
    call,
    ...restOf(call),
    ...graphqlOf(call),
    ...fillOf(databaseUrl),
    async close() {
      agent.destroy();
      await server.close();
      await database?.drop();
    },
  };
}

type Caller = (path: string, how?: HttpCall) => Promise<HttpAnswer>;

function restOf(call: Caller) {
  const defaults = { context: CONTEXT, username: ADA.username, api_token: ADA.token };

  async function rest(
    endpoint: EndpointName,
    parameters: RestParameters = {},
    { encoding = 'query' as Encoding, ...how }: HttpCall & { encoding?: Encoding } = {},
  ): Promise<RestAnswer> {
    const { query, call: encoded } = await encode({ ...defaults, ...parameters }, encoding);
    const headers = { ...encoded.headers, ...how.headers };
    const answer = await call(PATHS[endpoint] + query, { ...encoded, ...how, headers });
    return { ...answer, body: answer.text === '' ? null : parseExactly(answer.text) };
  }

  /** The body of an answer that must be a 200. The tests check its shape. */
  async function ok<Body>(
    endpoint: EndpointName,
    parameters: RestParameters = {},
    how: HttpCall & { encoding?: Encoding } = {},
  ): Promise<Body> {
    const answer = await rest(endpoint, parameters, how);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    return answer.body as Body;
  }

  /** Status and message of an answer that must be an error in the specification's shape. */
  async function refusal(
    endpoint: EndpointName,
    parameters: RestParameters = {},
    how: HttpCall & { encoding?: Encoding } = {},
  ): Promise<[number, string]> {
    const answer = await rest(endpoint, parameters, how);
    const { status, message, ...more } = answer.body as ErrorBody;
    if (status !== 'ERROR' || Object.keys(more).length > 0) {
      throw new Error(`not an error: ${answer.status} ${answer.text}`);
    }
    return [answer.status, message];
  }

  return {
    rest,
    ok,
    refusal,
    topper: (parameters: RestParameters) => ok<TopperBody>('topper', parameters),
    path: (endpoint: EndpointName): string => PATHS[endpoint],
  };
}

function graphqlOf(call: Caller) {
  async function graphql<Data = unknown>(
    query: string,
    variables: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = basic(ADA),
  ): Promise<GraphQLAnswer<Data>> {
    const sent = post('application/json', stringify({ query, variables }) ?? '');
    const answer = await call('/graphql', { ...sent, headers: { ...sent.headers, ...headers } });
    const { data, errors } = JSON.parse(answer.text) as GraphQLAnswer<Data>;
    return { ...answer, data, errors };
  }

  /** The data of an answer that must have no errors. */
  async function data<Data = unknown>(
    query: string,
    variables?: Readonly<Record<string, unknown>>,
    credentials: Credentials = ADA,
  ): Promise<Data> {
    const answer = await graphql<Data>(query, variables, basic(credentials));
    if (answer.errors || answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    return answer.data;
  }

  return { graphql, data };
}

function fillOf(databaseUrl: string) {
  const sql = <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) =>
    rowsOf<Row>(databaseUrl, text, values);
  const write = <T>(work: (connection: Connection) => Promise<T>): Promise<T> =>
    onConnection(databaseUrl, work);
  let imports = 0;
  const imported = new Map<string, Line[]>();
  return {
    /** All sample lines that were imported into a context, even if their slices are gone. */
    imported: (context: string = CONTEXT): readonly Line[] => imported.get(context) ?? [],
    sql,
    write,
    apply: (declaration: object) =>
      write((connection) => applyDeclaration(connection, declaration)),
    addUser: ({ username: name, token }: Credentials, contexts: readonly string[]) =>
      write((connection) => addUser(connection, { name, token, contexts })),
    /** Grants more contexts to an existing user. */
    grant: ({ username: name }: Credentials, contexts: readonly string[]) =>
      write((connection) => addUser(connection, { name, contexts })),
    async importSamples(
      lines: readonly Line[],
      { context = CONTEXT, engine = 0 }: { context?: string; engine?: number } = {},
    ): Promise<void> {
      const content = lines.map((line) => `${stringify(line)}\n`).join('');
      imports += 1;
      await importFile({
        databaseUrl,
        context,
        engine,
        format: 'samples',
        again: true,
        source: {
          name: `samples ${imports}`,
          sizeBytes: null,
          isRepeatable: true,
          open: () => Readable.from([Buffer.from(content)]),
        },
        now: () => Math.floor(Date.now() / 1000),
      });
      imported.set(context, [...(imported.get(context) ?? []), ...lines]);
    },
  };
}
