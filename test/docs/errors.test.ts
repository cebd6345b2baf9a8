import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { ERRORS } from '../../domain/errors.ts';

it('docs/reference/errors.md repeats the table of errors, row by row', () => {
  const text = readFileSync(join(projectRoot(), 'docs/reference/errors.md'), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| \d/.test(line));
  const expected = Object.values(ERRORS).map(
    ({ status, code, message, when }) => `| ${status} | \`${code}\` | \`${message}\` | ${when} |`,
  );
  expect(rows).toEqual(expected);
});
