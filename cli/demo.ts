import { createHash } from 'node:crypto';
import { openConnection } from '../db/write/connection.ts';
import { type DemoState, selectDemoState } from '../db/write/select-demo-state.ts';
import { createDemo, DEMO_NAME } from '../ingest/demo.ts';
import type { Logger } from '../server/log.ts';
import type { Settings } from '../server/settings.ts';

export type DemoCredentials = { readonly username: string; readonly token: string };

export type DemoOptions = {
  /** Of an embedded database: the demo exists nowhere else. */
  readonly url: string;
  readonly setting: Settings['demo'];
  /** Whether the command line asks for it where the setting says nothing. */
  readonly asked: boolean;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

/**
 * Makes the demo where it is wanted: `on` makes it once beside whatever there is; asked for by the
 * command line, it is made in a database that nobody has used yet. Gives its credentials as long as
 * they work, so that a server that was started again tells them again.
 */
export async function prepareDemo(options: DemoOptions): Promise<DemoCredentials | null> {
  const { url, setting, asked, log, signal } = options;
  const before = await demoState(url);
  if (setting === 'on' || (setting === 'auto' && asked && before.isEmpty)) {
    if (before.isEmpty) log.info('making the demo: about a day of an office, in a few seconds');
    const now = () => Math.floor(Date.now() / 1000);
    const { created, flows, readings } = await createDemo({ databaseUrl: url, now, signal });
    if (created) log.info({ flows, readings }, 'the demo is made');
  }
  const { isSignedIn } = await demoState(url);
  return isSignedIn ? { username: DEMO_NAME, token: DEMO_NAME } : null;
}

async function demoState(url: string): Promise<DemoState> {
  const connection = await openConnection(url, 'serve');
  try {
    const digest = createHash('sha256').update(DEMO_NAME).digest();
    return await selectDemoState(connection, DEMO_NAME, digest);
  } finally {
    await connection.end();
  }
}
