import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { LIMITS } from '../../domain/limits.ts';
import { SETTING_NAMES } from '../../server/settings/settings.ts';

const read = (path: string): string => readFileSync(join(projectRoot(), path), 'utf8');

const unit: ReadonlyMap<string, string> = new Map(
  read('deploy/countergraph.service')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
);

it('the unit gives the service enough time to shut down', () => {
  const { shutdownSeconds, traceFlushMs, processEndMs, embeddedStopMs, collectEndMs } = LIMITS;
  const serving = shutdownSeconds + (traceFlushMs + processEndMs) / 1000;
  const needed = Math.max(serving, collectEndMs / 1000) + embeddedStopMs / 1000;
  expect(Number(unit.get('TimeoutStopSec'))).toBeGreaterThan(needed);
  // A signal to all processes would stop the embedded server before the requests.
  expect(unit.get('KillMode')).toBe('mixed');
  expect(unit.get('KillSignal')).toBe('SIGTERM');
  expect(unit.get('Restart')).toBe('on-failure');
});

it('the unit runs the program that package.json names', () => {
  const { bin } = JSON.parse(read('package.json'));
  const folder = unit.get('WorkingDirectory');
  expect(unit.get('ExecStart')).toBe(`/usr/bin/node ${folder}/${bin.countergraph} serve`);
});

it.each([
  ['DynamicUser', 'yes'],
  ['NoNewPrivileges', 'yes'],
  ['ProtectSystem', 'strict'],
  ['ProtectHome', 'yes'],
  ['CapabilityBoundingSet', ''],
  ['SystemCallFilter', '@system-service'],
])('the unit is hardened: %s=%s', (name, value) => {
  expect(unit.get(name)).toBe(value);
});

it('the unit keeps data where it may write', () => {
  expect(unit.get('Environment')).toContain(
    `COUNTERGRAPH_DATA_DIR=/var/lib/${unit.get('StateDirectory')}/`,
  );
});

it('the unit of the collector gives it time for its last commit', () => {
  const collector = read('deploy/countergraph-collect.service');
  const { bin } = JSON.parse(read('package.json'));
  const program = `/usr/bin/node /opt/countergraph/${bin.countergraph}`;
  expect(collector).toContain(`\nExecStart=${program} collect --context flows\n`);
  const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(collector) ?? [];
  expect(Number(seconds) * 1000).toBeGreaterThan(LIMITS.feedLastCommitMs);
});

it('the unit of nfcapd calls an existing script, for the folder that it may write', () => {
  const nfcapd = read('deploy/countergraph-nfcapd.service');
  const [, folder, script, argument] =
    /^ExecStart=\/usr\/bin\/nfcapd .*-w (\S+) -x "\/opt\/countergraph\/(\S+) (\S+) flows"$/m.exec(
      nfcapd,
    ) ?? [];
  expect(read(script ?? '')).toMatch(/^#!\/bin\/sh\n/);
  expect(argument).toBe(folder);
  expect(folder).toBe(`/var/lib/${/^StateDirectory=(.*)$/m.exec(nfcapd)?.[1]}`);
  const { bin } = JSON.parse(read('package.json'));
  expect(nfcapd).toContain(`COUNTERGRAPH=/usr/bin/node /opt/countergraph/${bin.countergraph}"`);
});

it.each(['docs/how-to/deploy.md', 'deploy/README.md', 'deploy/countergraph.service'])(
  '%s names only settings that exist',
  (path) => {
    const named = read(path).match(/\bCOUNTERGRAPH_[A-Z_]+\b|\bDATABASE_URL\b/g) ?? [];
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
  },
);
