import { Readable } from 'node:stream';
import { addUser } from '../../../access/users.ts';
import { importFile } from '../../../ingest/files/import-file.ts';
import { group, guidOf, meter } from '../../support/lab/lab.ts';
import { ADA, type Credentials, startTestService } from '../../support/lab/service.ts';

export const FLOWS = 'flows';
export const PLANT = 'plant';

/** Sees only the hosts of a network. */
export const LIMITED: Credentials = { username: 'lea', token: 'lea-token' };

/** The end of the flows: two days and an hour after the first one. */
export const END = Date.UTC(2024, 6, 15, 12) / 1000;

const HOUR = 3600;

type Line = {
  readonly from: string;
  readonly to: string;
  readonly at: number;
  readonly kb: number;
};

/** A flow of a minute, as goflow2 writes it. */
const flowLine = ({ from, to, at, kb }: Line): string =>
  JSON.stringify({
    type: 'NETFLOW_V9',
    time_flow_start_ns: at * 1e9,
    time_flow_end_ns: (at + 60) * 1e9,
    bytes: kb * 1000,
    packets: Math.max(1, kb),
    src_addr: from,
    dst_addr: to,
    etype: 'IPv4',
    proto: 'TCP',
    src_port: 443,
    dst_port: 50_000,
  });

/** Each hour a download, an upload, and a copy within home; on the second day half as much more. */
function flowLines(): string {
  const hours = Array.from({ length: 49 }, (_, index) => END - (49 - index) * HOUR);
  return hours
    .flatMap((at, index) => {
      const more = index < 25 ? 1 : 1.5;
      return [
        flowLine({ from: '203.0.113.9', to: '10.0.0.5', at, kb: 6000 * more }),
        flowLine({ from: '10.0.0.5', to: '198.51.100.7', at: at + 120, kb: 2000 * more }),
        flowLine({ from: '10.0.1.8', to: '10.0.0.5', at: at + 240, kb: 2000 * more }),
        flowLine({ from: '10.0.1.8', to: '10.0.0.5', at: at + HOUR - 60, kb: 0.001 }),
      ];
    })
    .join('\n');
}

/** Two days of flows, a context of other things, and somebody who sees part of the flows. */
export async function startOverviewLab() {
  const lab = await startTestService();
  const { databaseUrl } = lab;
  await importFile({
    databaseUrl,
    context: FLOWS,
    format: 'goflow2',
    source: {
      name: 'flows',
      sizeBytes: null,
      isRepeatable: true,
      open: () => Readable.from([Buffer.from(`${flowLines()}\n`)]),
    },
    now: () => END,
  });
  await lab.apply({
    context: PLANT,
    groups: [
      group(1, { name: 'Queues', meters: [{ ...meter(0, 2, 'Jobs'), units: 'jobs' }] }),
      group(2, { name: 'Racks', meters: [{ ...meter(0, 5, 'Temperature'), units: 'celsius' }] }),
    ],
  });
  await lab.importSamples(
    [0, 300, 600].flatMap((after) => [
      { group: guidOf(1), key: 'mail', ts: END - 900 + after, values: { 0: 30 } },
      { group: guidOf(2), key: 'rack 1', ts: END - 900 + after, values: { 0: 21 } },
    ]),
    { context: PLANT },
  );
  await lab.addUser(ADA, [FLOWS, PLANT]);
  await lab.write((to) =>
    addUser(to, {
      name: LIMITED.username,
      chosenToken: LIMITED.token,
      contexts: [FLOWS],
      limit: { networks: ['10.0.1.0/24'], probes: [], groups: [] },
    }),
  );
  return lab;
}
