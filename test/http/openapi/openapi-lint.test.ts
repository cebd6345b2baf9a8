import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../db/project-root.ts';

const PRINTED = join(projectRoot(), 'rest', 'openapi.json');

const REDOCLY = join(projectRoot(), 'node_modules/@redocly/cli/bin/cli.js');

type Outcome = { readonly status: number; readonly said: string };

/** All recommended rules, with warnings as errors. */
const lint = (file: string): Promise<Outcome> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    };
    const options = [REDOCLY, 'lint', file, '--extends=recommended-strict'];
    execFile(process.execPath, options, { env }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code), said: stdout + stderr });
    });
  });

let folder: string;
let printed: { readonly security: unknown };

const lintText = async (document: object): Promise<Outcome> => {
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  return lint(file);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph-openapi-'));
  printed = JSON.parse(await readFile(PRINTED, 'utf8'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1, and breaks none of the strictest rules', async () => {
    expect(printed).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
    expect(await lint(PRINTED)).toEqual({
      status: 0,
      said: expect.stringContaining('Your API description is valid'),
    });
  });

  it('is checked by a linter that finds what is missing or malformed', async () => {
    const { security, ...open } = printed;
    expect(security).toBeDefined();
    const found = { status: 1, said: expect.stringContaining('security-defined') };
    expect(await lintText(open)).toEqual(found);
    const malformed = { ...printed, paths: { nowhere: {} } };
    expect(await lintText(malformed)).toEqual({ status: 1, said: expect.stringContaining('path') });
  });
});
