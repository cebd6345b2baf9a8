import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makeReady } from '../support/database/database.ts';
import {
  type Primary,
  type Standby,
  startPrimary,
  startStandby,
} from '../support/database/standby.ts';
import { readMetrics } from '../support/http/metrics-text.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import type { TestService } from '../support/lab/service.ts';
import { killServer } from '../support/programs/server-processes.ts';

let primary: Primary;
let standby: Standby;
let lab: TestService;
let imports = 0;

beforeAll(async () => {
  primary = await startPrimary();
  await makeReady(primary.url);
  standby = await startStandby(primary);
  const nodes = [{ name: 'a', role: 'replica', url: standby.url, share: true }];
  lab = await startLab({
    databaseUrl: primary.url,
    groups: [group(1)],
    declaration: { nodes },
  });
  for (let i = 0; i < 20; i += 1) await importNext();
}, 120_000);

afterAll(async () => {
  await lab?.close();
  await standby?.remove();
  await primary?.remove();
});

async function importNext(): Promise<void> {
  imports += 1;
  await lab.importSamples([{ group: guidOf(1), key: 'a', ts: T0, values: { 0: imports } }]);
}

const QUESTION = `{ context(name: "lab") {
  nodeName
  counterGroup(guid: "${guidOf(1)}") { topper(window: {recentSeconds: 60}) { total } }
} }`;

/** Imports until this node is the first to answer from new data, and so reads its manifest. */
const untilManifestOf = (nodeName: string) =>
  vi.waitFor(
    async () => {
      await importNext();
      await standby.waitUntilCaughtUp();
      expect(await lab.data(QUESTION)).toMatchObject({ context: { nodeName } });
    },
    { timeout: 20_000, interval: 20 },
  );

async function manifestBytes(): Promise<number> {
  const { text } = await lab.call('/metrics');
  return readMetrics(text).value('countergraph_memory_bytes', { memory: 'manifests' }) ?? 0;
}

it('the manifests of a standby are released when it restarts', async () => {
  await untilManifestOf('primary');
  await untilManifestOf('a');
  const before = (await manifestBytes()) / imports;
  for (let restarts = 0; restarts < 4; restarts += 1) {
    killServer(standby);
    await standby.startAgain();
    await untilManifestOf('a');
  }
  expect((await manifestBytes()) / imports).toBeLessThan(2 * before);
}, 120_000);
