import { expect, it } from 'vitest';
import { requireOwnFiles } from '../../../server/telemetry/program-version.ts';

const HERE = import.meta.filename;

it('a process can be started while the files of the program are its own', () => {
  expect(() => requireOwnFiles(HERE)).not.toThrow();
});

it.each([
  ['/gone/child.js', '1.2.3', /^The files of the program are gone \(\/gone\/child\.js\): restart/],
  [
    HERE,
    '1.3.0',
    /^The files of the program are those of version 1\.3\.0 now, and this is 1\.2\.3/,
  ],
])('no process is started from %s of version %s', (file, version, message) => {
  expect(() => requireOwnFiles(file, () => version, '1.2.3')).toThrow(message);
});
