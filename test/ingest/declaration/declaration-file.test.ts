import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { runOnDatabase } from '../../support/programs/run-command.ts';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
  database = await createTestDatabase();
  vi.stubEnv('DATABASE_URL', database.url);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await database.drop();
  await rm(folder, { recursive: true });
});

const MARK = '\ufeff';
const JSON_TEXT = JSON.stringify({ context: 'lab' });

async function applied(content: string | Buffer) {
  const file = join(folder, 'lab.json');
  await writeFile(file, content);
  const { status, out, err } = await runOnDatabase(['apply', file]);
  return { status, out, err: err.map((line) => line.replace(file, 'FILE')) };
}

it('a declaration may begin with a byte order mark', async () => {
  expect(await applied(`${MARK}${JSON_TEXT}`)).toEqual({
    status: 0,
    out: ['Context lab: 1 created, 0 changed, 0 unchanged.'],
    err: [],
  });
});

it.each([
  ['is compressed', gzipSync(JSON_TEXT)],
  ['has an escape sequence', '\u001b[31m{}'],
  ['has a right-to-left override', '{"context": \u202e'],
  ['is damaged', Buffer.concat([Buffer.from('{"context": "l'), Buffer.from([7, 27, 155, 10, 0])])],
])('a declaration that %s is refused in one line of visible characters', async (_, content) => {
  const { status, out, err } = await applied(content);
  expect([status, out, err.length]).toEqual([2, [], 1]);
  expect(err[0]).toMatch(/^countergraph: FILE must be JSON: .*(\\u[0-9a-f]{4}|in JSON at)/);
  expect(err[0]).not.toMatch(/[\p{Control}\p{Format}]/u);
});
