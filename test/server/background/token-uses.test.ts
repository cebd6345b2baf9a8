import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TokenUses } from '../../../server/admission/token-uses.ts';
import { keepTokenUses } from '../../../server/background/token-uses.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { rowsOf } from '../../support/database/rows-of.ts';
import { collectingStream } from '../../support/http/collecting-stream.ts';
import { group, startLab } from '../../support/lab/lab.ts';
import { startTestService, type TestService } from '../../support/lab/service.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
});

afterAll(() => lab.close());

beforeEach(() => lab.sql('update tokens set last_used_at = null'));

const isUsed = async () => {
  const [row] = await rowsOf<{ isUsed: boolean }>(
    lab.databaseUrl,
    `select last_used_at is not null as "isUsed" from tokens`,
  );
  return row?.isUsed;
};

const VIEWER = '{ viewer { username } }';

describe('the last use of a token', () => {
  it('is written by no request, with one statement for all, and when the server ends', async () => {
    const other = await startTestService({ databaseUrl: lab.databaseUrl });
    await other.data(VIEWER);
    await other.data(VIEWER);
    expect(await isUsed()).toBe(false);
    await other.close();
    expect(await isUsed()).toBe(true);
  });

  it('is not that of a token that was wrong', async () => {
    const headers = { authorization: `Basic ${Buffer.from('ada:wrong').toString('base64')}` };
    expect((await lab.graphql(VIEWER, {}, headers)).status).toBe(401);
    await lab.keepTokenUsesNow();
    expect(await isUsed()).toBe(false);
  });

  it('is kept until the database can be reached', async () => {
    const tokenUses = new TokenUses();
    const [token] = await lab.sql<{ digest: Buffer }>('select digest from tokens');
    tokenUses.note('ada', token?.digest ?? Buffer.alloc(0));
    const log = createLog('silent', collectingStream([]));
    const on = (databaseUrl: string) =>
      keepTokenUses({ databaseUrl, log, tokenUses, delays: null });
    await on('postgres://127.0.0.1:9/nowhere').runOnce();
    expect(await isUsed()).toBe(false);
    await on(lab.databaseUrl).runOnce();
    expect([await isUsed(), tokenUses.take()]).toEqual([true, []]);
  });

  it('is forgotten on a database that is read-only, without an error', async () => {
    const tokenUses = new TokenUses();
    tokenUses.note('ada', Buffer.alloc(32));
    const url = new URL(lab.databaseUrl);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const lines: string[] = [];
    const log = createLog('debug', collectingStream(lines));
    const work = keepTokenUses({ databaseUrl: url.href, log, tokenUses, delays: null });
    await work.runOnce();
    expect([lines, tokenUses.take()]).toEqual([[], []]);
  });
});
