import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { sums } from '../ingest/import-support.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { exportFlows } from '../support/files/netflow-v5.ts';
import { udpFrame } from '../support/files/packet-capture.ts';
import {
  type BuiltProgram,
  buildProgram,
  type Outcome,
  outcomeOf,
} from '../support/programs/built-program.ts';
import { startCollector } from '../support/programs/collector.ts';
import { makeFlowFiles } from '../support/programs/nfdump-files.ts';

const SCRIPT = join(projectRoot(), 'deploy', 'import-nfcapd.sh');

let program: BuiltProgram;
let database: TestDatabase;
let spool: string;

beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program.remove());

beforeEach(async () => {
  database = await createTestDatabase();
  spool = await mkdtemp(join(tmpdir(), 'countergraph-spool-'));
});
afterEach(async () => {
  await database.drop();
  await rm(spool, { recursive: true, force: true });
});

const environment = (databaseUrl = database.url) => ({
  ...process.env,
  DATABASE_URL: databaseUrl,
  COUNTERGRAPH: `${process.execPath} ${join(program.folder, 'dist/bundle/main.js')}`,
});

/** Runs the script over the spool, as nfcapd does. */
const runScript = (databaseUrl?: string): Promise<Outcome> =>
  outcomeOf(spawn(SCRIPT, [spool, 'flows', '--probe', 'p1'], { env: environment(databaseUrl) }));

/** Lists the files of nfcapd that wait, and those that are imported. */
async function files(): Promise<{ waiting: string[]; imported: string[] }> {
  const all = await readdir(spool, { recursive: true });
  const names = all.filter((name) => name.includes('nfcapd.')).sort();
  return {
    waiting: names.filter((name) => !name.startsWith('imported/')),
    imported: names.flatMap((name) => /^imported\/(.*)/.exec(name)?.slice(1) ?? []),
  };
}

/** Puts a file of nfcapd into the spool, with one flow of 58 bytes. */
async function spoolFile(name: string, atMs: number): Promise<void> {
  const ends = { from: '10.0.0.2', to: '8.8.8.8', sourcePort: 5_000, port: 53 };
  const made = await makeFlowFiles([{ atMs, frame: udpFrame(ends, 30) }]);
  const [path = ''] = await made.paths();
  await rename(path, join(spool, name));
  await made.remove();
}

const START_MS = 1_700_000_309_500;

describe('the script for finished files of nfcapd', () => {
  it('imports each file once, oldest first, and moves it away', async () => {
    await spoolFile('nfcapd.202311142219', START_MS + 60_000);
    await spoolFile('nfcapd.202311142218', START_MS);
    await writeFile(join(spool, 'nfcapd.current.123'), 'is being written');
    const { status, stdout, stderr } = await runScript();
    // Each import names its database; there are no other messages.
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^(database: .*\n){2}$/)]);
    expect(stdout).toMatch(
      /nfcapd\.202311142218\.csv: 1 flow .*nfcapd\.202311142219\.csv: 1 flow /s,
    );
    const done = ['nfcapd.202311142218', 'nfcapd.202311142219'];
    expect(await files()).toEqual({ waiting: ['nfcapd.current.123'], imported: done });
    expect(await sums(database.url, 'flows')).toMatchObject({ 'Apps 00.35 1': '116' });
    expect(await rowsOf(database.url, 'select name from probes')).toEqual([{ name: 'p1' }]);
    // If a call ends before it moves the file away, the next call does so.
    await rename(join(spool, 'imported', done[0] ?? ''), join(spool, done[0] ?? ''));
    const again = await runScript();
    expect(again.stdout).toMatch(/its content is in context flows already, .*: skipped\n$/);
    expect(await files()).toMatchObject({ imported: done });
    expect(await sums(database.url, 'flows')).toMatchObject({ 'Apps 00.35 1': '116' });
  });

  it('leaves what it cannot import for the next call, and continues with the others', async () => {
    await spoolFile('nfcapd.202311142218', START_MS);
    const away = await runScript('postgres://nobody@127.0.0.1:9/nothing');
    expect(away.status).toBe(1);
    expect(away.stderr).toContain('nfcapd.202311142218 stays: it could not be imported');
    await writeFile(join(spool, 'nfcapd.202311142217'), 'damaged');
    const back = await runScript();
    expect(back.status).toBe(1);
    expect(back.stderr).toMatch(/Short read.*nfcapd\.202311142217 stays: nfdump cannot read/s);
    expect(await files()).toEqual({
      waiting: ['nfcapd.202311142217'],
      imported: ['nfcapd.202311142218'],
    });
    expect(await sums(database.url, 'flows')).toMatchObject({ 'Apps 00.35 1': '58' });
  });

  it('prints its usage', async () => {
    for (const parameters of [[], [spool], [join(spool, 'nothing'), 'flows']]) {
      const { status, stderr } = await outcomeOf(spawn(SCRIPT, parameters));
      expect([status, stderr]).toEqual([2, expect.stringContaining('usage: import-nfcapd.sh')]);
    }
  });
});

