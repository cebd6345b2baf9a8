import { once } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, it, vi } from 'vitest';
import { keepRunning } from '../../postgres/keep-running.ts';
import { ownRecord } from '../../postgres/process-identity.ts';

const PAUSES = { look: 1, first: 1, most: 4 };
const DEAD = { pid: 1, identity: 'long ago' };

/** Starts with the given outcomes, and a way to wait for a number of them. */
function startsThat(...outcomes: ('dies' | 'fails' | 'lives' | 'adopted')[]) {
  const told = new EventTarget();
  let count = 0;
  return {
    get count() {
      return count;
    },
    async revive() {
      const outcome = outcomes[count] ?? 'lives';
      count += 1;
      told.dispatchEvent(new Event('start'));
      if (outcome === 'fails') throw new Error('no disk');
      const server = outcome === 'dies' ? DEAD : ownRecord();
      return { server, restarted: outcome !== 'adopted' };
    },
    async reach(wanted: number) {
      while (count < wanted) await once(told, 'start');
    },
  };
}

describe('a keeper', () => {
  it('restarts a server each time it dies, even after starts that failed', async () => {
    const starts = startsThat('dies', 'fails', 'fails', 'dies', 'lives');
    const lines: string[] = [];
    const keeper = keepRunning({
      server: DEAD,
      revive: starts.revive,
      pauses: PAUSES,
      warn: (line) => lines.push(line),
    });
    await starts.reach(5);
    await keeper.stop();
    expect([starts.count, keeper.restarts()]).toEqual([5, 3]);
    expect(lines).toEqual([
      'no disk (the next attempt follows in 0.002 s)',
      'no disk (the next attempt follows in 0.004 s)',
    ]);
  });

  it('does not count a server that another process has started', async () => {
    const starts = startsThat('adopted');
    const warn = () => undefined;
    const keeper = keepRunning({ server: DEAD, revive: starts.revive, warn, pauses: PAUSES });
    await starts.reach(1);
    await keeper.stop();
    expect(keeper.restarts()).toBe(0);
  });

  it('looks again if the look fails for lack of file descriptors', async () => {
    const starts = startsThat();
    const lines: string[] = [];
    const reading = vi.spyOn(fs, 'readFileSync').mockImplementation(() => {
      throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
    });
    syncBuiltinESMExports();
    const warn = (line: string) => lines.push(line);
    const keeper = keepRunning({ server: DEAD, revive: starts.revive, warn, pauses: PAUSES });
    try {
      await vi.waitFor(() => expect(lines.length).toBeGreaterThan(1));
      expect(lines[0]).toBe(
        'EMFILE: too many open files (whether PostgreSQL runs is not known now, and is looked at again)',
      );
      expect(starts.count).toBe(0);
    } finally {
      reading.mockRestore();
      syncBuiltinESMExports();
    }
    await starts.reach(1);
    await keeper.stop();
  });

  it('starts nothing after it was stopped', async () => {
    const starts = startsThat();
    const warn = () => undefined;
    const keeper = keepRunning({ server: DEAD, revive: starts.revive, warn, pauses: PAUSES });
    await keeper.stop();
    expect(starts.count).toBe(0);
  });
});
