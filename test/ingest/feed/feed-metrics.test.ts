import { afterAll, beforeAll, expect, it } from 'vitest';
import { readMetrics } from '../../support/http/metrics-text.ts';
import { flowLine, MINUTE, startFeed } from '../../support/lab/feed-lab.ts';
import { startTestService, type TestService } from '../../support/lab/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** What /metrics says of a feed from probe west; its time is that of 2023. */
async function told() {
  await service.mergeNow();
  const metrics = readMetrics((await service.call('/metrics')).text);
  const labels = { context: 'lab', format: 'goflow2', probe: 'west' };
  const value = (name: string) => metrics.value(`countergraph_feed_${name}`, labels) ?? null;
  const behind = value('behind_seconds');
  const lastCommit = value('last_commit_timestamp_seconds') ?? 0;
  return {
    flows: value('flows_total'),
    waiting: value('waiting_flows'),
    isBehind: behind && Math.abs(Date.now() / 1000 - behind - (MINUTE + 600)) < 60,
    isNew: Math.abs(Date.now() / 1000 - lastCommit) < 60,
  };
}

it('/metrics tells what a feed does, and of one that has ended only the sums', async () => {
  const feed = startFeed({ databaseUrl: service.databaseUrl, probe: 'west' });
  feed.write(flowLine({ at: 0 }), flowLine({ at: 600 }));
  await feed.until(({ commits }) => commits === 1);
  expect(await told()).toEqual({ flows: 1, waiting: 1, isBehind: true, isNew: true });
  feed.end();
  await feed.done;
  expect(await told()).toEqual({ flows: 2, waiting: null, isBehind: null, isNew: true });
});
