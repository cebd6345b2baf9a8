import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Debian's package prometheus, which `.ci/run` installs. */

export type PrometheusFiles = {
  /** prometheus.yml and the files it refers to, by name. */
  readonly [name: string]: string;
};

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;

/** Starts a real Prometheus with these configuration files. */
export async function startPrometheus(files: PrometheusFiles) {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-prometheus-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const server = spawn(
    '/usr/bin/prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const address = await listeningAddress(server);
  const get = async (path: string): Promise<unknown> => {
    const answer = await fetch(`http://${address}${path}`);
    return answer.json();
  };
  return {
    get,
    /** Polls until `find` finds something in an answer, and returns that. */
    async until<T>(path: string, find: (body: unknown) => T | null): Promise<T> {
      const giveUpAt = Date.now() + 20_000;
      for (;;) {
        const body = await get(path);
        const found = find(body);
        if (found !== null) return found;
        if (Date.now() > giveUpAt) throw new Error(`not found: ${JSON.stringify(body)}`);
        await delay(50);
      }
    },
    async stop() {
      server.kill('SIGTERM');
      if (server.exitCode === null) await once(server, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

/** Its log names the port that it took. */
function listeningAddress(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    server.stderr?.on('data', (chunk) => {
      said += String(chunk);
      const [, address] = /msg="Listening on" address=(\S+)/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
    server.once('exit', () => reject(new Error(`Prometheus ended: ${said}`)));
  });
}
