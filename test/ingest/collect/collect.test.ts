import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { datagramsOf } from '../../../ingest/collect/datagram-block.ts';
import { makeCollectedContext } from '../../../ingest/collect/make-context.ts';
import { openReceiver } from '../../../ingest/collect/receiver.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { rowsOf } from '../../support/database/rows-of.ts';
import {
  startCollecting,
  startExporter,
  type TestExporter,
} from '../../support/lab/collect-lab.ts';
import { storedReadings } from '../../support/reference/stored-readings.ts';
import { netflow5Datagram } from '../datagrams/write-netflow-5.ts';
import { ipfixDatagram, setOf } from '../datagrams/write-templates.ts';

let database: TestDatabase;
let databaseUrl: string;
const exporters: TestExporter[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  databaseUrl = database.url;
});
afterEach(async () => {
  for (const exporter of exporters.splice(0)) exporter.close();
  await database.drop();
});

async function exporterTo(port: number): Promise<TestExporter> {
  const exporter = await startExporter(port);
  exporters.push(exporter);
  return exporter;
}

const UPTIME_MS = 3_600_000;

/** A datagram with some records of 100 bytes each, which ended when it was sent. */
function datagram(sequence: number, records = 2): Buffer {
  const seconds = Math.floor(Date.now() / 1000);
  const header = { uptimeMs: UPTIME_MS, seconds, sequence };
  const record = {
    source: [10, 0, 0, 1],
    destination: [198, 51, 100, 7],
    packets: 1,
    bytes: 100,
    firstMs: UPTIME_MS - 1000,
    lastMs: UPTIME_MS,
    sourcePort: 50_000,
    destinationPort: 443,
    protocol: 6,
  } as const;
  return netflow5Datagram(header, Array(records).fill(record));
}

/** Returns all bytes that are stored. */
async function storedBytes(): Promise<number> {
  const readings = await storedReadings(databaseUrl);
  return readings
    .filter(({ key, slot }) => key === 'TOTALBW' && slot === 1)
    .reduce((sum, { value }) => sum + Number(value), 0);
}

const exporterRows = () =>
  rowsOf(
    databaseUrl,
    `select address, protocols, flows::int, lost_flows::int as lost, refused, doubts
     from exporters order by address`,
  );

