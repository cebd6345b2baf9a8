import { describe, expect, it } from 'vitest';
import { PagePlacement } from '../../db/page-placement.ts';

const refused = Object.assign(new Error('refused'), { code: '0A000' });

describe('the placement of pages', () => {
  it('is learned from a refused statement, by every reader that began before', () => {
    const placement = new PagePlacement();
    const before = placement.isDistributed;
    expect(placement.noteRefusal(refused, before)).toBe(true);
    expect(placement.isDistributed).toBe(true);
    expect(placement.noteRefusal(refused, before)).toBe(true);
  });

  it('is not the reason why a reader that knew it was refused', () => {
    const placement = new PagePlacement();
    placement.noteRefusal(refused, placement.isDistributed);
    expect(placement.noteRefusal(refused, placement.isDistributed)).toBe(false);
  });

  it('does not follow from another error', () => {
    const placement = new PagePlacement();
    expect(placement.noteRefusal(new Error('other'), false)).toBe(false);
    expect(placement.isDistributed).toBe(false);
  });
});
