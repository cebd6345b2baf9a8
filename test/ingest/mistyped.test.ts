import { afterEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../support/programs/run-command.ts';

// A mistake is found before a database is opened: there is none at this address.
vi.stubEnv('DATABASE_URL', 'postgres://127.0.0.1:1/none');
afterEach(() => vi.restoreAllMocks());

const context = ['--context', 'lab'];

describe('an empty name is a mistake:', () => {
  const commands = [
    ['user', 'add', ''],
    ['user', 'add', 'ada', '--context', ''],
    ['user', 'add', 'ada', '--context', 'lab', '--context', ''],
    ['user', 'rotate', ''],
    ['user', 'revoke', '', ...context],
    ['user', 'revoke', 'ada', '--context', ''],
    ['user', 'remove', ''],
    ['audit', '--user', ''],
    ['alerts', 'list', '--context', ''],
    ['alerts', 'test', ...context, '--alert', '', '--from', '2026-07-15'],
    ['slices', 'list', '--context', ''],
    ['slices', 'list', ...context, '--slice', ''],
    ['slices', 'archive', ...context, '--pool', ''],
    ['labels', '--context', '', '--format', 'csv', 'labels.csv'],
    ['import', '--context', '', '--format', 'samples', 'lines'],
    ['import', ...context, '--probe', '', '--format', 'samples', 'lines'],
    ['export', '--context', ''],
    ['compact', '--context', ''],
    ['verify', '--context', ''],
    ['rebuild', '--context', ''],
    ['parity', '--user', '', '--legacy-token', 'x', '--token', 'x'],
  ];

  it.each(commands.map((command) => [command]))('%j', async (command) => {
    const { status, out, err } = await runCommand(command);
    expect([status, out]).toEqual([2, []]);
    expect(err).toEqual([expect.stringMatching(/^countergraph: .*'' is invalid.* It must/)]);
  });
});

describe('a token that somebody chooses', () => {
  it.each([
    [['--token', 'x'.repeat(19)], /20 characters or more, got 19: leave it out/],
    [['--token', 'x'.repeat(20), '--legacy-token', 'x'], /'--legacy-token <token>' cannot be used/],
    [['--legacy-token', ''], /printable ASCII/],
  ])('%j is a mistake', async (more, reason) => {
    const { status, err } = await runCommand(['user', 'add', 'ada', ...more]);
    expect([status, err]).toEqual([2, [expect.stringMatching(reason)]]);
    expect(err.join()).not.toContain('xxx');
  });
});

describe('help', () => {
  const written = () => {
    const write = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    return () => write.mock.calls.join('');
  };

  it.each([
    [['help'], 'countergraph [options] [command]'],
    [['help', 'import'], 'countergraph import [options]'],
    [['help', 'user'], 'countergraph user [options] [command]'],
  ])('%j shows help', async (command, usage) => {
    const text = written();
    expect((await runCommand(command)).status).toBe(0);
    expect(text()).toContain(`Usage: ${usage}`);
  });

  it('for a mistyped command suggests another one', async () => {
    expect(await runCommand(['help', 'imprt'])).toEqual(await runCommand(['imprt']));
    expect(await runCommand(['help', 'imprt'])).toEqual({
      status: 2,
      out: [],
      err: ["countergraph: unknown command 'imprt' (Did you mean import?); see --help"],
    });
  });
});
