import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Cleanup } from '../cleanup.ts';
import { serveByProcesses } from '../serving/served-processes.ts';
import { measureCommand } from '../systems/measured-command.ts';

/** The Hosts group, which flows fill (operations, "Flows to counters"). */
const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';

const QUERY = `query ($context: String!, $group: Guid!) {
  context(name: $context) {
    counterGroup(guid: $group) {
      topper(meter: 0, window: { recentSeconds: 3600 }, maxItems: 100) { total keys { key metric } }
    }
  }
}`;

const PAUSE_MS = 1_000;

const TOKEN = 'a-token-of-the-bench-alone';

type Asked = { readonly url: string; readonly observer: pg.Client; readonly context: string };

/** Starts a server beside a collector and asks it for a topper every second. */
export async function openAskedServer({ url, observer, context }: Asked, cleanup: Cleanup) {
  for (;;) {
    const { rows } = await observer.query('select from contexts where name = $1', [context]);
    if (rows.length > 0) break;
    await delay(50);
  }
  const user = `asks-${context}`;
  await measureCommand(url, ['user', 'add', user, '--token', TOKEN, '--context', context]);
  const server = await serveByProcesses(url, 1, {});
  cleanup.add(() => server.stop());
  const stopping = new AbortController();
  const asking = ask();
  return {
    /** Returns how long each answer took, in milliseconds. */
    async stop(): Promise<readonly number[]> {
      stopping.abort();
      return asking;
    },
  };

  async function ask(): Promise<number[]> {
    const times: number[] = [];
    while (!stopping.signal.aborted) {
      const started = performance.now();
      const answer = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${btoa(`${user}:${TOKEN}`)}`,
        },
        body: JSON.stringify({ query: QUERY, variables: { context, group: HOSTS } }),
      });
      const { errors } = (await answer.json()) as { errors?: unknown };
      if (errors) throw new Error(JSON.stringify(errors));
      times.push(performance.now() - started);
      await delay(PAUSE_MS);
    }
    return times;
  }
}
