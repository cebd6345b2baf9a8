import { expect, it } from 'vitest';
import { highestRole } from '../../../domain/callers/role.ts';

it('several grants of a context together allow what the one that allows most does', () => {
  expect(highestRole(['reader', 'editor', 'reader'])).toBe('editor');
  expect(highestRole(['reader', 'reader'])).toBe('reader');
});
