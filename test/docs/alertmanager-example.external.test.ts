import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';

const run = promisify(execFile);

describe('the configuration of Alertmanager', () => {
  const file = join(projectRoot(), 'examples', 'alerts', 'alertmanager.yml');

  it('is valid for Alertmanager', async () => {
    const { stdout } = await run('amtool', ['check-config', file]);
    expect(stdout).toContain('SUCCESS');
  });

  it.each([
    ['warning', 'chat'],
    ['critical', 'on-call'],
    ['info', 'nobody'],
  ])('sends %s to %s', async (severity, receiver) => {
    const test = ['config', 'routes', 'test', `--config.file=${file}`, `severity=${severity}`];
    expect((await run('amtool', test)).stdout.trim()).toBe(receiver);
  });
});
