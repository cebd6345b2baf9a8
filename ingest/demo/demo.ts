import { randomUUID } from 'node:crypto';
import { setAdmin } from '../../access/accounts.ts';
import { setUser } from '../../access/users.ts';
import type { Connection } from '../../db/connection/connection.ts';
import { lockContextCreation } from '../../db/connection/lock-context.ts';
import { beginAlerts } from '../../db/sql/alert-rules.ts';
import { selectContext, selectIsUnused } from '../../db/sql/contexts.ts';
import { upsertExporters } from '../../db/sql/exporters.ts';
import { upsertFeed } from '../../db/sql/feeds.ts';
import { type EpochSeconds, floorTo } from '../../domain/time/interval.ts';
import { declareContext } from '../declaration/apply.ts';
import { applyAlerts } from '../declaration/apply-alerts.ts';
import { parseDeclaration } from '../declaration/declaration.ts';
import type { Flow } from '../flows/flow.ts';
import { FLOW_GROUPS } from '../flows/flow-groups.ts';
import { createFlowWriter } from '../flows/flow-writer.ts';
import { simpleKey } from '../import-key.ts';
import { loadGroups } from '../load-groups.ts';
import { type ImportSession, runImport } from '../session/import-session.ts';
import { DEMO_ALERTS } from './demo-alerts.ts';
import { createOffice, type DemoHost, type DemoOffice } from './demo-office.ts';
import { demoPlaces } from './demo-places.ts';
import { demoFlows, demoPast, nightlyCopies } from './demo-traffic.ts';
import { createRandom, type Random } from './random.ts';

/** The demo's context, user and token (operations, "Settings"). */
export const DEMO_NAME = 'demo';

type DemoOptions = {
  readonly databaseUrl: string;
  readonly now: () => EpochSeconds;
  readonly signal?: AbortSignal | undefined;
};

export type DemoReport = {
  /** False if the context already existed and nothing was done. */
  readonly created: boolean;
  readonly flows: number;
  readonly readings: number;
};

/** A day, and two more hours to compare with the day before. */
const DEMO_SECONDS = 26 * 3600;

/** In outline, so that the last day can be compared with the same day of the week before. */
const PAST_SECONDS = 7 * 86_400;
const SEED = 20_091_118;

/**
 * Creates the demo: its context, user, pools and the traffic of an office up to `now`, all in one
 * transaction. It exists as a whole or not at all, so if a start is killed midway, the next start
 * creates the demo.
 */
export async function createDemo(options: DemoOptions): Promise<DemoReport> {
  const { databaseUrl, now, signal } = options;
  try {
    return await runImport(
      {
        databaseUrl,
        source: 'the demo',
        context: DEMO_NAME,
        engine: 0,
        makesContext: false,
        prepare,
        now,
        signal,
      },
      (session) => fillDemo(session, now(), signal),
    );
  } catch (error) {
    if (!(error instanceof DemoExists)) throw error;
    return { created: false, flows: 0, readings: 0 };
  }
}

/** The demo already exists: another process created it, just now or long ago. */
class DemoExists extends Error {}

async function prepare(connection: Connection): Promise<void> {
  await lockContextCreation(connection, DEMO_NAME, () => {});
  if (await selectContext(connection, DEMO_NAME)) throw new DemoExists();
  const isAlone = await selectIsUnused(connection);
  await declareContext(connection, parseDeclaration(DECLARATION), () => {});
  await setUser(connection, {
    name: DEMO_NAME,
    token: DEMO_NAME,
    contexts: [DEMO_NAME],
    role: 'editor',
  });
  // Everybody knows the token: it must not lead to what others have in the database.
  if (isAlone) await setAdmin(connection, { name: DEMO_NAME, isGroup: false, isAdmin: true });
}

const TERABYTE = 10 ** 12;

const DECLARATION = {
  context: DEMO_NAME,
  slice_seconds: 86_400,
  pools: [
    {
      name: 'oper',
      status: 'online',
      total_size: 2 * TERABYTE,
      avail_size: 1.4 * TERABYTE,
      file_system: 'ext4',
      path: '/srv/countergraph/oper',
      additional_info: 'Slices of the last days, on fast disks',
    },
    {
      name: 'ref',
      status: 'online',
      total_size: 16 * TERABYTE,
      avail_size: 5.2 * TERABYTE,
      file_system: 'xfs',
      path: '/srv/countergraph/ref',
      additional_info: 'Slices of the last months',
    },
    {
      name: 'archive',
      status: 'offline',
      total_size: 64 * TERABYTE,
      avail_size: 22 * TERABYTE,
      file_system: 'xfs',
      path: '/srv/countergraph/archive',
      offline_archive: true,
      offline_archive_mounted: false,
      additional_info: 'Archived slices, mounted on request',
    },
  ],
};

