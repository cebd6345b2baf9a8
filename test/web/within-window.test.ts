import { describe, expect, it } from 'vitest';
import { shiftWithin } from '../../web/src/parts/within-window.ts';

describe('what opens', () => {
  it.each([
    ['is not moved if the window shows all of it', 40, 300, 0],
    ['is moved to the left if it ends beyond the window', 300, 450, -58],
    ['is moved to the right if it begins before the window', -30, 100, 38],
    ['keeps its left part in a window that is too narrow', 20, 500, -12],
  ])('%s', (_, left, right, shift) => {
    expect(shiftWithin({ left, right }, 400)).toBe(shift);
  });
});