/** Prints one connection as nfdump 1.7.8 does: what came back only in columns that were asked for. */
const NFDUMP_1_7_8 = `#!/bin/sh
case "$4" in
  csv:*%ipkt,%ibyt,%opkt,%obyt,%fl)
    echo 'Record: 1 Time error - last < first' >&2
    echo firstSeen,lastSeen,duration,proto,srcAddr,srcPort,dstAddr,dstPort,inPackets,inBytes,outPackets,outBytes,flows
    echo 2023-11-14 22:18:29.500,2023-11-14 22:18:29.500,0.000,6,10.0.0.1,51000,198.51.100.7,443,4,400,9,9000,2
    ;;
  csv)
    echo firstSeen,duration,proto,srcAddr,srcPort,dstAddr,dstPort,packets,bytes,flows
    echo 2023-11-14 22:18:29.500,0.000,6,10.0.0.1,51000,198.51.100.7,443,4,400,2
    ;;
esac
`;

describe('the script with nfdump 1.7.8', () => {
  it('imports what came back, and flows of which nfdump says that they end too early', async () => {
    const bin = await mkdtemp(join(tmpdir(), 'countergraph-bin-'));
    const nfdump = join(bin, 'nfdump');
    await writeFile(nfdump, NFDUMP_1_7_8);
    await chmod(nfdump, 0o755);
    await writeFile(join(spool, 'nfcapd.202311142218'), 'flows');
    const env = { ...environment(), PATH: `${bin}:${process.env['PATH']}` };
    const { status, stdout, stderr } = await outcomeOf(spawn(SCRIPT, [spool, 'flows'], { env }));
    await rm(bin, { recursive: true });
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^database: .*\n$/)]);
    expect(stdout).toContain('nfcapd.202311142218.csv: 1 two-way flow from 2 lines');
    expect(await sums(database.url, 'flows')).toMatchObject({
      'Aggregates TOTALBW 1': '9400',
      'Apps 01.BB 4': '1',
    });
  });
});

describe('nfcapd calling the script', () => {
  it('imports what a router exports, both directions as one app', async () => {
    const bin = await mkdtemp(join(tmpdir(), 'countergraph-bin-'));
    const caller = join(bin, 'call');
    await writeFile(caller, `#!/bin/sh\nexec ${SCRIPT} "$1" flows\n`);
    await chmod(caller, 0o755);
    const collector = await startCollector({
      parameters: ['-t', '2', '-x', `${caller} %d`],
      env: environment(),
    });
    try {
      const now = Math.floor(Date.now() / 1000);
      const client = { address: '10.0.0.1', port: 51_000 };
      const server = { address: '198.51.100.7', port: 443 };
      await exportFlows(collector.port, now, [
        {
          from: client.address,
          to: server.address,
          sourcePort: client.port,
          port: server.port,
          bytes: 400,
          packets: 4,
        },
        {
          from: server.address,
          to: client.address,
          sourcePort: server.port,
          port: client.port,
          bytes: 9_000,
          packets: 9,
        },
      ]);
      const imported = async () => (await rowsOf(database.url, 'select from imports')).length > 0;
      while (!(await imported())) await delay(50);
      expect(await sums(database.url, 'flows')).toMatchObject({
        'Apps 01.BB 1': '9400',
        'Aggregates TOTALBW 2': '13',
      });
    } finally {
      await collector.remove();
      await rm(bin, { recursive: true });
    }
  }, 60_000);
});
