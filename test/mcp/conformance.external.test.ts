import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { bearerOf } from '../support/http/mcp-client.ts';
import { ADA, type TestService } from '../support/lab/service.ts';
import { startMcpLab } from './mcp-lab.ts';

/** A separate package, which `.ci/run` installs: mcp-conformance/README.md says why. */
const FOLDER = join(projectRoot(), 'mcp-conformance');
const SUITE = join(FOLDER, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string };

/** Checks that need a tool that only servers built for the suite have. */
const NO_TEST_TOOLS = [
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
];

/** Checks of prompts and resources, which the server does not declare. */
const NOT_DECLARED = [
  'sep-2549-prompts-list-caching-hints',
  'sep-2549-resources-list-caching-hints',
  'sep-2549-resources-templates-list-caching-hints',
];

/** Each scenario for declared features, and the number of its checks that must pass at least. */
const SCENARIOS: readonly (readonly [string, string, number, readonly string[]])[] = [
  ['2025-06-18', 'server-initialize', 1, []],
  ['2025-06-18', 'ping', 1, []],
  ['2025-06-18', 'tools-list', 1, []],
  ['2025-11-25', 'server-initialize', 1, []],
  ['2025-11-25', 'ping', 1, []],
  ['2025-11-25', 'tools-list', 1, []],
  ['2025-11-25', 'dns-rebinding-protection', 2, []],
  ['2026-07-28', 'server-stateless', 22, NO_TEST_TOOLS],
  ['2026-07-28', 'tools-list', 4, []],
  ['2026-07-28', 'caching', 4, NOT_DECLARED],
  ['2026-07-28', 'http-header-validation', 14, []],
  ['2026-07-28', 'dns-rebinding-protection', 2, []],
];

describe('the conformance suite of the protocol', () => {
  let lab: TestService;
  let relay: Server;
  let folder: string;

  beforeAll(async () => {
    lab = await startMcpLab();
    relay = await startRelay(lab.url);
    folder = await mkdtemp(join(tmpdir(), 'countergraph-mcp-'));
  });

  afterAll(async () => {
    relay?.close();
    await lab?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(SCENARIOS)('%s: %s', async (version, scenario, passing, leftOut) => {
    const output = join(folder, `${version}-${scenario}`);
    const { port } = relay.address() as AddressInfo;
    const said = await run([
      'server',
      '--url',
      `http://127.0.0.1:${port}/mcp`,
      '--scenario',
      scenario,
      '--spec-version',
      version,
      '--output-dir',
      output,
    ]);
    const checks = await readChecks(output);
    const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    expect(failed.map(({ id }) => id).toSorted(), said).toEqual(leftOut.toSorted());
    const passed = checks.filter(({ status }) => status === 'SUCCESS');
    expect(passed.length).toBeGreaterThanOrEqual(passing);
  });
});

function run(given: readonly string[]): Promise<string> {
  const options = ['--import', join(FOLDER, 'glob-sync.mjs'), SUITE, ...given];
  return new Promise((resolve) => {
    // The suite exits with 1 when a check fails; the test reads which ones from its output.
    execFile(process.execPath, options, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

async function readChecks(output: string): Promise<readonly Check[]> {
  const names = await readdir(output, { recursive: true });
  const name = names.find((each) => each.endsWith('checks.json')) ?? 'checks.json';
  return JSON.parse(await readFile(join(output, name), 'utf8'));
}

/** The suite sends no credentials: the relay adds those of a user. */
async function startRelay(url: string): Promise<Server> {
  const server = createServer((given, answer) => {
    const { method, headers } = given;
    const target = new URL(given.url ?? '/', url);
    const sent = { ...headers, ...bearerOf(ADA) };
    const onward = request(target, { method, headers: sent }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    given.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
