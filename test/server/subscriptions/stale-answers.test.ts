import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openProxy } from '../../support/database/proxy.ts';
import { type OpenStream, openStream } from '../../support/http/event-stream.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';

/** How a node that is away treats connections. */
type Away = 'refuses connections' | 'answers nothing';

let lab: TestService;
let way: Awaited<ReturnType<typeof openBreakableWay>>;

beforeAll(async () => {
  const lines = [{ group: guidOf(1), key: 'k', ts: T0, values: { 0: 1 } }];
  lab = await startLab({ groups: [group(1)], lines });
  way = await openBreakableWay(lab.databaseUrl);
  await lab.apply({ context: 'lab', nodes: [{ name: 'r2', role: 'replica', url: way.url }] });
}, 60_000);

afterAll(async () => {
  await lab?.close();
  await way?.close();
});

/** Opens a way to a database, which can break, and then counts the connections it is asked for. */
async function openBreakableWay(databaseUrl: string) {
  let away: Away | null = null;
  let attempts = 0;
  const clients = new Set<Socket>();
  const proxy = await openProxy(databaseUrl, (client, upstream) => {
    if (away) attempts += 1;
    if (away === 'refuses connections') return void client.destroy();
    clients.add(client);
    client.once('close', () => clients.delete(client));
    client.on('data', (bytes) => away ?? upstream.write(bytes));
    upstream.on('data', (bytes) => away ?? client.write(bytes));
  });
  const cut = () => {
    for (const client of clients) client.destroy();
  };
  return {
    ...proxy,
    attempts: () => attempts,
    break(how: Away) {
      away = how;
      attempts = 0;
      if (how === 'refuses connections') cut();
    },
    repair() {
      away = null;
      cut();
    },
  };
}

const CHANGED = `subscription { contextChanged(name: "lab", destinationNode: "r2") { name } }`;

const TOPPER = `subscription { topper(context: "lab", destinationNode: "r2",
  counterGroup: "${guidOf(1)}", window: { preset: ALL_AVAILABLE }) { total } }`;

const NAME = { data: { contextChanged: { name: 'lab' } } };
const totalOf = (total: number) => ({ data: { topper: { total } } });
const UNREACHABLE = {
  errors: [{ message: 'Database is not reachable', extensions: { code: 'BACKEND' } }],
};

const toldBy = (stream: OpenStream) => stream.messages.map(({ data }) => data);

describe('a subscriber to a node', { timeout: 60_000 }, () => {
  it.each<[Away, number, number]>([
    ['refuses connections', 1, 6],
    ['answers nothing', 6, 11],
  ])('that %s is told once, and gets the answer when it is back', async (how, before, after) => {
    const [changed, topper] = await Promise.all([
      openStream(lab.url, CHANGED),
      openStream(lab.url, TOPPER),
    ]);
    await Promise.all([changed.answer(), topper.answer()]);
    way.break(how);
    await lab.importSamples([{ group: guidOf(1), key: 'k', ts: T0 + 60, values: { 0: 5 } }]);
    await Promise.all([changed.next(), topper.next()]);
    const known = way.attempts();
    await vi.waitFor(() => expect(way.attempts()).toBeGreaterThan(known + 1), { timeout: 20_000 });
    way.repair();
    await Promise.all([changed.next(), topper.next()]);
    expect(toldBy(changed)).toEqual([NAME, UNREACHABLE, NAME]);
    expect(toldBy(topper)).toEqual([totalOf(before), UNREACHABLE, totalOf(after)]);
    changed.close();
    topper.close();
  });
});
