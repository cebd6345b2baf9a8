import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ExporterRow } from '../../db/sql/exporters.ts';
import { exporter, hearExporters } from '../support/lab/hear-exporters.ts';
import { group, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../support/lab/service.ts';
import { type CommandOutcome, runOnDatabase } from '../support/programs/run-command.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
  vi.stubEnv('DATABASE_URL', lab.databaseUrl);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await lab.close();
});

const list = (context: string, ...args: string[]): Promise<CommandOutcome> =>
  runOnDatabase(['collect', 'list', '--context', context, ...args]);

/** What is listed of a context that has heard only these. */
async function listed(exporters: readonly ExporterRow[], ...args: string[]): Promise<string[]> {
  await lab.sql('delete from feeds');
  await hearExporters(lab.databaseUrl, { context: CONTEXT, exporters });
  const { status, out, err } = await list(CONTEXT, ...args);
  expect([status, err]).toEqual([0, []]);
  return out;
}

const TROUBLED = exporter('192.0.2.1', {
  protocols: ['netflow9', 'sflow'],
  lastSeen: new Date((T0 + 61) * 1000 + 900),
  flows: 1_804_213,
  lostPackets: 1_234,
  lostDatagrams: 1,
  refused: { truncated: 2, noTemplate: 3_000 },
  waitingForTemplate: 64,
  samplingRates: [1, 1_000],
  clockAheadSeconds: -3_600.24,
  doubts: ['its clock is late', 'it has\nno sampler'],
});

describe('collect list', () => {
  it('shows each exporter as a row, and below what was refused and what is doubtful', async () => {
    expect(await listed([exporter('2001:db8::1'), TROUBLED])).toEqual([
      'ADDRESS      PROTOCOLS          LAST SEEN (UTC)          FLOWS  LOST                                    REFUSED  WAITING  SAMPLING            CLOCK',
      '192.0.2.1    NetFlow v9, sFlow  2024-07-15 00:01:01  1,804,213  1,234 export packets, 1 sFlow datagram    3,002       64  none, 1:1,000  -3,600.2 s',
      '2001:db8::1  NetFlow v9         2024-07-15 00:01:00          1  -                                             0        0  none                    -',
      '192.0.2.1: refused 3,000 × data whose template did not arrive in time, 2 × shorter than it says',
      '192.0.2.1: its clock is late',
      '192.0.2.1: it has\\u000ano sampler',
    ]);
  });

  it.each([
    [null, '-'],
    [0, '0.0 s'],
    [0.04, '0.0 s'],
    [-0.04, '0.0 s'],
    [0.05, '+0.1 s'],
    [-0.06, '-0.1 s'],
    [29, '+29.0 s'],
    [86_400.55, '+86,400.6 s'],
  ])('shows a clock that is %d seconds ahead as %s', async (clockAheadSeconds, shown) => {
    const [, row = ''] = await listed([exporter('192.0.2.1', { clockAheadSeconds })]);
    expect(row.endsWith(`  ${shown}`)).toBe(true);
  });

  it.each([
    [[], '-'],
    [[1], 'none'],
    [[4_294_967_295], '1:4,294,967,295'],
  ])('shows the sampling rates %j as %s', async (samplingRates, shown) => {
    const [, row = ''] = await listed([exporter('192.0.2.1', { samplingRates, lostFlows: 1 })]);
    expect(row.split(/ {2,}/).at(-2)).toBe(shown);
  });

  it('prints lines of JSON with the fields of GraphQL', async () => {
    const lines = await listed([TROUBLED], '--json');
    const [parsed] = lines.map((line) => JSON.parse(line));
    expect(parsed).toMatchObject({ firstSeen: T0, lost: 1_235, refused: 3_002 });
    const query = `{ context(name: "${CONTEXT}") { exporters { ${Object.keys(parsed)
      .map((name) => `${name}${SELECTIONS.get(name) ?? ''}`)
      .join(' ')} } } }`;
    expect(await lab.data(query)).toEqual({ context: { exporters: [parsed] } });
    const { fields } = (
      await lab.data<{ __type: { fields: { name: string }[] } }>(
        '{ __type(name: "Exporter") { fields { name } } }',
      )
    ).__type;
    expect(Object.keys(parsed).toSorted()).toEqual(fields.map(({ name }) => name).toSorted());
  });

  it('says what to do if there are none', async () => {
    await lab.sql('delete from feeds');
    const { status, out } = await list(CONTEXT);
    expect([status, out]).toEqual([
      0,
      [
        `Context ${CONTEXT} has no exporters: run \`npx countergraph collect --context ${CONTEXT}\`, and let routers send NetFlow, IPFIX or sFlow to it`,
      ],
    ]);
    expect((await list(CONTEXT, '--json')).out).toEqual([]);
  });

  it('names the contexts that there are if there is none of that name', async () => {
    const { status, err } = await list('nowhere');
    expect(status).toBe(1);
    expect(err.join('\n')).toContain(`There is no context nowhere (the contexts are ${CONTEXT})`);
  });

  it('needs a context of its own', async () => {
    const { status, err } = await runOnDatabase(['collect', 'list']);
    expect(status).not.toBe(0);
    expect(err.join('\n')).toContain('--context');
  });
});

const SELECTIONS: ReadonlyMap<string, string> = new Map([
  ['losses', ' { unit count }'],
  ['refusals', ' { reason count }'],
]);
