import { expect, it } from 'vitest';
import { toServiceError } from '../../db/database-error.ts';

const failure = (code: string) => Object.assign(new Error('of PostgreSQL'), { code });

it.each([
  ['55P03', 'busy'],
  ['40001', 'conflict'],
  ['57P01', 'unreachable'],
  ['53300', 'unreachable'],
])('an error of PostgreSQL with the code %s means %s to a caller', (code, kind) => {
  const error = failure(code);
  expect(toServiceError(error, null)).toMatchObject({ kind, cause: error });
});

it.each([
  ['42P01', 'nodeBehind'],
  ['42703', 'nodeBehind'],
  ['42883', 'nodeBehind'],
  ['42501', 'nodeRights'],
])('%s means %s on a node, and is a defect on the primary', (code, kind) => {
  const node = { name: 'dr0', isPrimary: false };
  expect(toServiceError(failure(code), node)).toMatchObject({ kind, node: 'dr0' });
  expect(toServiceError(failure(code), { name: 'primary', isPrimary: true })).toBeNull();
});

it.each([
  ['ENOENT', 'connect', 'unreachable'],
  ['EACCES', 'connect', 'unreachable'],
  ['ENOENT', 'open', null],
  ['EACCES', 'open', null],
])('%s of %s, of a socket or of a file, means %s', (code, syscall, kind) => {
  const error = Object.assign(new Error('of Node'), { code, syscall });
  expect(toServiceError(error, null)?.kind ?? null).toBe(kind);
});

it('any other is a defect', () => {
  expect(toServiceError(failure('42601'), { name: 'dr0', isPrimary: false })).toBeNull();
});
