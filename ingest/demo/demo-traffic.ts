import type { KeyText } from '../../domain/keys/key-text.ts';
import { type EpochSeconds, floorTo, type Interval } from '../../domain/time/interval.ts';
import type { Flow } from '../flows/flow.ts';
import { HABITS, type Habit } from './demo-habits.ts';
import type { DemoHost, DemoOffice } from './demo-office.ts';
import type { Random } from './random.ts';

const MINUTE_SECONDS = 60;

/** Generates the flows of the office within `time`, minute by minute. No flow ends after it. */
export function* demoFlows(office: DemoOffice, time: Interval, random: Random): Generator<Flow> {
  yield* flowsOf(HABITS, 1, { office, time, random });
}

/** How many minutes of a past day one minute of its outline stands for. */
const DAY_WEIGHT = 90;

/** Generates the office's flows within `time`, those of its days in outline. No flow ends later. */
export function* demoPast(office: DemoOffice, time: Interval, random: Random): Generator<Flow> {
  const isNight = ({ clock }: Habit) => clock === 'night';
  const of = { office, time, random };
  yield* flowsOf(
    HABITS.filter((habit) => !isNight(habit)),
    DAY_WEIGHT,
    of,
  );
  yield* flowsOf(HABITS.filter(isNight), 1, of);
}

type Traffic = { readonly office: DemoOffice; readonly time: Interval; readonly random: Random };

/** Generates the flows of one minute for each `weight` minutes, spread over them. */
function* flowsOf(
  habits: readonly Habit[],
  weight: number,
  { office, time, random }: Traffic,
): Generator<Flow> {
  const seconds = MINUTE_SECONDS * weight;
  for (let step = time.from; step < time.to; step += seconds) {
    for (const habit of habits) {
      const expected = habit.rate * activity(habit.clock, step);
      // Half a flow per minute means one flow every other minute.
      const count = Math.floor(expected * (0.6 + 0.8 * random.next()) + random.next());
      for (let i = 0; i < count; i += 1) {
        yield flowOf(habit, { office, random, step, weight, end: time.to });
      }
    }
  }
}

const DAY_SECONDS = 86_400;

/** When the nightly copy of the file server begins and ends, in seconds since midnight (UTC). */
const COPY = { from: 1.5 * 3600, to: 3.5 * 3600 };

const PIECE_SECONDS = 900;

/** Bytes of a quarter of an hour of the copy: usually, and in the last night. */
const PIECE_BYTES = { usual: 3e8, last: 3e9 };

/**
 * Generates what the office's file server copies each night to one host outside, over one port.
 * In the last night it is far more than before.
 */
export function* nightlyCopies({ servers, services }: DemoOffice, time: Interval): Generator<Flow> {
  const [vault] = services.vault;
  if (!vault) return;
  const lastNight = floorTo(time.to - COPY.from - PIECE_SECONDS, DAY_SECONDS);
  for (let night = floorTo(time.from, DAY_SECONDS); night <= lastNight; night += DAY_SECONDS) {
    for (let at = night + COPY.from; at < night + COPY.to; at += PIECE_SECONDS) {
      if (at < time.from || at + PIECE_SECONDS > time.to) continue;
      yield {
        startUs: at * 1e6,
        durationUs: PIECE_SECONDS * 1e6,
        protocol: 6,
        ports: { source: null, destination: 873 },
        portRule: 'destination',
        originator: side(
          servers.files.ipv4,
          night === lastNight ? PIECE_BYTES.last : PIECE_BYTES.usual,
        ),
        responder: side(vault.ipv4, 3e6),
      };
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
  /** When the step begins, and how many minutes it has and flows one stands for. */
  readonly step: EpochSeconds;
  readonly weight: number;
  readonly end: EpochSeconds;
};

function flowOf(habit: Habit, { office, random, step, weight, end }: Moment): Flow {
  const { protocol, ports } = habit;
  const startUs = Math.min(end * 1e6 - 1, step * 1e6 + random.below(weight * MINUTE_SECONDS * 1e6));
  const [from, to] = addresses(habit, office, random);
  const sent = sumAround(random, weight, habit.sent, 0.8);
  const answered = sumAround(random, weight, habit.answered, 1.1);
  const atOnceUs = random.around(habit.seconds, 0.9) * 1e6;
  const oneByOneUs = weight > 1 ? (sent + answered) / OUTLINE_RATE : 0;
  const wholeUs = Math.max(atOnceUs, oneByOneUs);
  const durationUs = Math.min(wholeUs, end * 1e6 - startUs);
  // What would come after the end is left out.
  const part = wholeUs > 0 ? durationUs / wholeUs : 1;
  return {
    startUs,
    durationUs: Math.floor(durationUs),
    protocol,
    ports: ports.length > 0 ? { source: null, destination: random.pick(ports) } : null,
    portRule: 'destination',
    originator: side(from, part * sent),
    responder: side(to, part * answered),
    ...(weight > 1 && { connections: weight }),
  };
}

/** Bytes in a microsecond of a flow that stands for many, which would not all come at once. */
const OUTLINE_RATE = 0.5;

/** The sum of about so many values around a median: the more, the closer to that of their means. */
const sumAround = (random: Random, count: number, median: number, spread: number): number =>
  count *
  random.around(median * Math.exp((spread ** 2 / 2) * (1 - 1 / count)), spread / Math.sqrt(count));

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
