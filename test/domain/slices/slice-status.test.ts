import { describe, expect, it } from 'vitest';
import { sliceStatus } from '../../../domain/slices/slice-status.ts';

const END = 1000;

const status = (facts: { archived?: boolean; held?: boolean }, now: number) =>
  sliceStatus({ archived: false, held: false, endsAt: END, ...facts }, now);

describe('a slice', () => {
  it('is processing until its end, and available from then on', () => {
    expect(status({}, END - 1)).toBe('processing');
    expect(status({}, END)).toBe('available');
  });

  it('is processing after its end while an import holds it', () => {
    expect(status({ held: true }, END + 1)).toBe('processing');
  });

  it.each([END - 1, END])('is archived whatever else is true, at %i', (now) => {
    expect(status({ archived: true }, now)).toBe('archived');
    expect(status({ archived: true, held: true }, now)).toBe('archived');
  });
});
