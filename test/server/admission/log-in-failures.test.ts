import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { AdmissionControl } from '../../../server/admission/admission-control.ts';
import { LoginFailures } from '../../../server/admission/login-failures.ts';

const HOME = '192.0.2.1';
const OFFICE = '198.51.100.1';

function counted({ perUser = 3, perAddress = 10 } = {}) {
  const clock = { ms: 5_000 };
  const limits = { perUser, perAddress, windowMs: 60_000 };
  return { clock, failures: new LoginFailures(limits, () => clock.ms) };
}

/** Fails a number of log-ins, the i-th with the username `of(i)`. */
function failTimes(
  failures: LoginFailures,
  times: number,
  from: string,
  of = (_: number) => 'ada',
) {
  for (let i = 0; i < times; i += 1) failures.fail(from, of(i));
}

describe('failed log-ins of several processes', () => {
  it('count together if each process hears of those in the others', () => {
    const limits = { perUser: 3, perAddress: 10, windowMs: 60_000 };
    const ours: LoginFailures = new LoginFailures(limits, undefined, (change) =>
      theirs.applyRemote(change),
    );
    const theirs: LoginFailures = new LoginFailures(limits, undefined, (change) =>
      ours.applyRemote(change),
    );
    failTimes(ours, 2, HOME);
    expect(theirs.waitSeconds(HOME, 'ada')).toBe(0);
    failTimes(theirs, 1, HOME);
    expect([ours, theirs].map((each) => each.waitSeconds(HOME, 'ada'))).toEqual([60, 60]);
  });

  it('report only the first of several successes of a user', () => {
    const told: string[] = [];
    const limits = { perUser: 3, perAddress: 10, windowMs: 60_000 };
    const failures = new LoginFailures(limits, undefined, ({ outcome }) => told.push(outcome));
    for (let i = 0; i < 3; i += 1) failures.succeed(HOME, 'ada');
    failTimes(failures, 1, HOME);
    for (let i = 0; i < 3; i += 1) failures.succeed(HOME, 'ada');
    expect(told).toEqual(['proved', 'failed', 'proved']);
  });

  it('are taken over by a process with another clock, for the remaining time', () => {
    const before = counted();
    failTimes(before.failures, 3, HOME);
    failTimes(before.failures, 7, HOME, (i) => `user ${i}`);
    before.failures.succeed(HOME, 'bob');
    before.clock.ms += 20_000;
    const after = counted();
    after.clock.ms = 77;
    after.failures.take(before.failures.counts());
    expect(after.failures.waitSeconds(HOME, 'ada')).toBe(40);
    expect(after.failures.waitSeconds(HOME, 'somebody')).toBe(40);
    expect(after.failures.waitSeconds(HOME, 'bob')).toBe(0);
  });
});

describe('failed log-ins at stand-ins for the primary', () => {
  const settings = { maxConcurrent: 8, maxWaitMs: 1_000, loginFailureSeconds: 60 };
  const createAdmissionControl = () =>
    new AdmissionControl({ ...settings, loginFailures: 3, loginFailuresPerAddress: 100 });
  const isLocked = (work: () => void) => {
    try {
      work();
      return false;
    } catch (error) {
      expect(error).toMatchObject({ kind: 'tooManyFailures' });
      return true;
    }
  };

  it('do not lock a user out of the primary', () => {
    const admission = createAdmissionControl().admit(HOME);
    for (let i = 0; i < 3; i += 1) admission.failed('ada', 'stand-in');
    expect(isLocked(() => admission.check('ada', 'stand-in'))).toBe(true);
    expect(isLocked(() => admission.proved('ada', 'stand-in'))).toBe(true);
    expect(isLocked(() => admission.check('ada', 'primary'))).toBe(false);
  });

  it('of many users block the address, except for users whom the primary has proved', () => {
    const admission = createAdmissionControl().admit(HOME);
    admission.proved('ada', 'primary');
    for (let i = 0; i < 100; i += 1) admission.failed(`user ${i}`, 'stand-in');
    expect(isLocked(() => admission.check('ada', 'stand-in'))).toBe(false);
    expect(isLocked(() => admission.check('bob', 'stand-in'))).toBe(true);
  });

  it.each([
    ['primary', false],
    ['stand-in', true],
  ] as const)('are not made up for by a right token there: %s', (at, expected) => {
    const admission = createAdmissionControl().admit(HOME);
    for (let i = 0; i < 3; i += 1) {
      admission.proved('ada', at);
      admission.failed('ada', at);
    }
    expect(isLocked(() => admission.check('ada', at))).toBe(expected);
  });
});

