import type { Units } from '../../address/address.ts';
import { viewerZone } from '../../format/moment.ts';
import { Choice, Radios } from '../../parts/choice.tsx';
import { Popover } from '../../parts/popover.tsx';
import type { ViewProps } from '../view-props.ts';

const AMOUNTS = [
  { value: 'bytes', label: 'Bytes' },
  { value: 'bits', label: 'Bits' },
] as const;

const RATES = [
  { value: 'bits', label: 'bit/s' },
  { value: 'bytes', label: 'bytes/s' },
] as const;

const BASES = [
  { value: 1000, label: '1000 (k, M, G)' },
  { value: 1024, label: '1024 (Ki, Mi, Gi)' },
] as const;

/** Chooses the units of numbers and the time zone. */
export function UnitsMenu({ address, navigate, moments }: ViewProps) {
  const { units } = address;
  const change = (changes: Partial<Units>) => navigate.amend({ units: { ...units, ...changes } });
  return (
    <Popover
      class="is-right"
      name="Units and time zone"
      label={
        <>
          <span class="sr-only">Units and time zone: </span>
          {units.amounts === 'bytes' ? 'B' : 'bit'}, {units.rates === 'bits' ? 'bit/s' : 'B/s'}
          <span class="wide-only"> · {zoneName(moments.zone)}</span>
        </>
      }
    >
      {() => (
        <div class="units">
          <Radios
            legend="Data amounts in"
            name="amounts"
            value={units.amounts}
            options={AMOUNTS}
            onChoose={(amounts) => change({ amounts })}
          />
          <Radios
            legend="Data rates in"
            name="rates"
            value={units.rates}
            options={RATES}
            onChoose={(rates) => change({ rates })}
          />
          <Radios
            legend="Unit prefixes"
            name="base"
            value={units.base}
            options={BASES}
            onChoose={(base) => change({ base })}
          />
          <Choice
            label="Time zone"
            value={moments.zone}
            options={zones(moments.zone).map((zone) => ({ value: zone, label: zoneName(zone) }))}
            onChoose={(zone) => navigate.amend({ zone })}
          />
        </div>
      )}
    </Popover>
  );
}

const zoneName = (zone: string): string => zone.replaceAll('_', ' ');

/** Returns the zones, the most likely choices first. */
const zones = (chosen: string): readonly string[] => [
  ...new Set([viewerZone(), 'UTC', chosen, ...Intl.supportedValuesOf('timeZone')]),
];