describe('a collector', () => {
  it('commits the flows of datagrams, and what it knows of their exporter', async () => {
    const collector = await startCollecting({ databaseUrl });
    const exporter = await exporterTo(collector.port);
    await exporter.send(datagram(0), datagram(2, 3));
    await collector.until(({ flows }) => flows === 5);
    collector.stop();
    expect(await collector.done).toMatchObject({ lines: 2, flows: 5, committedFlows: 5 });
    expect(await storedBytes()).toBe(500);
    expect(await exporterRows()).toEqual([
      {
        address: '127.0.0.1',
        protocols: ['netflow5'],
        flows: 5,
        lost: 0,
        refused: {},
        doubts: [],
      },
    ]);
  });

  it('tells what is lost in the unit of the sequence, and takes late datagrams', async () => {
    const collector = await startCollecting({ databaseUrl });
    const exporter = await exporterTo(collector.port);
    await exporter.send(datagram(0), datagram(6), datagram(2), datagram(11));
    await collector.until(({ flows }) => flows === 8);
    collector.stop();
    expect(await collector.done).toMatchObject({ lost: { flows: 5, packets: 0, datagrams: 0 } });
    expect(await exporterRows()).toMatchObject([{ flows: 8, lost: 5 }]);
    expect(collector.said).toEqual(['127.0.0.1: 5 flows']);
  });

  it('counts what it cannot read by reason, and goes on', async () => {
    const collector = await startCollecting({ databaseUrl });
    const exporter = await exporterTo(collector.port);
    await exporter.send(
      Buffer.from('what is this'),
      datagram(0).subarray(0, 40),
      Buffer.alloc(0),
      datagram(0),
    );
    await collector.until(({ flows }) => flows === 2);
    collector.stop();
    expect(await collector.done).toMatchObject({ badLines: 3 });
    expect(await exporterRows()).toMatchObject([
      { flows: 2, refused: { truncated: 1, unknownVersion: 2 } },
    ]);
  });

  it('refuses data whose template has not come until it ends', async () => {
    const collector = await startCollecting({ databaseUrl });
    const exporter = await exporterTo(collector.port);
    const data = setOf(256, Buffer.alloc(8));
    await exporter.send(datagram(0), ipfixDatagram({}, [data]), ipfixDatagram({}, [data]));
    await collector.until(({ lines }) => lines === 3);
    collector.stop();
    expect(await collector.done).toMatchObject({ flows: 2, badLines: 2 });
    expect(await exporterRows()).toMatchObject([{ flows: 2, refused: { noTemplate: 2 } }]);
  });

  it('says when the clock of an exporter is doubtful', async () => {
    const collector = await startCollecting({ databaseUrl });
    const exporter = await exporterTo(collector.port);
    const late = datagram(0);
    late.writeUInt32BE(late.readUInt32BE(8) - 7200, 8);
    await exporter.send(late);
    await collector.until(({ flows }) => flows === 2);
    collector.stop();
    await collector.done;
    const rows = await exporterRows();
    expect(rows).toMatchObject([
      {
        doubts: [
          expect.stringMatching(
            /^its clock is 7,20\d s behind the collector's, and its flows are counted at the times/,
          ),
        ],
      },
    ]);
  });

  it('hears only the exporters that it is told to', async () => {
    const collector = await startCollecting({ databaseUrl, from: ['192.0.2.0/24', '::/0'] });
    const exporter = await exporterTo(collector.port);
    await exporter.send(datagram(0));
    await collector.until(({ commits }) => commits === 0);
    collector.stop();
    expect(await collector.done).toMatchObject({ lines: 0, flows: 0 });
    expect(collector.receiver.counts().unheard).toBe(1);
  });

  it('counts nothing twice when it is started again', async () => {
    const first = await startCollecting({ databaseUrl });
    await (await exporterTo(first.port)).send(datagram(0));
    await first.until(({ flows }) => flows === 2);
    first.stop();
    await first.done;
    const second = await startCollecting({ databaseUrl });
    await (await exporterTo(second.port)).send(datagram(50));
    await second.until(({ flows }) => flows === 2);
    second.stop();
    expect(await second.done).toMatchObject({ lost: { flows: 0 } });
    expect(await storedBytes()).toBe(400);
    expect(await rowsOf(databaseUrl, 'select flows::int from exporters')).toEqual([
      { flows: 2 },
      { flows: 2 },
    ]);
  });

  it('reports an exporter before it has flows, if its context exists', async () => {
    await makeContext();
    const collector = await startCollecting({ databaseUrl });
    await (await exporterTo(collector.port)).send(Buffer.from('nothing'));
    await collector.until(({ badLines }) => badLines === 1);
    collector.stop();
    await collector.done;
    expect(await exporterRows()).toMatchObject([{ flows: 0, refused: { unknownVersion: 1 } }]);
  });

  it('writes an exporter again only when there is something new of it', async () => {
    await makeContext();
    const collector = await startCollecting({ databaseUrl });
    const exporter = await exporterTo(collector.port);
    await exporter.send(datagram(0));
    await collector.until(({ flows }) => flows === 2);
    const written = async () =>
      (await rowsOf<{ at: string }>(databaseUrl, 'select xmin::text as at from exporters'))[0]?.at;
    while ((await written()) === undefined) await delay(5);
    const first = await written();
    const before = await commitsOf();
    while ((await commitsOf()) < before + 3) await delay(5);
    expect(await written()).toBe(first);
    await exporter.send(datagram(2));
    while ((await written()) === first) await delay(5);
    collector.stop();
    await collector.done;
    expect(await exporterRows()).toMatchObject([{ flows: 4 }]);
  });

  it('stores until when it has received, however long its last commit takes', async () => {
    await makeContext();
    let laterMs = 0;
    const monotonicMs = () => performance.now() + laterMs;
    const collector = await startCollecting({ databaseUrl, monotonicMs });
    await collector.until(({ commits }) => commits === 0);
    collector.stop();
    laterMs = 60_000;
    await collector.done;
    expect(
      await rowsOf(
        databaseUrl,
        `select ended_at is not null as "hasEnded",
           ended_at - heard_at between '50 s' and '70 s' as "wasSilent" from feeds`,
      ),
    ).toEqual([{ hasEnded: true, wasSilent: true }]);
  });

  it('fails at a port that another program uses, and says what to do', async () => {
    const collector = await startCollecting({ databaseUrl });
    const { port } = collector;
    await expect(
      openReceiver({ listen: [{ address: '127.0.0.1', port }], from: [] }),
    ).rejects.toThrow(
      `cannot receive at udp 127.0.0.1:${port} (bind EADDRINUSE 127.0.0.1:${port}): another ` +
        'program receives there: stop it, or give another port',
    );
    collector.stop();
    await collector.done;
  });
});

