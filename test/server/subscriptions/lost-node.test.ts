import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openWay, type Way } from '../../support/database/proxy.ts';
import { type OpenStream, openStream } from '../../support/http/event-stream.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';

let lab: TestService;
/** Two nodes of the same name, each of another context. */
let ways: readonly [Way, Way];

beforeAll(async () => {
  const lines = [{ group: guidOf(1), key: 'k', ts: T0, values: { 0: 1 } }];
  lab = await startLab({ groups: [group(1)], lines });
  ways = [await openWay(lab.databaseUrl), await openWay(lab.databaseUrl)];
  await lab.apply({ context: 'lab', nodes: [{ name: 'r2', role: 'replica', url: ways[0].url }] });
  await lab.apply({
    context: 'office',
    nodes: [{ name: 'r2', role: 'replica', url: ways[1].url }],
    groups: [group(1)],
  });
  await lab.grant(ADA, ['office']);
}, 60_000);

afterAll(async () => {
  await lab?.close();
  await Promise.all(ways.map((way) => way.close()));
});

const follow = (context: string, seconds: number): Promise<OpenStream> =>
  openStream(
    lab.url,
    `subscription { topper(context: "${context}", destinationNode: "r2", counterGroup: "${guidOf(1)}",
      window: { recentSeconds: ${seconds} }) { total } }`,
  );

/** The levels of the lines about nodes that are away, without those that are hidden by default. */
const linesOf = (context: string) =>
  lab
    .logText()
    .split('\n')
    .filter((line) => /"node":"r2"/.test(line) && line.includes(`"context":"${context}"`))
    .map((line) => JSON.parse(line).level)
    .filter((level) => level > 20);

it('a node that is away is logged once for each context, however many ask it again', async () => {
  for (const way of ways) way.set(false);
  const streams = await Promise.all([
    follow('lab', 60),
    follow('lab', 120),
    follow('office', 60),
    follow('office', 120),
  ]);
  const failures = () => lab.logText().match(/its subscriptions wait for it/g)?.length ?? 0;
  await vi.waitFor(() => expect(failures()).toBeGreaterThan(6), { timeout: 20_000 });
  expect([linesOf('lab'), linesOf('office')]).toEqual([[40], [40]]);
  ways[0].set(true);
  await vi.waitFor(() => expect(linesOf('lab')).toEqual([40, 30]), { timeout: 20_000 });
  expect(linesOf('office')).toEqual([40]);
  expect(lab.logText()).not.toContain('"level":50');
  for (const stream of streams) stream.close();
});
