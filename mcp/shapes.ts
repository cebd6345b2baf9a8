import { z } from 'zod';
import { isoTime } from '../domain/time/iso-time.ts';
import type { Interval } from './graph.ts';
import type { KnownGroup, KnownMeter, NamedGroup } from './names/known-context.ts';
import { quoted } from './text/lines.ts';
import { addsUp, ruleOf } from './text/meter-rules.ts';

/** Parts shared by the answers of several tools. */

const digits = z.union([z.int(), z.string()]).describe('An integer; a string beyond 2^53 - 1.');

export const amount = () => digits;

export const windowShape = z.object({
  from: z.int().describe('Seconds since 1970-01-01T00:00:00Z.'),
  to: z.int().describe('Not included.'),
  fromTime: z.string().describe('ISO 8601.'),
  toTime: z.string(),
});

export const windowOf = ({ from, to }: Interval): z.infer<typeof windowShape> => ({
  from,
  to,
  fromTime: isoTime(from),
  toTime: isoTime(to),
});

export const groupShape = z.object({ guid: z.string(), name: z.string() });

export const groupOf = ({ guid, name }: NamedGroup): z.infer<typeof groupShape> => ({ guid, name });

export const meterShape = z.object({
  index: z.int(),
  name: z.string(),
  units: z.string().describe('What all values of the answer are measured in.'),
  metric: z.string().describe('What a metric of this meter is.'),
  addsUp: z.boolean().describe('Whether the listed metrics and `others` add up to `total`.'),
});

export const meterOf = ({ index, name, units, type }: KnownMeter): z.infer<typeof meterShape> => ({
  index,
  name,
  units,
  metric: ruleOf(type),
  addsUp: addsUp(type),
});

/** Names the queried group and meter: `Hosts by 0 Total (bytes)`. */
export const subjectText = (group: KnownGroup, meter: KnownMeter): string =>
  `${group.name} by ${meter.name}${meter.units === '' ? '' : ` in ${meter.units}`}`;

export const keyShape = {
  key: z.string().describe('The raw key: pass it as `key`.'),
  readable: z.string(),
  label: z.string().optional().describe('Its name, if it has one.'),
};

export type NamedKey = {
  readonly key: string;
  readonly readable: string;
  readonly label: string;
};

export const keyOf = ({ key, readable, label }: NamedKey) => ({
  key,
  readable,
  ...(label !== readable && { label }),
});

/** Formats a key: `192.168.1.10 ("printer")`. */
export const keyText = ({ readable, label }: NamedKey): string =>
  label === readable ? readable : `${readable} (${quoted(label)})`;
