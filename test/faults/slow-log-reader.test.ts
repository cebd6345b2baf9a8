import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { serveByProcesses, until } from '../support/programs/serving-processes.ts';

let program: BuiltProgram;
let database: TestDatabase;

beforeAll(async () => {
  [program, database] = await Promise.all([buildProgram(), createTestDatabase()]);
});

afterAll(async () => {
  await program?.remove();
  await database?.drop();
});

/** More than the pipe, and the reader's own buffer, can hold. */
const REQUESTS = 150;
const LONG_PATH = `/api/${'x'.repeat(6000)}`;

describe('the log of a server whose reader is behind', () => {
  it('has its last lines after SIGTERM', { timeout: 60_000 }, async () => {
    const server = await serveByProcesses(program, database.url, { processes: 1 });
    const { stderr } = server.child;
    stderr.pause();
    for (let i = 0; i < REQUESTS; i += 1) await server.call(LONG_PATH);
    server.child.kill('SIGTERM');
    // As long as an idle server needs to end, several times over.
    await Promise.race([server.ended, delay(1_500)]);
    stderr.resume();
    expect(await server.ended).toEqual([0, null]);
    await until(() => stderr.readableEnded);
    expect(server.told('request')).toHaveLength(REQUESTS);
    expect(server.lines.at(-1)?.msg).toMatch(/^shutting down/);
  });
});
