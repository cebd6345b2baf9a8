import DataLoader from 'dataloader';
import { describe, expect, it } from 'vitest';
import { BatchGate } from '../../../engine/snapshot/batch.ts';

/** A loader whose batches the gate decides, and the keys of each batch that was read. */
function openLoader(gate: BatchGate) {
  const batches: string[][] = [];
  const loader = new DataLoader<string, string>(
    async (keys) => {
      batches.push([...keys]);
      return keys;
    },
    { batchScheduleFn: gate.schedule },
  );
  return { loader, batches };
}

/** Lets everything run that is resolved by now. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('batches of loads', () => {
  it('are read as soon as everything has run that can run without them', async () => {
    const { loader, batches } = openLoader(new BatchGate());
    const later = Promise.resolve()
      .then(() => undefined)
      .then(() => loader.load('b'));
    await Promise.all([loader.load('a'), later]);
    expect(batches).toEqual([['a', 'b']]);
    await loader.load('c');
    expect(batches).toEqual([['a', 'b'], ['c']]);
  });

  it('are held while the gate is closed, and take the loads that come meanwhile', async () => {
    const gate = new BatchGate();
    const { loader, batches } = openLoader(gate);
    gate.close();
    const loads = [loader.load('a')];
    await settled();
    loads.push(loader.load('b'));
    await settled();
    expect(batches).toEqual([]);
    gate.open();
    loads.push(loader.load('c'));
    expect(await Promise.all(loads)).toEqual(['a', 'b', 'c']);
    expect(batches).toEqual([['a', 'b', 'c']]);
  });

  it('are held even if they were due before the gate was closed', async () => {
    const gate = new BatchGate();
    const { loader, batches } = openLoader(gate);
    const load = loader.load('a');
    gate.close();
    await settled();
    expect(batches).toEqual([]);
    gate.open();
    expect(await load).toBe('a');
  });

  it('are held again if the gate is closed before they are read', async () => {
    const gate = new BatchGate();
    const { loader, batches } = openLoader(gate);
    gate.close();
    const load = loader.load('a');
    await settled();
    gate.open();
    gate.close();
    await settled();
    expect(batches).toEqual([]);
    gate.open();
    expect(await load).toBe('a');
  });

  it('of several loaders are all read once the gate is open', async () => {
    const gate = new BatchGate();
    const loaders = [openLoader(gate), openLoader(gate)];
    gate.close();
    const loads = loaders.map(({ loader }, i) => loader.load(`${i}`));
    await settled();
    gate.open();
    expect(await Promise.all(loads)).toEqual(['0', '1']);
    expect(loaders.map(({ batches }) => batches)).toEqual([[['0']], [['1']]]);
  });
});
