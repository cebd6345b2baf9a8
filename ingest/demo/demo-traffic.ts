import type { KeyText } from '../../domain/keys/key-text.ts';
import type { EpochSeconds, Interval } from '../../domain/time/interval.ts';
import type { Flow } from '../flows/flow.ts';
import { HABITS, type Habit } from './demo-habits.ts';
import type { DemoHost, DemoOffice } from './demo-office.ts';
import type { Random } from './random.ts';

const MINUTE_SECONDS = 60;

/** Generates the flows of the office within `time`, minute by minute. No flow ends after it. */
export function* demoFlows(office: DemoOffice, time: Interval, random: Random): Generator<Flow> {
  for (let minute = time.from; minute < time.to; minute += MINUTE_SECONDS) {
    for (const habit of HABITS) {
      const expected = habit.rate * activity(habit.clock, minute);
      // Half a flow per minute means one flow every other minute.
      const count = Math.floor(expected * (0.6 + 0.8 * random.next()) + random.next());
      for (let i = 0; i < count; i += 1) {
        yield flowOf(habit, { office, random, minute, end: time.to });
      }
    }
  }
}

/** Returns how busy a habit is at a time of day (UTC), from 0 to 1. */
function activity(clock: Habit['clock'], at: EpochSeconds): number {
  const hour = (at / 3600) % 24;
  switch (clock) {
    case 'always':
      return 1;
    case 'night':
      return hour >= 1 && hour < 4 ? 1 : 0;
    case 'visitors':
      // Busiest at 19:00, quietest twelve hours before.
      return 0.55 + 0.45 * Math.cos(((hour - 19) * Math.PI) / 12);
    case 'work':
      return 0.04 + 0.96 * bell(hour, 10.5, 1.9) + 0.9 * bell(hour, 15, 1.8);
  }
}

/** A bell curve: 1 at `middle`, falling off on both sides. */
const bell = (hour: number, middle: number, width: number): number =>
  Math.exp(-(((hour - middle) / width) ** 2));

type Moment = {
  readonly office: DemoOffice;
  readonly random: Random;
  readonly minute: EpochSeconds;
  readonly end: EpochSeconds;
};

function flowOf(habit: Habit, { office, random, minute, end }: Moment): Flow {
  const { protocol, ports } = habit;
  const startUs = minute * 1e6 + random.below(MINUTE_SECONDS * 1e6);
  const durationUs = Math.round(random.around(habit.seconds, 0.9) * 1e6);
  const [originator, responder] = addresses(habit, office, random);
  return {
    startUs,
    durationUs: Math.min(durationUs, end * 1e6 - startUs),
    protocol,
    ports: ports.length > 0 ? { source: null, destination: random.pick(ports) } : null,
    portRule: 'destination',
    originator: side(originator, random.around(habit.sent, 0.8)),
    responder: side(responder, random.around(habit.answered, 1.1)),
  };
}

function addresses(habit: Habit, office: DemoOffice, random: Random): [KeyText, KeyText] {
  const from: DemoHost = habit.from(office, random);
  const to: DemoHost = habit.to(office, random);
  if (from.ipv6 !== null && to.ipv6 !== null && random.next() < habit.ipv6) {
    return [from.ipv6, to.ipv6];
  }
  return [from.ipv4, to.ipv4];
}

const PACKET_BYTES = 1_100;

function side(address: KeyText, size: number): Flow['originator'] {
  const bytes = Math.round(size);
  return { address, bytes, packets: Math.ceil(bytes / PACKET_BYTES) };
}
