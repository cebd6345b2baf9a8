import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { Listener } from '../../db/listener.ts';

it('a listener can be stopped at any time while it connects', async () => {
  for (let ms = 0; ms < 20; ms += 1) {
    const listener = new Listener({
      url: inject('adminUrl'),
      channels: ['countergraph_versions'],
      onNotice: () => undefined,
      onListening: () => undefined,
      onLost: () => undefined,
    });
    await delay(ms);
    await listener.stop();
    expect(listener.isListening).toBe(false);
  }
});