async function fillDemo(
  session: ImportSession,
  now: EpochSeconds,
  signal: AbortSignal | undefined,
): Promise<DemoReport> {
  const random = createRandom(SEED);
  const office = createOffice(random);
  const to = floorTo(now, 60);
  const geo = demoPlaces(office);
  const { add, finish } = await createFlowWriter(session, { home: [], probe: null, geo });
  const { connection, contextId } = session;
  await applyAlerts(
    connection,
    contextId,
    parseDeclaration({ context: DEMO_NAME, alerts: DEMO_ALERTS }),
  );
  // Of the whole week, the last night would be decided minutes after the start. No window of the
  // last day has a part of the outline.
  await beginAlerts(connection, contextId, to - 86_400);
  const seen = new Set<string>();
  let flows = 0;
  for (const flow of allFlows(office, to, random)) {
    if (flows % 1000 === 0) signal?.throwIfAborted();
    await add(flow);
    for (const { address } of [flow.originator, flow.responder]) {
      if (address !== null) seen.add(address);
    }
    flows += 1;
  }
  await nameHosts(session, office, seen);
  await session.writer.finish();
  await finish();
  await addExporter(session, { from: to - DEMO_SECONDS - PAST_SECONDS, to, flows });
  return { created: true, flows, readings: session.writer.rowCount };
}

function* allFlows(office: DemoOffice, to: EpochSeconds, random: Random): Generator<Flow> {
  const from = to - DEMO_SECONDS;
  const past = { from: from - PAST_SECONDS, to: from };
  yield* demoPast(office, past, random);
  yield* demoFlows(office, { from, to }, random);
  yield* nightlyCopies(office, { from: past.from, to });
}

/** Records a router that sent the flows. Its address is one for documentation (RFC 5737). */
async function addExporter(
  { connection, contextId }: ImportSession,
  { from, to, flows }: { from: EpochSeconds; to: EpochSeconds; flows: number },
): Promise<void> {
  const feedId = randomUUID();
  const startedAt = new Date(from * 1000);
  await upsertFeed(connection, {
    feedId,
    contextId,
    format: 'collect',
    startedAt,
    commits: 1,
    flows,
    newestUs: to * 1e6,
    losses: {
      refusedLines: 0,
      leftOutFlows: 0,
      lostFlows: 0,
      lostPackets: 0,
      lostDatagrams: 0,
    },
    probe: null,
    state: { waitingFlows: 0, readUs: to * 1e6, isLast: true },
  });
  await upsertExporters(connection, feedId, [
    {
      address: '192.0.2.1',
      protocols: ['netflow9'],
      firstSeen: startedAt,
      lastSeen: new Date(to * 1000),
      flows,
      lostFlows: 0,
      lostPackets: 0,
      lostDatagrams: 0,
      refused: {},
      waitingForTemplate: 0,
      samplingRates: [1],
      clockAheadSeconds: 0,
      doubts: [],
    },
  ]);
}

/** Gives the hosts that took part in flows their names and attributes. */
async function nameHosts(
  { connection, contextId, writer }: ImportSession,
  office: DemoOffice,
  seen: ReadonlySet<string>,
): Promise<void> {
  const group = (await loadGroups(connection, contextId)).get(FLOW_GROUPS.hosts.guid);
  for (const { key, texts } of group ? namedHosts(office).flatMap(namesOf) : []) {
    if (group && seen.has(key.text)) writer.addTexts({ group, key, texts });
  }
}

const namedHosts = (office: DemoOffice): DemoHost[] => [
  ...office.workstations,
  ...office.guests,
  ...office.phones,
  ...office.printers,
  ...Object.values(office.servers),
  ...Object.values(office.services).flat(),
  ...office.strangers,
];

function namesOf({ ipv4, ipv6, name, attributes }: DemoHost) {
  if (name === null) return [];
  const addresses = ipv6 === null ? [ipv4] : [ipv4, ipv6];
  const texts = { label: name, description: undefined, attributes: attributes ?? undefined };
  return addresses.map((address) => ({ key: simpleKey(address), texts }));
}
