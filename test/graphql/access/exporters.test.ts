import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { exporter, hearExporters } from '../../support/lab/hear-exporters.ts';
import { group, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, CONTEXT, type Credentials, type TestService } from '../../support/lab/service.ts';

const OTHER = 'other';
const BY_PROBE: Credentials = { username: 'bob', token: 'bob-token' };

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
  await lab.apply({ context: OTHER, groups: [group(1)] });
  await lab.apply({ context: 'quiet', groups: [group(1)] });
  await lab.grant(ADA, [CONTEXT, OTHER, 'quiet']);
  await hear(CONTEXT, [
    exporter('192.0.2.1', {
      protocols: ['sflow', 'netflow5'],
      firstSeen: new Date(T0 * 1000 + 999),
      lastSeen: new Date((T0 + 9) * 1000 + 1),
      flows: 7,
      lostFlows: 3,
      lostDatagrams: 5_000_000_000,
      refused: { late: 1, badTime: 9, truncated: 2 },
      waitingForTemplate: 4,
      samplingRates: [1, 4_294_967_295],
      clockAheadSeconds: -3600.25,
      doubts: ['Its clock is an hour behind.'],
    }),
    exporter('2001:db8::1', { flows: 8, protocols: ['ipfix'] }),
    exporter('192.0.2.2', { flows: 7, protocols: ['later'], samplingRates: [] }),
  ]);
  await hear(OTHER, [exporter('192.0.2.1')]);
  const limit = { networks: [], probes: ['p1'], groups: [] };
  const { username: name, token } = BY_PROBE;
  await lab.write((to) => addUser(to, { name, token, contexts: [CONTEXT], limit }));
});

afterAll(() => lab.close());

const hear = (context: string, exporters: Parameters<typeof hearExporters>[1]['exporters']) =>
  hearExporters(lab.databaseUrl, { context, exporters });

const FIELDS = `address protocols firstSeen lastSeen flows lost losses { unit count } refused
  refusals { reason count } waitingForTemplate samplingRates clockAheadSeconds doubts`;

type Answer = { context: { exporters: readonly object[] | null } };

const exportersOf = async (context: string, fields = FIELDS, user = ADA) =>
  (await lab.data<Answer>(`{ context(name: "${context}") { exporters { ${fields} } } }`, {}, user))
    .context.exporters;

describe('the exporters of a context', () => {
  it('are listed with all that is known of them, most flows first, then by address', async () => {
    const unremarkable = {
      firstSeen: T0,
      lastSeen: T0 + 60,
      lost: 0,
      losses: [],
      refused: 0,
      refusals: [],
      waitingForTemplate: 0,
      clockAheadSeconds: null,
      doubts: [],
    };
    expect(await exportersOf(CONTEXT)).toEqual([
      {
        ...unremarkable,
        address: '2001:db8::1',
        protocols: ['IPFIX'],
        flows: 8,
        samplingRates: [1],
      },
      {
        address: '192.0.2.1',
        protocols: ['NetFlow v5', 'sFlow'],
        firstSeen: T0,
        lastSeen: T0 + 9,
        flows: 7,
        lost: 5_000_000_003,
        losses: [
          { unit: 'flows', count: 3 },
          { unit: 'datagrams', count: 5_000_000_000 },
        ],
        refused: 12,
        refusals: [
          { reason: 'a flow of an impossible time, or of more than a day', count: 9 },
          { reason: 'shorter than it says', count: 2 },
          { reason: 'late', count: 1 },
        ],
        waitingForTemplate: 4,
        samplingRates: [1, 4_294_967_295],
        clockAheadSeconds: -3600.25,
        doubts: ['Its clock is an hour behind.'],
      },
      // What a newer version of the program has stored.
      {
        ...unremarkable,
        address: '192.0.2.2',
        protocols: ['later'],
        flows: 7,
        samplingRates: [],
      },
    ]);
  });

  it('are an empty list where nothing was collected', async () => {
    expect(await exportersOf('quiet')).toEqual([]);
  });

  it('are not shown to callers who may see a part of the context only', async () => {
    expect(await exportersOf(CONTEXT, FIELDS, BY_PROBE)).toEqual([]);
  });

  it('are read by one statement for all contexts of a request', async () => {
    const statements = lab.watchStatements();
    const fields = `exporters { ${FIELDS} }`;
    await lab.data(`{ viewer { contexts { ${fields} } }
      context(name: "${OTHER}") { ${fields} again: ${fields} } }`);
    expect(statements().filter((text) => text.includes('exporters'))).toHaveLength(1);
  });

  it('are those of this moment, although no version of the data changes', async () => {
    const addresses = async () => await exportersOf(OTHER, 'address flows');
    expect(await addresses()).toEqual([{ address: '192.0.2.1', flows: 1 }]);
    expect(await addresses()).toEqual([{ address: '192.0.2.1', flows: 1 }]);
    await hear(OTHER, [exporter('192.0.2.1', { flows: 2 })]);
    expect(await addresses()).toEqual([{ address: '192.0.2.1', flows: 3 }]);
  });

  it('are null, and the rest is there, if they cannot be read', async () => {
    await lab.sql('alter table exporters rename to hidden');
    try {
      const query = `{ context(name: "${CONTEXT}") { name exporters { address } } }`;
      const { data, errors } = await lab.graphql(query);
      expect(data).toEqual({ context: { name: CONTEXT, exporters: null } });
      expect(errors).toMatchObject([{ path: ['context', 'exporters'] }]);
    } finally {
      await lab.sql('alter table hidden rename to exporters');
    }
  });
});
