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
  expect(toServiceError(error)).toMatchObject({ kind, cause: error });
});

it('any other is a defect', () => {
  expect(toServiceError(failure('42P01'))).toBeNull();
});
