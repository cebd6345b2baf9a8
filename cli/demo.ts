import { createHash } from 'node:crypto';
import type { Connection } from '../db/connection/connection.ts';
import { withConnection } from '../db/connection/with-connection.ts';
import { type DemoState, selectDemoState, selectIsUnused } from '../db/sql/contexts.ts';
import { createDemo, DEMO_NAME } from '../ingest/demo/demo.ts';
import type { Settings } from '../server/settings/settings.ts';
import type { Logger } from '../server/telemetry/log.ts';

export type DemoCredentials = { readonly username: string; readonly token: string };

export type DemoOptions = {
  /** URL of an embedded database: the demo exists nowhere else. */
  readonly url: string;
  readonly setting: Settings['demo'];
  /** Whether the command line asks for the demo; used if the setting is `auto`. */
  readonly asked: boolean;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

export type Demo = {
  /** Given as long as they are valid, so that a restarted server shows them again. */
  readonly credentials: DemoCredentials | null;
  /** Whether the demo was requested but not created, because the database is in use. */
  readonly isLeftOut: boolean;
};

/**
 * Creates the demo if it is wanted. `on` creates it once, whatever else the database holds. A
 * request on the command line creates it only in a database that nobody has used yet.
 */
export async function prepareDemo(options: DemoOptions): Promise<Demo> {
  const { url, setting, asked, log, signal } = options;
  const on = { databaseUrl: url, signal };
  const before = await withConnection(on, 'serve', demoState);
  const isUnused = await withConnection(on, 'serve', selectIsUnused);
  const isAskedFor = setting === 'auto' && asked;
  if (setting === 'on' || (isAskedFor && isUnused)) {
    if (!before.isThere) log.info('creating the demo: a week of an office, in less than a minute');
    const now = () => Math.floor(Date.now() / 1000);
    const { created, flows, readings } = await createDemo({ databaseUrl: url, now, signal });
    if (created) log.info({ flows, readings }, 'the demo is ready');
  }
  const { isThere, isSignedIn } = await withConnection(on, 'serve', demoState);
  const credentials = isSignedIn ? { username: DEMO_NAME, token: DEMO_NAME } : null;
  return { credentials, isLeftOut: isAskedFor && !isThere };
}

const demoState = (connection: Connection): Promise<DemoState> => {
  const digest = createHash('sha256').update(DEMO_NAME).digest();
  return selectDemoState(connection, DEMO_NAME, digest);
};