describe('failed log-ins', () => {
  it('are refused from the limit on, until the window ends', () => {
    const { clock, failures } = counted();
    failTimes(failures, 2, HOME);
    expect(failures.waitSeconds(HOME, 'ada')).toBe(0);
    failTimes(failures, 1, HOME);
    expect(failures.waitSeconds(HOME, 'ada')).toBe(60);
    clock.ms += 58_500;
    expect(failures.waitSeconds(HOME, 'ada')).toBe(2);
    clock.ms += 1_500;
    expect(failures.waitSeconds(HOME, 'ada')).toBe(0);
    failTimes(failures, 2, HOME);
    expect(failures.waitSeconds(HOME, 'ada')).toBe(0);
  });

  it('lock a user out only at the same address', () => {
    const { failures } = counted();
    failTimes(failures, 3, HOME);
    expect(failures.waitSeconds(OFFICE, 'ada')).toBe(0);
  });

  it('lock no other user out at the same address', () => {
    const { failures } = counted();
    failTimes(failures, 3, HOME);
    expect(failures.waitSeconds(HOME, 'bob')).toBe(0);
  });

  it('are forgotten after a success', () => {
    const { failures } = counted();
    failTimes(failures, 2, HOME);
    failures.succeed(HOME, 'ada');
    failTimes(failures, 2, HOME);
    expect(failures.waitSeconds(HOME, 'ada')).toBe(0);
  });

  it('of many users block the address, except for users who are known there', () => {
    const { failures } = counted();
    failures.succeed(HOME, 'ada');
    failTimes(failures, 10, HOME, (i) => `name ${i}`);
    expect(failures.waitSeconds(HOME, 'bob')).toBe(60);
    expect(failures.waitSeconds(HOME, 'ada')).toBe(0);
    expect(failures.waitSeconds(OFFICE, 'bob')).toBe(0);
    failTimes(failures, 3, HOME);
    expect(failures.waitSeconds(HOME, 'ada')).toBe(60);
  });

  it('without a name count for the address only: there is no token to guess', () => {
    const { failures } = counted();
    failTimes(failures, 9, HOME, () => '');
    expect(failures.waitSeconds(HOME, '')).toBe(0);
    failTimes(failures, 1, HOME, () => '');
    expect(failures.waitSeconds(HOME, '')).toBe(60);
  });

  it('with names that are too long count for one nonexistent user', () => {
    const { failures } = counted();
    const long = 'x'.repeat(LIMITS.nameLength + 1);
    failTimes(failures, 3, HOME, (i) => `${long}${i}`);
    expect(failures.waitSeconds(HOME, `${long}9`)).toBe(60);
    expect(failures.waitSeconds(HOME, 'x'.repeat(LIMITS.nameLength))).toBe(0);
  });

  it('of too many callers take no more memory: the oldest are forgotten', () => {
    const { failures } = counted({ perUser: 1, perAddress: 1 });
    failTimes(failures, 1, HOME);
    for (let i = 0; i < LIMITS.rememberedCallers; i += 1) failures.fail(`caller ${i}`, 'ada');
    expect(failures.waitSeconds(HOME, 'ada')).toBe(0);
    expect(failures.waitSeconds('caller 0', 'ada')).toBe(60);
  });
});
