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

describe.each([1, 2])('the log of serve --processes %i, whose reader is behind', (processes) => {
  it('has its last lines after SIGTERM', { timeout: 60_000 }, async () => {
    const server = await serveByProcesses(program, database.url, { processes });
    const { stderr } = server.child;
    stderr.pause();
    for (let i = 0; i < REQUESTS; i += 1) await server.call(LONG_PATH);
    server.child.kill('SIGTERM');
    // As long as an idle server needs to end, several times over.
    await Promise.race([server.ended, delay(1_500)]);
    stderr.resume();
    expect(await server.ended).toEqual([0, null]);
    await until(() => stderr.readableEnded);
    const logged = server.lines.filter((line) => JSON.stringify(line).includes(LONG_PATH));
    expect(logged).toHaveLength(REQUESTS);
    expect(server.lines.filter(({ msg }) => msg.startsWith('shutting down'))).toHaveLength(1);
    expect(server.other).toEqual([]);
  });
});
