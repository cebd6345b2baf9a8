import { describe, expect, it } from 'vitest';
import type { VersionedRow } from '../../../db/sql/versions.ts';
import { faultOf, type StandbyRow } from '../../../db/standby-check.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { StandbyState } from '../../../engine/snapshot/standbys.ts';

const at = (changes: Partial<VersionedRow> = {}): VersionedRow => ({
  contextId: 1,
  version: 8,
  textVersion: 3,
  layout: 20,
  nonce: 0.1,
  textNonce: 0.2,
  history: 'one',
  ...changes,
});

const standby = (...contexts: VersionedRow[]): StandbyRow => ({
  isStandby: true,
  history: 'another',
  contexts,
});

describe('a standby answers for the primary', () => {
  it.each([
    ['at the same versions', standby(at()), null],
    ['with other segments at the same versions', standby(at({ layout: 4 })), null],
    ['not with older data', standby(at({ version: 7, nonce: 9 })), 'behind'],
    ['not with older texts', standby(at({ textVersion: 2, textNonce: 9 })), 'behind'],
    ['not without the context', standby(), 'behind'],
    ['not with newer data', standby(at({ version: 9, nonce: 9 })), 'ahead'],
    ['not with newer texts', standby(at({ textVersion: 4, textNonce: 9 })), 'ahead'],
    ['not with newer data and older texts', standby(at({ version: 9, textVersion: 2 })), 'behind'],
    ['not with the same numbers of another history', standby(at({ nonce: 9 })), 'foreign'],
    ['not with texts of another history', standby(at({ textNonce: 9 })), 'foreign'],
    ['not if it is a primary itself', { ...standby(at()), isStandby: false }, 'foreign'],
  ] as const)('%s', (_case, row, fault) => {
    expect(faultOf(row, [at()])).toBe(fault);
  });

  it('for all contexts of a request or for none', () => {
    const other = { contextId: 2 };
    const row = standby(at(), at({ ...other, version: 1 }));
    expect(faultOf(row, [at()])).toBe(null);
    expect(faultOf(row, [at(), at(other)])).toBe('behind');
  });
});

const FIRST_MS = LIMITS.standbyCheckMs;
const LATER_MS = 1_000_000;

describe('a standby that was passed over', () => {
  it('is fit for other contexts when it is behind in one', () => {
    const state = new StandbyState();
    state.passOver('behind', [at()], 0);
    expect([state.isFitFor([1]), state.isFitFor([2]), state.isFitFor([2, 1])]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it.each(['slow', 'gone', 'failed', 'foreign'] as const)(
    'is fit for no context if the reason is "%s"',
    (reason) => {
      const state = new StandbyState();
      state.passOver(reason, [at()], 0);
      expect(state.isFitFor([2])).toBe(false);
    },
  );

  it('is checked after a pause, once at a time', () => {
    const state = new StandbyState();
    expect(state.beginLook(0)).toBe(null);
    state.passOver('behind', [at()], 0);
    expect(state.beginLook(FIRST_MS - 1)).toBe(null);
    expect(state.beginLook(FIRST_MS)).toEqual([1]);
    expect(state.beginLook(LATER_MS)).toBe(null);
  });

  it.each([
    ['the same versions and segments', standby(at()), true],
    ['newer versions and segments', standby(at({ version: 9, layout: 21 })), true],
    ['older data', standby(at({ version: 7 })), false],
    ['older segments, whose pages it may lack', standby(at({ layout: 19 })), false],
    ['another history', standby(at({ nonce: 9 })), false],
    ['no answer', null, false],
  ] as const)('is fit again only if its state allows it: %s', (_case, row, isFit) => {
    const state = new StandbyState();
    state.passOver('behind', [at()], 0);
    state.beginLook(FIRST_MS);
    state.looked({ row, nowMs: FIRST_MS });
    expect(state.isFitFor([1])).toBe(isFit);
    expect(state.reason).toBe(isFit ? null : 'behind');
  });

  it('is checked less and less often until it has answered a request', () => {
    const pauseOf = (state: StandbyState, nowMs: number): number => {
      state.passOver('slow', [], nowMs);
      let ms = 0;
      while (state.beginLook(nowMs + ms) === null) ms += FIRST_MS;
      state.looked({ row: standby(), nowMs });
      return ms;
    };
    const state = new StandbyState();
    const pauses = Array.from({ length: 8 }, (_, i) => pauseOf(state, i * LATER_MS));
    expect(pauses.slice(0, 3)).toEqual([FIRST_MS, 2 * FIRST_MS, 4 * FIRST_MS]);
    expect(pauses.at(-1)).toBe(LIMITS.standbyLongestCheckMs);
    state.answered();
    expect(pauseOf(state, 9 * LATER_MS)).toBe(FIRST_MS);
  });

  it('is reported once after a long time, and once when it is used again', () => {
    const state = new StandbyState();
    state.passOver('gone', [at()], 0);
    const look = (nowMs: number, row: StandbyRow | null) => {
      expect(state.beginLook(nowMs)).not.toBe(null);
      return state.looked({ row, nowMs });
    };
    expect(look(FIRST_MS, null)).toBe(null);
    expect(look(LIMITS.standbyWarnMs, null)).toBe('passed over');
    expect(look(LATER_MS, null)).toBe(null);
    expect(look(2 * LATER_MS, standby())).toBe('used again');
    state.passOver('gone', [at()], 3 * LATER_MS);
    expect(look(4 * LATER_MS, standby())).toBe(null);
  });
});
