import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../db/project-root.ts';

const PRINTED = join(projectRoot(), 'rest', 'openapi.json');

const REDOCLY = join(projectRoot(), 'node_modules/@redocly/cli/bin/cli.js');

/** A separate package, which `.ci/run` installs: openapi-lint/README.md says why. */
const LINT = join(projectRoot(), 'openapi-lint');
const SPECTRAL = join(LINT, 'node_modules/@stoplight/spectral-cli/dist/index.js');

type Outcome = { readonly status: number; readonly said: string };

const run = (program: string, options: readonly string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    };
    execFile(process.execPath, [program, ...options], { env }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code), said: stdout + stderr });
    });
  });

/** All recommended rules, with warnings as errors. */
const redocly = (file: string): Promise<Outcome> =>
  run(REDOCLY, ['lint', file, '--extends=recommended-strict']);

const spectral = (file: string): Promise<Outcome> => {
  const rules = ['--ruleset', join(LINT, 'ruleset.json'), '--fail-severity', 'hint'];
  return run(SPECTRAL, ['lint', file, ...rules]);
};

let folder: string;
/** The document without some fields that linters require. */
let broken: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph-openapi-'));
  broken = join(folder, 'openapi.json');
  const { security, info, ...document } = JSON.parse(await readFile(PRINTED, 'utf8'));
  const { contact, ...rest } = info;
  expect([security, contact]).not.toContain(undefined);
  await writeFile(broken, JSON.stringify({ ...document, info: rest }));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the OpenAPI document', () => {
  it('passes `redocly lint`, and a broken one does not', async () => {
    expect(await redocly(PRINTED)).toEqual({
      status: 0,
      said: expect.stringContaining('Your API description is valid'),
    });
    const { status, said } = await redocly(broken);
    expect([status, said]).toEqual([1, expect.stringContaining('security-defined')]);
  });
});

describe('the OpenAPI document, checked by Spectral,', () => {
  it('passes without an error, a warning or a hint, and a broken one does not', async () => {
    expect(await spectral(PRINTED)).toEqual({
      status: 0,
      said: expect.stringContaining('No results'),
    });
    const { status, said } = await spectral(broken);
    expect([status, said]).toEqual([1, expect.stringContaining('info-contact')]);
  });
});
