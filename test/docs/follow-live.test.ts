import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ApolloClient } from '@apollo/client';
import { gql } from '@apollo/client';
import type { Client } from '@urql/core';
import { parse, validate } from 'graphql';
import type { RequestParams, Sink } from 'graphql-sse';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { revokeGrant } from '../../access/users.ts';
import { projectRoot } from '../../db/project-root.ts';
import { schema } from '../../schema/schema.ts';
import { rotateToken } from '../support/database/rotate-token.ts';
import { type DocModules, docModules } from '../support/files/doc-modules.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { basic, CONTEXT, type TestService } from '../support/lab/service.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { freePort } from '../support/programs/free-port.ts';
import { type ServingProcesses, serveByProcesses } from '../support/programs/serving-processes.ts';

const run = promisify(execFile);

const PAGE = readFileSync(join(projectRoot(), 'docs/how-to/follow-live.md'), 'utf8');
const COMPILER = join(projectRoot(), 'node_modules', 'typescript', 'bin', 'tsc');
const GROUP = guidOf(1);

let modules: DocModules;
let program: BuiltProgram;
let lab: TestService;
let minute = 0;

beforeAll(async () => {
  [modules, program] = await Promise.all([docModules(PAGE), buildProgram()]);
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
  });
}, 120_000);

afterAll(async () => {
  await lab?.close();
  await program?.remove();
  await modules?.remove();
});

const count = async () => {
  minute += 1;
  const ts = T0 + 60 * minute;
  await lab.importSamples([{ group: GROUP, key: 'k', ts, values: { 0: 1 } }]);
};

/** A new user, whose rights the test may revoke. */
async function newUser(username: string): Promise<() => Record<string, string>> {
  const token = `${username}-token`;
  await lab.addUser({ username, token }, [CONTEXT]);
  return () => basic({ username, token });
}

const TOPPER = `subscription ($context: String!, $everySeconds: Int! = 1) { topper(
  context: $context, counterGroup: "${GROUP}", everySeconds: $everySeconds
  window: { preset: ALL_AVAILABLE }) { total } }`;

type Told = {
  readonly data?: { readonly topper: { readonly total: number } | null } | null | undefined;
  readonly codes: readonly unknown[];
};

/** A frontend that follows a topper with any of the clients. */
class Follower {
  readonly told: Told[] = [];
  isComplete = false;
  end: () => void = () => {};
  #wake = () => {};

  next(told: Told): void {
    this.told.push(told);
    this.#wake();
  }

  complete(): void {
    this.isComplete = true;
    this.#wake();
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((woken) => {
        this.#wake = woken;
      });
    }
  }

  untilTotal(total: number): Promise<void> {
    return this.until(() => this.told.at(-1)?.data?.topper?.total === total);
  }
}

type Variables = { readonly context: string; readonly everySeconds?: number };

type Follow = (
  url: string,
  headers: () => Record<string, string>,
  variables?: Variables,
) => Promise<Follower>;

type Failed = { readonly extensions?: Readonly<Record<string, unknown>> | undefined };

const codesOf = (errors: readonly Failed[] = []) =>
  errors.map(({ extensions }) => extensions?.['code']);

type SseModule = {
  createLive(options: { url: string; headers: () => Record<string, string> }): {
    subscribe(
      request: RequestParams,
      sink: Sink<{ data?: Told['data']; errors?: readonly Failed[] }>,
    ): () => void;
  };
};

const OF_LAB: Variables = { context: CONTEXT };

const byGraphqlSse: Follow = async (url, headers, variables = OF_LAB) => {
  const { createLive } = (await modules.load('live.ts')) as SseModule;
  const follower = new Follower();
  follower.end = createLive({ url, headers }).subscribe(
    { query: TOPPER, variables },
    {
      next: ({ data, errors }) => follower.next({ data, codes: codesOf(errors) }),
      error: (error) => Promise.reject(error),
      complete: () => follower.complete(),
    },
  );
  return follower;
};

type Create<Made> = (url: string, headers: () => Record<string, string>) => Made;

const byUrql: Follow = async (url, headers, variables = OF_LAB) => {
  const { createUrqlClient } = await modules.load('urql-live.ts');
  const client = (createUrqlClient as Create<Client>)(url, headers);
  const follower = new Follower();
  const { unsubscribe } = client
    .subscription<NonNullable<Told['data']>>(TOPPER, variables)
    .subscribe(({ data, error, hasNext }) => {
      // At the end, urql repeats the last answer.
      if (hasNext) follower.next({ data, codes: codesOf(error?.graphQLErrors) });
      else follower.complete();
    });
  follower.end = unsubscribe;
  return follower;
};

