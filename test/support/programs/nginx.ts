import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from './free-port.ts';

const PROGRAM = '/usr/sbin/nginx';

/** Debian's package nginx-light, which `.ci/run` installs. */

export type Nginx = {
  readonly url: string;
  /** Everything it has logged so far. */
  logText(): Promise<string>;
  stop(): Promise<void>;
};

/**
 * Runs nginx on a free loopback port, in a folder of its own. `site` takes the address to listen on
 * and the folder for logs, and returns the content of `http { … }`.
 */
export async function startNginx(
  site: (where: { readonly listen: string; readonly folder: string }) => string,
): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-nginx-'));
  const listen = `127.0.0.1:${await freePort()}`;
  const file = join(folder, 'nginx.conf');
  await writeFile(file, wholeConfiguration(folder, site({ listen, folder })));
  const options = ['-p', folder, '-c', file];
  const { status, stderr } = spawnSync(PROGRAM, [...options, '-t'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`nginx refuses its configuration: ${stderr}`);
  const child = spawn(PROGRAM, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  const said = text(child.stderr);
  const ended = once(child, 'exit');
  const url = `http://${listen}`;
  // It may exit before it listens, if the port was taken meanwhile.
  await Promise.race([listens(url), ended.then(async () => Promise.reject(new Error(await said)))]);
  return {
    url,
    async logText() {
      const logs = (await readdir(folder)).filter((name) => name.endsWith('.log'));
      const texts = await Promise.all(logs.map((name) => readFile(join(folder, name), 'utf8')));
      return texts.join('');
    },
    async stop() {
      child.kill('SIGQUIT');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs one foreground process, which keeps its user and writes only below the folder. */
const wholeConfiguration = (folder: string, site: string): string => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 64; }
http {
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  scgi_temp_path ${folder}/scgi;
  uwsgi_temp_path ${folder}/uwsgi;
${site}
}
`;

/** Waits until the port accepts connections, whether for HTTP/1.1 or HTTP/2. */
async function listens(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
  }
}
