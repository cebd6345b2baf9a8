import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { childrenOf, commandLineOf } from '../support/programs/processes.ts';
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
const LENGTH = 6000;
const LONG_PATH = `/api/${'x'.repeat(LENGTH)}`;
const LETTER = 'x'.charCodeAt(0);

describe.each([1, 2])('the log of serve --processes %i, whose reader is behind', (processes) => {
  it('has its last lines after SIGTERM', { timeout: 60_000 }, async () => {
    const server = await serveByProcesses(program, database.url, { processes });
    const { stderr, pid = 0 } = server.child;
    // Until the spare process has started, writing to the output that all share may block.
    const expected = processes === 1 ? 0 : processes + 1;
    const started = () =>
      childrenOf(pid).filter((child) => /^countergraph:/.test(commandLineOf(child)));
    await until(() => started().length === expected);
    let logged = 0;
    stderr.on('data', (chunk: Buffer) => {
      logged += chunk.filter((byte) => byte === LETTER).length;
    });
    stderr.pause();
    for (let i = 0; i < REQUESTS; i += 1) await server.call(LONG_PATH);
    server.child.kill('SIGTERM');
    // As long as an idle server needs to end, several times over.
    await Promise.race([server.ended, delay(1_500)]);
    stderr.resume();
    expect(await server.ended).toEqual([0, null]);
    await until(() => stderr.readableEnded);
    // Lines of several processes may be mixed if the reader is behind, but nothing is missing.
    expect(logged).toBeGreaterThanOrEqual(REQUESTS * LENGTH);
    if (processes === 1) expect(server.lines.at(-1)?.msg).toMatch(/^shutting down/);
  });
});