const byApollo: Follow = async (url, headers, variables = OF_LAB) => {
  const { createApolloClient } = await modules.load('apollo-live.ts');
  const client = (createApolloClient as Create<ApolloClient>)(url, headers);
  const follower = new Follower();
  const subscription = client
    .subscribe<NonNullable<Told['data']>>({
      query: gql(TOPPER),
      variables,
      errorPolicy: 'all',
      fetchPolicy: 'no-cache',
    })
    .subscribe({
      next({ data, error }) {
        const errors = (error as { errors?: readonly Failed[] } | undefined)?.errors;
        follower.next({ data, codes: codesOf(errors) });
      },
      complete: () => follower.complete(),
    });
  follower.end = () => subscription.unsubscribe();
  return follower;
};

const CLIENTS: readonly (readonly [string, Follow])[] = [
  ['graphql-sse', byGraphqlSse],
  ['urql', byUrql],
  ['Apollo Client', byApollo],
];

const open: Follower[] = [];

afterEach(() => {
  for (const follower of open.splice(0)) follower.end();
});

async function opened(following: Promise<Follower>): Promise<Follower> {
  const follower = await following;
  open.push(follower);
  return follower;
}

const graphqlOf = ({ url }: { readonly url: string }): string => `${url}/graphql`;

let users = 0;

const someone = () => {
  users += 1;
  return newUser(`user-${users}`);
};

describe.each(CLIENTS)('%s, as on the page', (_, follow) => {
  it('gets the answer, and the next one after a commit', async () => {
    const follower = await opened(follow(graphqlOf(lab), await someone()));
    await follower.untilTotal(minute + 1);
    await count();
    await follower.untilTotal(minute + 1);
    expect(follower.told.flatMap(({ codes }) => codes)).toEqual([]);
  });

  it('gets the code of an error, and does not retry', async () => {
    const headers = await someone();
    const variables = { ...OF_LAB, everySeconds: 0 };
    const wrong = await opened(follow(graphqlOf(lab), headers, variables));
    await wrong.until(() => wrong.isComplete);
    const stranger = () => ({ authorization: 'Bearer no-such-token', 'x-username': 'nobody' });
    const signedOut = await opened(follow(graphqlOf(lab), stranger));
    await signedOut.until(() => signedOut.isComplete);
    expect([wrong, signedOut].map(({ told }) => told.map(({ codes }) => codes))).toEqual([
      [['BAD_USER_INPUT']],
      [['UNAUTHENTICATED']],
    ]);
  });

  it('gets an error if its token, or null if its grant, is revoked', async () => {
    const rotated = await someone();
    const revoked = await someone();
    const [first, second] = [users - 1, users].map((n) => `user-${n}`) as [string, string];
    const followers = [
      await opened(follow(graphqlOf(lab), rotated)),
      await opened(follow(graphqlOf(lab), revoked)),
    ];
    for (const follower of followers) await follower.untilTotal(minute + 1);
    await lab.write((to) => rotateToken(to, first));
    await lab.write((to) => revokeGrant(to, { name: second, context: CONTEXT }));
    for (const follower of followers) await follower.until(() => follower.isComplete);
    const lasts = followers.map(({ told }) => told.at(-1));
    expect(lasts.map((last) => last?.codes)).toEqual([['UNAUTHENTICATED'], []]);
    expect(lasts[1]?.data).toEqual({ topper: null });
  });
});

describe('clients of a server', { timeout: 60_000 }, () => {
  let serving: ServingProcesses;
  let port: number;

  const start = async () => {
    const env = { PORT: String(port) };
    serving = await serveByProcesses(program, lab.databaseUrl, { processes: 1, env });
  };

  beforeAll(async () => {
    port = await freePort();
    await start();
  }, 60_000);

  afterAll(() => {
    serving?.child.kill('SIGKILL');
  });

  it.each([
    ['that drains', 'SIGTERM'],
    ['that is killed', 'SIGKILL'],
  ] as const)('%s follow the next server at its address', async (_, signal) => {
    const url = `http://127.0.0.1:${port}/graphql`;
    const followers: Follower[] = [];
    for (const [, follow] of CLIENTS) followers.push(await opened(follow(url, await someone())));
    for (const follower of followers) await follower.untilTotal(minute + 1);
    serving.child.kill(signal);
    await serving.ended;
    await count();
    await start();
    for (const follower of followers) await follower.untilTotal(minute + 1);
    expect(followers.map(({ isComplete }) => isComplete)).toEqual([false, false, false]);
  });
});

it('the subscriptions of the page are valid', () => {
  const documents = [...PAGE.matchAll(/^```gql\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  expect(documents.join()).toMatch(/topper\([\s\S]*alertEvents\(/);
  for (const document of documents) expect(validate(schema, parse(document))).toEqual([]);
});

it('the code of the page is strict TypeScript', async () => {
  const { compilerOptions } = JSON.parse(
    readFileSync(join(projectRoot(), 'tsconfig.json'), 'utf8'),
  );
  const lib = ['es2023', 'dom', 'dom.iterable'];
  const config = { compilerOptions: { ...compilerOptions, lib }, include: ['*.ts'] };
  await writeFile(join(modules.folder, 'tsconfig.json'), JSON.stringify(config));
  await run(process.execPath, [COMPILER, '-p', modules.folder]);
});
