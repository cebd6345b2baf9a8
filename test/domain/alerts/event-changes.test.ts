import { describe, expect, it } from 'vitest';
import { eventChanges } from '../../../domain/alerts/event-changes.ts';

const event = (eventId: string, startedAt: number, endedAt: number | null) => ({
  eventId,
  startedAt,
  endedAt,
});

const told = (...args: Parameters<typeof eventChanges>): string[] =>
  eventChanges(...args).map(({ eventId, change }) => `${eventId} ${change}`);

describe('changes of events', () => {
  it('are listed in the order in which they happened', () => {
    const began = [event('a', 300, 900), event('b', 600, null)];
    const changed = [event('c', 0, 1200), event('d', 0, null)];
    expect(told(began, changed)).toEqual(['a began', 'b began', 'a ended', 'c ended']);
  });

  it('have the end of an event before the beginning of the next of the same key', () => {
    expect(told([event('second', 600, null)], [event('first', 0, 600)])).toEqual([
      'first ended',
      'second began',
    ]);
    expect(told([event('second', 900, null), event('first', 300, 900)], [])).toEqual([
      'first began',
      'first ended',
      'second began',
    ]);
  });

  it('do not include events that continue or only have another peak', () => {
    expect(told([], [event('a', 0, null)])).toEqual([]);
  });
});
