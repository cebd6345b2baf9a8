import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../db/project-root.ts';
import { importFile } from '../../../ingest/files/import-file.ts';
import { fileSource } from '../../../ingest/files/import-source.ts';
import { labelFile } from '../../../ingest/labels/label-file.ts';
import type { TopperBody } from '../../support/http/answers.ts';
import { ENCODINGS } from '../../support/http/rest-parameters.ts';
import { ADA, CONTEXT, startTestService, type TestService } from '../../support/lab/service.ts';

const DATA = join(projectRoot(), '../shared/data');
const DAY = join(DATA, 'm57-2009-11-18');
const LATER = join(DATA, 'm57-2009-11-21');
const isThere = existsSync(DAY) && existsSync(LATER);
if (!isThere) console.warn(`skipped: the real traffic of ${DATA} is not there`);

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';
const APPS = '{C51B48D4-7876-479E-B0D9-BD9EFF03CE2E}';
/** The day of the first log, from its first bucket to the end of its last. */
const WINDOW = { window_fromts: 1_258_531_200, window_tots: 1_258_617_600 };

let service: TestService;

describe.skipIf(!isThere)('two days of real traffic', () => {
  beforeAll(async () => {
    service = await startTestService();
    const { databaseUrl } = service;
    const now = () => Math.floor(Date.now() / 1000);
    for (const log of [join(DAY, 'conn.log.gz'), join(LATER, 'conn.log')]) {
      const source = await fileSource(log);
      await importFile({ databaseUrl, context: CONTEXT, format: 'zeek', source, now });
    }
    for (const folder of [DAY, LATER]) {
      const source = await fileSource(join(folder, 'dns.log.gz'));
      await labelFile({ databaseUrl, context: CONTEXT, format: 'zeek-dns', source });
    }
    await service.addUser(ADA, [CONTEXT]);
  });

  afterAll(() => service.close());

  it('rank 192.168.1.105 first, in every encoding and in GraphQL', async () => {
    const answers = await Promise.all(
      ENCODINGS.map((encoding) =>
        service.ok<TopperBody>(
          'topper',
          { counter_group: HOSTS, maxitems: 1, ...WINDOW },
          { encoding },
        ),
      ),
    );
    for (const { keys, sysgrouptotal } of answers) {
      expect(keys[0]).toMatchObject({ key: 'C0.A8.01.69', metric: 795_091_773 });
      expect(795_091_773 + Number(sysgrouptotal)).toBe(1_725_039_564);
    }
    const { context } = await service.data<{ context: Record<string, unknown> }>(
      `query ($window: WindowInput) { context(name: "${CONTEXT}") {
        hosts: counterGroup(guid: "${HOSTS}") { topper(window: $window, maxItems: 1) {
          total keyCount keys { key metric } } }
        apps: counterGroup(guid: "${APPS}") { topper(window: $window, maxItems: 1) {
          total keys { key metric label } } }
      } }`,
      { window: { interval: { from: WINDOW.window_fromts, to: WINDOW.window_tots } } },
    );
    expect(context).toEqual({
      hosts: {
        topper: {
          total: 1_725_039_564,
          keyCount: 432,
          keys: [{ key: 'C0.A8.01.69', metric: 795_091_773 }],
        },
      },
      apps: {
        topper: {
          total: 862_513_118,
          keys: [{ key: '00.50', metric: 846_312_520, label: 'http' }],
        },
      },
    });
  });

  it('list all 432 addresses of the day, which add up to the total', async () => {
    const asked = { counter_group: HOSTS, maxitems: 10_000, ...WINDOW };
    const { keys, sysgrouptotal } = await service.topper(asked);
    expect(keys).toHaveLength(432);
    expect(sysgrouptotal).toBe(0);
    expect(keys.reduce((sum, { metric }) => sum + Number(metric), 0)).toBe(1_725_039_564);
  });

  it('show the names under which the outside hosts were looked up', async () => {
    const asked = { counter_group: HOSTS, maxitems: 2, ...WINDOW };
    const { keys } = await service.topper(asked);
    expect(keys[1]).toMatchObject({
      readable: '137.226.34.227',
      label: 'sunsite.informatik.rwth-aachen.de',
    });
  });

  it('lie in the slices of the days they touch', async () => {
    const { slices } = await service.ok<{ slices: { name: string }[] }>('slices');
    expect(slices.map(({ name }) => name)).toEqual([
      'slice-20091118-0000',
      'slice-20091119-0000',
      'slice-20091121-0000',
      'slice-20091122-0000',
    ]);
  });
});
