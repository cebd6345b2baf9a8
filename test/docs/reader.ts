import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openConnection } from '../../db/connection/connection.ts';
import { projectRoot } from '../../db/project-root.ts';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { DEMO_NAME } from '../../ingest/demo/demo.ts';
import { readSettings } from '../../server/settings/settings.ts';
import { startServer } from '../../server/start-server.ts';
import { createLog } from '../../server/telemetry/log.ts';
import type { TestDatabase } from '../support/database/database.ts';
import type { BuiltProgram, Outcome } from '../support/programs/built-program.ts';
import { writeReaderFiles } from './reader-files.ts';

/** The address on the pages, which the tests replace by that of their own server. */
const WRITTEN_ADDRESS = 'http://127.0.0.1:4000';

/** The time limit for all commands of one block. */
const PATIENCE_MS = 90_000;

export type GraphQLResult = {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string }[];
};

/** A reader who follows a page, with the program, the demo and some files. */
export type Reader = {
  readonly url: string;
  run(block: string): Promise<Outcome>;
  ask(query: string): Promise<GraphQLResult>;
  leave(): Promise<void>;
};

/** Takes over the database, which must already have the demo. */
export async function createReader(program: BuiltProgram, database: TestDatabase): Promise<Reader> {
  const folder = await makeFolder(program);
  await declareRecoveryNode(database.url);
  const server = await startServer({
    settings: { ...readSettings({ PORT: '0' }), dataDir: join(folder, 'data') },
    databaseUrl: database.url,
    log: createLog('silent', process.stderr),
    variable: (name) => (name === RECOVERY_VARIABLE ? database.url : undefined),
    explorer: { credentials: { username: DEMO_NAME, token: DEMO_NAME } },
  });
  const env = {
    PATH: `${join(folder, '.reader')}:${process.env['PATH']}`,
    HOME: folder,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'warn',
  };
  return {
    url: server.url,
    run: (block) => runBlock(block.replaceAll(WRITTEN_ADDRESS, server.url), folder, env),
    ask: (query) => askGraphQL(server.url, query),
    async leave() {
      await server.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A folder that looks like a checkout to commands, with the files that pages name. */
async function makeFolder(program: BuiltProgram): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-reader-'));
  for (const name of ['dist', 'package.json', 'migrations', 'schema', 'web', 'node_modules']) {
    await symlink(join(program.folder, name), join(folder, name));
  }
  await cp(join(projectRoot(), 'examples'), join(folder, 'examples'), { recursive: true });
  await mkdir(join(folder, '.reader'));
  for (const [name, script] of Object.entries(PROGRAMS)) {
    await writeFile(join(folder, '.reader', name), script);
    await chmod(join(folder, '.reader', name), 0o755);
  }
  await writeReaderFiles(folder);
  return folder;
}

/** Stands in for `npm run` in the folder, without building the program for each command. */
const NPM = `#!/usr/bin/env bash
set -euo pipefail
if [ "\${1-} \${2-} \${3-} \${4-}" = "run -s countergraph --" ]; then
  exec countergraph "\${@:5}"
fi
echo "npm $*: is not run by the tests of the pages; a block with it is to be marked console" >&2
exit 1
`;

const PROGRAMS = { npm: NPM, countergraph: '#!/bin/sh\nexec node dist/bundle/main.js "$@"\n' };

const RECOVERY_VARIABLE = 'DR_DATABASE_URL';

/** Pages show how to query another node; here, that node is the same database. */
async function declareRecoveryNode(url: string): Promise<void> {
  const connection = await openConnection(url, 'test');
  try {
    const nodes = [{ name: 'dr0', role: 'dr', url_env: RECOVERY_VARIABLE }];
    await applyDeclaration(connection, { context: DEMO_NAME, nodes });
  } finally {
    await connection.end();
  }
}

/** Runs the block as a user would type it, but ends at the first command that fails. */
async function runBlock(block: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', block], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Processes that it left in the background end with it.
  const endGroup = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process group is empty.
    }
  };
  const patience = setTimeout(endGroup, PATIENCE_MS);
  const status = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = await status;
  clearTimeout(patience);
  endGroup();
  const [stdout, stderr] = await output;
  return { status: ended, stdout, stderr };
}

async function askGraphQL(url: string, query: string): Promise<GraphQLResult> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${DEMO_NAME}`,
      'x-username': DEMO_NAME,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query }),
  });
  return (await answer.json()) as GraphQLResult;
}