async function commitsOf(): Promise<number> {
  const rows = await rowsOf<{ commits: number }>(
    databaseUrl,
    'select coalesce(max(commits), 0)::int as commits from feeds',
  );
  return rows[0]?.commits ?? 0;
}

const makeContext = (grant: string | null = null) =>
  makeCollectedContext({
    databaseUrl,
    context: 'lab',
    engine: 0,
    grant,
    onWaiting: () => {},
    signal: new AbortController().signal,
  });

describe('the context of a collector', () => {
  it('is created once', async () => {
    expect(await makeContext()).toBe(true);
    expect(await makeContext()).toBe(false);
    expect(await rowsOf(databaseUrl, 'select name from contexts')).toEqual([{ name: 'lab' }]);
  });

  it('is granted to the user who is named, as an editor', async () => {
    await rowsOf(databaseUrl, "insert into users (username) values ('ada')");
    await makeContext('ada');
    expect(await rowsOf(databaseUrl, 'select role from grants')).toEqual([{ role: 'editor' }]);
  });

  it('is not created for a user who does not exist', async () => {
    await expect(makeContext('ada')).rejects.toThrow('There is no user ada');
    expect(await rowsOf(databaseUrl, 'select name from contexts')).toEqual([]);
  });
});

describe('a receiver', () => {
  it('reads what the system has received when it is told to stop', async () => {
    const receiver = await openReceiver({ listen: [{ address: '127.0.0.1', port: 0 }], from: [] });
    const exporter = await exporterTo(receiver.sockets[0]?.port ?? 0);
    await exporter.send(...Array(200).fill(datagram(0, 1)));
    receiver.stop();
    let datagrams = 0;
    for (let block = await receiver.next(); block !== null; block = await receiver.next()) {
      datagrams += [...datagramsOf(block)].length;
      receiver.release(block);
    }
    expect(datagrams).toBe(200);
  });

  it('can be stopped more than once', async () => {
    const receiver = await openReceiver({ listen: [{ address: '127.0.0.1', port: 0 }], from: [] });
    receiver.stop();
    receiver.stop();
    expect(await receiver.next()).toBeNull();
  });

  it('keeps datagrams up to a bound while nobody reads, and counts those that it drops', async () => {
    const receiver = await openReceiver({ listen: [{ address: '127.0.0.1', port: 0 }], from: [] });
    const exporter = await exporterTo(receiver.sockets[0]?.port ?? 0);
    const large = Buffer.alloc(60_000);
    for (let i = 0; i < 40; i += 1) {
      await exporter.send(...Array(10).fill(large));
      // Otherwise the system drops some, too.
      await delay(2);
    }
    let datagrams = 0;
    receiver.stop();
    for (let block = await receiver.next(); block !== null; block = await receiver.next()) {
      datagrams += Math.floor(block.sizeBytes / large.length);
      receiver.release(block);
    }
    const { dropped } = receiver.counts();
    expect(datagrams + dropped).toBe(400);
    expect(dropped).toBeGreaterThan(100);
  });
});
