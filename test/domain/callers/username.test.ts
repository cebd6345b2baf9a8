import { expect, it } from 'vitest';
import { isUsername, usernameFor } from '../../../domain/callers/username.ts';

it.each([
  ['mika', 'mika'],
  ['mika@example.com', 'mika@example.com'],
  ['CN=Mika Häkkinen, O=Office', 'CN=Mika Häkkinen, O=Office'],
  ['urn:people:mika', 'urn-people-mika'],
  [' mi\nka ', 'mi-ka'],
  [' ', 'user'],
  ['a'.repeat(300), 'a'.repeat(192)],
  [`${'a'.repeat(191)}😀`, `${'a'.repeat(191)}-`],
])('somebody called %j elsewhere is the user %j', (shown, name) => {
  expect(usernameFor(shown)).toBe(name);
  expect(isUsername(name)).toBe(true);
});

it.each(['', ' a', 'a:b', 'a\0b', 'a'.repeat(201)])('no user may be called %j', (name) => {
  expect(isUsername(name)).toBe(false);
});
