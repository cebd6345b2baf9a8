// Packs the program as it is published, installs it into empty folders with several package
// managers and versions of Node, and asks the demo of each installation for a topper.
// Parameters: which of `npm@20`, `pnpm@20` … to try; all of them if there are none.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';

import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ROOT } from './keep-built.mjs';

const ALL = ['npm@20', 'npm@22', 'npm@24', 'npm@26', 'pnpm@20', 'yarn@20'];

/** Newer lines of pnpm and yarn do not run on Node 20. */
const MANAGERS = ['pnpm@10', 'yarn@1'];

const START_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'countergraph-package-'));

function pack() {
  const parameters = ['pack', '--json', '--pack-destination', folder];
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(
    run('npm', parameters, { cwd: ROOT }).replace(/^[^[]*/, ''),
  );
  console.log(
    `the package: ${entryCount} files, ${megabytes(size)} packed, ${megabytes(unpackedSize)} unpacked`,
  );
  return join(folder, filename);
}

/** Returns false where the version of Node or the package manager could not be installed. */
async function tryInstallation(name, tarball) {
  const [manager, line] = name.split('@');
  const bin = binOfNode(line);
  const managers = manager === 'npm' ? null : installedManagers();
  if (bin === null || managers === undefined) {
    console.log(`${name}: could not be installed, and is not tried here`);
    return false;
  }
  const env = {
    ...process.env,
    PATH: [bin, managers, process.env.PATH].filter(Boolean).join(delimiter),
    npm_config_registry: run('npm', ['config', 'get', 'registry']).trim(),
  };
  const cwd = join(folder, name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n');
  const begun = performance.now();
  run(manager, INSTALL[manager](tarball), { cwd, env });
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const version = run('node', ['--version'], { cwd, env }).trim();
  await askDemo(cwd, env);
  console.log(
    `${name}: on Node ${version}, installed in ${seconds} s: ` +
      `${packagesIn(join(cwd, 'node_modules'))} packages; the demo answers`,
  );
  return true;
}

/** Each with a cache of its own or none, so that nothing of this machine is used. */
const INSTALL = {
  npm: (tarball) => ['install', '--no-audit', '--no-fund', '--cache', join(folder, 'npm'), tarball],
  pnpm: (tarball) => ['add', '--store-dir', join(folder, 'pnpm'), tarball],
  yarn: (tarball) => ['add', '--cache-folder', join(folder, 'yarn'), `file:${tarball}`],
};

/** Returns the folder of a release line's program, or null. npm has these as packages. */
function binOfNode(line) {
  if (process.versions.node.startsWith(`${line}.`)) return dirname(process.execPath);
  const prefix = join(folder, `node-${line}`);
  return installInto(prefix, [`node@${line}`]) ? join(prefix, 'node_modules', 'node', 'bin') : null;
}

/** Returns the folder of the other package managers' programs; undefined: there is none. */
function installedManagers() {
  const prefix = join(folder, 'managers');
  return installInto(prefix, MANAGERS) ? join(prefix, 'node_modules', '.bin') : undefined;
}

const installInto = (prefix, packages) =>
  spawnSync('npm', ['install', '--prefix', prefix, '--no-save', '--no-audit', ...packages], {
    stdio: ['ignore', 'ignore', 'inherit'],
  }).status === 0;

/** Starts the demo of an installation, with data of its own, and asks its pages and its API. */
async function askDemo(cwd, env) {
  const server = spawn(join(cwd, 'node_modules', '.bin', 'countergraph'), ['serve', '--demo'], {
    cwd,
    env: {
      ...env,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: '',
      COUNTERGRAPH_DATA_DIR: join(cwd, 'data'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => server.once('close', resolve));
  const output = { text: '' };
  try {
    const url = await addressOf(server, output);
    for (const path of ['/', '/graphql', '/api/openapi.json']) await get(url, path);
    await topper(url);
  } catch (error) {
    throw new Error(`${error.message}; the server printed:\n${output.text}`, { cause: error });
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
  if (server.exitCode !== 0) throw new Error(`the server ended with status ${server.exitCode}`);
}

function addressOf(server, output) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the server did not start in time')), START_MS);
    const note = (chunk) => {
      output.text += chunk;
      const url = /ready at (http:\S+)/.exec(output.text)?.[1];
      if (url === undefined) return;
      clearTimeout(late);
      resolve(url);
    };
    server.stdout.on('data', note);
    server.stderr.on('data', note);
    server.once('error', reject);
    server.once('exit', () => reject(new Error('the server ended')));
  });
}

async function get(url, path) {
  const { status } = await fetch(new URL(path, url), { headers: { accept: 'text/html, */*' } });
  if (status !== 200) throw new Error(`${path} has status ${status}`);
}

const TOPPER = `{ context(name: "demo") {
  counterGroup(guid: "{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}") {
    topper(window: { recentSeconds: 3600 }, maxItems: 2) { total keys { label metric } }
  }
} }`;

async function topper(url) {
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}`,
    },
    body: JSON.stringify({ query: TOPPER }),
  });
  const text = await response.text();
  const keys = JSON.parse(text).data?.context?.counterGroup?.topper?.keys;
  if (keys?.length !== 2) throw new Error(`the topper must have two keys, got ${text}`);
}

/** Counts the packages of an installation, also where the package manager uses links. */
function packagesIn(modules) {
  const installed = new Set();
  for (const file of readdirSync(modules, { recursive: true })) {
    const name = /(?:^|node_modules\/)((?:@[^/]+\/)?[^/@.][^/]*)\/package\.json$/.exec(file)?.[1];
    if (name !== undefined && !/(^|\/)\.bin\//.test(file)) installed.add(name);
  }
  return installed.size;
}

function run(program, parameters, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, {
    encoding: 'utf8',
    ...options,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

try {
  const tarball = pack();
  const tried = [];
  for (const name of process.argv.length > 2 ? process.argv.slice(2) : ALL) {
    if (await tryInstallation(name, tarball)) tried.push(name);
  }
  // A machine that cannot get the other versions must still have tried its own.
  if (tried.length === 0) throw new Error('The package was not tried: install Node 20 or newer');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
