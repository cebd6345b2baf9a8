import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { SALT_BYTES, scryptDigest, tokenDigest } from '../../../db/token-digest.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { ChosenToken } from '../../../resolvers/callers/token-prover.ts';
import { ChosenTokens } from '../../../server/admission/chosen-tokens.ts';

const RIGHT = { username: 'ada', digest: tokenDigest('right') };
const WRONG = { username: 'ada', digest: tokenDigest('wrong') };

let tokens: ChosenTokens;
let stored: ChosenToken;
/** What was called on the way to scrypt. */
let steps: string[];

beforeEach(async () => {
  tokens = new ChosenTokens();
  stored = await chosen('right');
  steps = [];
});

/** A cheap cost, to keep the tests short. */
async function chosen(token: string): Promise<ChosenToken> {
  const parameters = { salt: randomBytes(SALT_BYTES), scryptCost: 16 };
  return { digest: await scryptDigest(tokenDigest(token), parameters), ...parameters };
}

const proving = (more: object = {}) => ({
  caller: 'here',
  release: async () => void steps.push('release'),
  check: () => void steps.push('check'),
  signal: new AbortController().signal,
  ...more,
});

it('a right token is derived once, and is remembered by what it is stored as', async () => {
  expect(tokens.storedAs(RIGHT)).toBeNull();
  expect(await tokens.isRight(RIGHT, stored, proving())).toBe(true);
  expect(steps).toEqual(['release', 'check']);
  expect(tokens.storedAs(RIGHT)).toEqual(stored.digest);
  expect(await tokens.isRight(RIGHT, stored, proving())).toBe(true);
  expect(steps).toEqual(['release', 'check']);
});

it('a wrong token is not remembered, nor is a right one of another user', async () => {
  expect(await tokens.isRight(WRONG, stored, proving())).toBe(false);
  expect(tokens.storedAs(WRONG)).toBeNull();
  await tokens.isRight(RIGHT, stored, proving());
  expect(tokens.storedAs({ ...RIGHT, username: 'bob' })).toBeNull();
});

it('a token that is replaced is forgotten', async () => {
  await tokens.isRight(RIGHT, stored, proving());
  expect(await tokens.isRight(RIGHT, await chosen('other'), proving())).toBe(false);
  expect(tokens.storedAs(RIGHT)).toBeNull();
  expect(await tokens.isRight(RIGHT, await chosen('right'), proving())).toBe(true);
});

it('users without a chosen token take as long, once somebody has one', async () => {
  await tokens.pretend(WRONG, proving());
  expect(steps).toEqual([]);
  await tokens.isRight(RIGHT, stored, proving());
  await tokens.pretend(WRONG, proving());
  expect(steps).toEqual(['release', 'check', 'release', 'check']);
});

it('a caller who is refused meanwhile, or goes away, costs nothing', async () => {
  const refused = new Error('too many failures');
  const check = () => {
    throw refused;
  };
  await expect(tokens.isRight(RIGHT, stored, proving({ check }))).rejects.toBe(refused);
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(tokens.isRight(RIGHT, stored, proving({ signal }))).rejects.toThrow('gone');
  expect(steps).not.toContain('check');
  expect(await tokens.isRight(RIGHT, stored, proving())).toBe(true);
});

it('a caller waits for one guess of another, however many the other has begun', async () => {
  const order: string[] = [];
  const guess = (caller: string, i: number) =>
    tokens
      .isRight({ ...WRONG, digest: tokenDigest(`${caller} ${i}`) }, stored, proving({ caller }))
      .then(() => order.push(caller));
  const flood = Array.from({ length: 10 }, (_, i) => guess('mallory', i));
  await Promise.all([...flood, guess('ada', 0)]);
  expect(order.indexOf('ada')).toBeLessThanOrEqual(LIMITS.scryptsAtOnce + 2);
});

it('few are derived at once, a bounded number waits, and the rest are told BUSY', async () => {
  const most = LIMITS.scryptsAtOnce + LIMITS.waitingScrypts;
  const guesses = Array.from({ length: most + 5 }, (_, i) =>
    tokens.isRight({ ...WRONG, digest: tokenDigest(String(i)) }, stored, proving()).then(
      () => 'wrong',
      (error: Error) => error.message,
    ),
  );
  const outcomes = await Promise.all(guesses);
  expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(most);
  expect(new Set(outcomes.slice(most))).toEqual(new Set(['Server is busy']));
  expect(await tokens.isRight(RIGHT, stored, proving())).toBe(true);
});
