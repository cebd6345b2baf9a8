import { expect, it } from 'vitest';
import { NotificationTally } from '../../../server/alerts/notify/notification-metrics.ts';
import { WaitingCounter } from '../../../server/alerts/notify/notifier.ts';

it('waiting deliveries are counted for at most one percent of the time', async () => {
  let ms = 1000;
  let counts = 0;
  const query = async () => {
    counts += 1;
    ms += 40;
    return { rows: [{ kind: 'webhook', waiting: counts }] };
  };
  const tally = new NotificationTally();
  const counter = new WaitingCounter({
    onDatabase: (work) => work({ query } as never),
    tally,
    now: () => ms,
  });
  await counter.count();
  expect(tally.waiting('webhook')).toBe(1);
  ms += 3999;
  await counter.count();
  expect(tally.waiting('webhook')).toBe(1);
  ms += 1;
  await counter.count();
  expect(tally.waiting('webhook')).toBe(2);
});
