import { setAdmin } from '../../access/accounts.ts';
import { setUser } from '../../access/users.ts';
import type { Connection } from '../../db/connection/connection.ts';
import { lockContextCreation } from '../../db/connection/lock-context.ts';
import { selectContext, selectIsUnused } from '../../db/sql/contexts.ts';
import { type EpochSeconds, floorTo } from '../../domain/time/interval.ts';
import { declareContext } from '../declaration/apply.ts';
import { parseDeclaration } from '../declaration/declaration.ts';
import { FLOW_GROUPS } from '../flows/flow-groups.ts';
import { createFlowWriter } from '../flows/flow-writer.ts';
import { simpleKey } from '../import-key.ts';
import { loadGroups } from '../load-groups.ts';
import { type ImportSession, runImport } from '../session/import-session.ts';
import { createOffice, type DemoHost, type DemoOffice } from './demo-office.ts';
import { demoFlows } from './demo-traffic.ts';
import { createRandom } from './random.ts';

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
  slice_seconds: 3600,
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
  const { add } = await createFlowWriter(session, { home: [], probe: null, geo: null });
  const seen = new Set<string>();
  let flows = 0;
  for (const flow of demoFlows(office, { from: to - DEMO_SECONDS, to }, random)) {
    if (flows % 1000 === 0) signal?.throwIfAborted();
    await add(flow);
    for (const { address } of [flow.originator, flow.responder]) {
      if (address !== null) seen.add(address);
    }
    flows += 1;
  }
  await nameHosts(session, office, seen);
  await session.writer.finish();
  return { created: true, flows, readings: session.writer.rowCount };
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
