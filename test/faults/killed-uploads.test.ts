import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { holdTables } from '../support/database/held-tables.ts';
import type { TestService } from '../support/lab/service.ts';
import { connLog, openUpload, startUploadLab, told, upload } from '../support/lab/upload-lab.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { childrenOf, isRunning } from '../support/programs/processes.ts';
import {
  endAll,
  type ServingProcesses,
  serveByProcesses,
} from '../support/programs/serving-processes.ts';

let program: BuiltProgram;
let lab: TestService;
const servers: ServingProcesses[] = [];

beforeAll(async () => {
  program = await buildProgram();
  lab = await startUploadLab();
}, 120_000);

afterAll(async () => {
  await lab.close();
  await program.remove();
});

afterEach(async () => {
  endAll(servers.map(({ child }) => child));
  await Promise.all(servers.splice(0).map(({ ended }) => ended));
});

async function serve(processes: number): Promise<ServingProcesses> {
  const server = await serveByProcesses(program, lab.databaseUrl, { processes });
  servers.push(server);
  return server;
}

const imports = async (): Promise<number> =>
  (await lab.sql<{ n: number }>('select count(*)::int as n from imports'))[0]?.n ?? 0;

let before = 0;
/** Files whose content differs from that of all others. */
let files = 0;

beforeEach(async () => {
  before = await imports();
  files += 1;
});

const nextFile = (): string => connLog(2, 100 * files);

/** The process of an import, once it has opened its connection. */
async function importerOf(server: number): Promise<number> {
  await expect.poll(async () => (await sessions()).length).toBe(1);
  const [pid] = childrenOf(server).filter(isRunning);
  return pid ?? 0;
}

const sessions = () =>
  lab.sql<{ waits: boolean }>(
    `select coalesce(wait_event_type = 'Lock', false) as waits from pg_stat_activity where datname = current_database()
       and application_name like 'countergraph import%'`,
  );

describe('an upload', () => {
  it('is imported by the program as it is installed, by one process and by several', async () => {
    for (const processes of [1, 2]) {
      const server = await serve(processes);
      const answer = await upload(server, connLog(2, 10 * processes));
      expect(told(answer)).toMatchObject([200, { records: 2 }]);
    }
  });

  it.each([1, 2])('is not imported if its server is killed, of %i processes', async (processes) => {
    const server = await serve(processes);
    const { asked, write } = openUpload(server);
    await asked;
    write(nextFile());
    await expect.poll(async () => (await sessions()).length).toBe(1);
    const serving = processes === 1 ? [server.child.pid ?? 0] : [...server.pids().values()];
    const importers = serving.flatMap(childrenOf);
    for (const pid of serving) process.kill(pid, 'SIGKILL');
    // The input of the importer has ended now, though the file has not.
    await expect.poll(() => importers.filter(isRunning)).toEqual([]);
    expect(await imports()).toBe(before);
  });

  it('whose importer is killed may have been imported if all of it had arrived', async () => {
    const server = await serve(1);
    const file = nextFile();
    const kill = async () => process.kill(await importerOf(server.child.pid ?? 0), 'SIGKILL');
    const early = openUpload(server);
    await early.asked;
    early.write(file);
    await kill();
    expect(told(await early.answer)).toEqual([
      500,
      'The import failed - nothing of uploaded file was imported: send it again later',
    ]);
    early.end();
    const held = await holdTables(lab.databaseUrl, ['imports']);
    const late = openUpload(server);
    await late.asked;
    late.write(file);
    late.end();
    await expect.poll(async () => (await sessions()).some(({ waits }) => waits)).toBe(true);
    await kill();
    await held.release();
    expect(told(await late.answer)).toEqual([
      500,
      'The import failed - it is not known whether uploaded file was imported: send it again, it is refused if it was',
    ]);
    expect(server.told('an uploaded file could not be imported')).toMatchObject([
      { reason: expect.stringContaining('ended by SIGKILL') },
      { reason: expect.stringContaining('ended by SIGKILL') },
    ]);
    expect(told(await upload(server, file))).toMatchObject([200, { records: 2 }]);
  });

  it('whose connection to the database is lost was not imported', async () => {
    const { asked, answer, write, end } = openUpload(lab);
    await asked;
    write(nextFile());
    await expect.poll(async () => (await sessions()).length).toBe(1);
    await lab.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'countergraph import%'`,
    );
    end();
    expect(told(await answer)).toEqual([
      500,
      'The import failed - nothing of uploaded file was imported: send it again later',
    ]);
    expect(await imports()).toBe(before);
  });

  it('ends with its server, which waits for the rollback', async () => {
    const server = await serve(1);
    const held = await holdTables(lab.databaseUrl, ['imports']);
    const { asked, answer, write, end } = openUpload(server);
    answer.catch(() => undefined);
    await asked;
    write(nextFile());
    end();
    await importerOf(server.child.pid ?? 0);
    server.child.kill('SIGTERM');
    await server.ended;
    expect(await sessions()).toEqual([]);
    await held.release();
    expect(await imports()).toBe(before);
  });
});
