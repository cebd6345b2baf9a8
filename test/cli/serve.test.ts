import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../support/database/test-server.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { isRunning, postmasterPid } from '../support/programs/processes.ts';

let program: BuiltProgram;
let folder: string;
let dataDir: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  program = await buildProgram();
  folder = await makeTemporaryFolder();
  dataDir = join(folder, 'data');
});

afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
  await program.remove();
});

type Serving = { child: ChildProcess; output: string; url: string };

/** Runs what `npm start` runs; with `shell`, below a shell, as npm does. */
async function serve({
  shell = false,
  log = false,
  more = [] as readonly string[],
} = {}): Promise<Serving> {
  const main = join(program.folder, 'dist/bundle/main.js');
  const command = [process.execPath, main, 'serve', '--demo', ...more];
  const [file = '', ...parameters] = shell ? ['sh', '-c', `${command.join(' ')}; :`] : command;
  const child = spawn(file, parameters, {
    cwd: program.folder,
    env: {
      ...process.env,
      npm_lifecycle_event: 'start',
      COUNTERGRAPH_DATA_DIR: dataDir,
      DATABASE_URL: '',
      COUNTERGRAPH_LOG_LEVEL: 'debug',
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', log ? 'pipe' : 'ignore'],
  });
  started.push(child);
  let output = '';
  if (!child.stdout) throw new Error('the program has no output');
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes('Ctrl-C')) break;
  }
  const [, url = ''] = /^countergraph is ready at (http:\S+)$/m.exec(output) ?? [];
  return { child, output, url };
}

async function endBy(child: ChildProcess, signal: NodeJS.Signals) {
  const ended = once(child, 'exit');
  child.kill(signal);
  return ended;
}

/** Waits until the PostgreSQL that was started no longer runs. */
async function waitUntilGone(postmaster: number): Promise<void> {
  while (isRunning(postmaster)) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('npm start, with nothing but Node', { timeout: 60_000 }, () => {
  it('prints where the explorer is, the demo user, and a curl line for each endpoint', async () => {
    const { child, output, url } = await serve();
    expect(output).toContain(`Dashboard ${url}/\n`);
    expect(output).toContain(`Explorer  ${url}/graphql`);
    expect(output).toMatch(/User {6}demo\n {2}Token {5}demo/);
    const lines = output.match(/curl .*/g) ?? [];
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const [, credentials = '', address = ''] = /^curl -u (\S+) '([^']+)'$/.exec(line) ?? [];
      const headers = { authorization: `Basic ${btoa(credentials)}` };
      const response = await fetch(address, { headers });
      expect([line, response.status]).toEqual([line, 200]);
      expect(await response.text()).not.toMatch(/"(slices|group_details|keys)":\[\]/);
    }
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('countergraph_http_request');
    expect(await endBy(child, 'SIGINT')).toEqual([0, null]);
    expect(execFileSync('ps', ['-A', '-ww', '-o', 'args=']).toString()).not.toContain(dataDir);
  });

  it('starts again after it was killed, with the demo', async () => {
    const { child } = await serve();
    const postmaster = await postmasterPid(dataDir);
    await endBy(child, 'SIGKILL');
    const again = await serve();
    expect(again.output).toMatch(/User {6}demo/);
    expect(await endBy(again.child, 'SIGTERM')).toEqual([0, null]);
    expect(isRunning(postmaster)).toBe(false);
  });

  it('treats the documents of a file as frequent ones from the start', async () => {
    const file = join(folder, 'documents.json');
    const query = 'query Trusted { viewer { username } }';
    const documentId = createHash('sha256').update(query).digest('hex');
    await writeFile(file, JSON.stringify({ [documentId]: query }));
    const { child, url } = await serve({ more: ['--documents', file] });
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer demo',
        'x-username': 'demo',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ documentId }),
    });
    expect(await answer.json()).toEqual({ data: { viewer: { username: 'demo' } } });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('countergraph_graphql_requests_total{way="hot"} 1');
    expect(await endBy(child, 'SIGTERM')).toEqual([0, null]);
  });

  it('continues if the reader of its log is gone, and then ends all its processes', async () => {
    const { child, url } = await serve({ log: true });
    const postmaster = await postmasterPid(dataDir);
    child.stderr?.destroy();
    // Each of these requests is logged.
    for (let request = 0; request < 3; request += 1) {
      expect((await fetch(`${url}/api/topper/topper_request`)).status).toBe(401);
    }
    expect(await endBy(child, 'SIGTERM')).toEqual([0, null]);
    expect(isRunning(postmaster)).toBe(false);
  });

  it('ends with the shell in which npm started it, which passes on no signals', async () => {
    const { child } = await serve({ shell: true });
    const postmaster = await postmasterPid(dataDir);
    await endBy(child, 'SIGTERM');
    await waitUntilGone(postmaster);
  });
});
