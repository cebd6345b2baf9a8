import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** Of Debian's package prometheus-alertmanager, which `.ci/run` installs. */
const PROGRAM = '/usr/bin/prometheus-alertmanager';

/** An alert as Alertmanager's API v2 returns it. */
export type ShownAlert = {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
};

export type Alertmanager = {
  readonly url: string;
  /** The alerts that it considers firing. */
  firing(): Promise<readonly ShownAlert[]>;
  /** Sends SIGKILL. Its alerts are lost. */
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
};

/** Runs a real Alertmanager on a free loopback port; `configuration` is the text of its file. */
export async function startAlertmanager(configuration: string): Promise<Alertmanager> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-alertmanager-'));
  const file = join(folder, 'alertmanager.yml');
  await writeFile(file, configuration);
  const listen = `127.0.0.1:${await freePort()}`;
  const url = `http://${listen}`;
  let running = await launch();

  async function launch() {
    const child = spawn(
      PROGRAM,
      [
        `--config.file=${file}`,
        `--storage.path=${join(folder, 'data')}`,
        `--web.listen-address=${listen}`,
        '--cluster.listen-address=',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const said = text(child.stderr);
    const ended = once(child, 'exit');
    const failed = ended.then(async () => Promise.reject(new Error(await said)));
    await Promise.race([isReady(url), failed]);
    failed.catch(() => undefined);
    return { child, ended };
  }

  async function kill(): Promise<void> {
    running.child.kill('SIGKILL');
    await running.ended;
  }

  return {
    url,
    kill,
    async firing() {
      const answer = await fetch(`${url}/api/v2/alerts`);
      return (await answer.json()) as ShownAlert[];
    },
    async start() {
      running = await launch();
    },
    async remove() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isReady(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/-/ready`).catch(() => null);
    if (answer?.ok) return;
    await delay(20);
  }
}
