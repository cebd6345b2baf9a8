import { type GroupChoice, likeMeter, type MeterChoice, OTHER_KEYS } from '../../data/choices.ts';
import { meterKind } from '../../data/meter-kind.ts';
import { Choice, type ChoiceOption } from '../../parts/choice.tsx';
import type { ViewProps } from '../view-props.ts';

/** Chooses the group and the meter. */
export function SubjectChoices({ address, navigate, choice, group }: ViewProps) {
  return (
    <>
      <Choice
        label="Group"
        word="counter-group"
        value={address.group ?? ''}
        options={groupOptions(choice?.counterGroups ?? []).filter(
          // Only pairs flow from one to another.
          ({ heading }) => address.view !== 'flows' || heading !== undefined,
        )}
        onChoose={(guid) => {
          const next = choice?.counterGroups.find((each) => each.guid === guid) ?? null;
          const like = next && likeMeter(next, group?.meters.find(isChosen) ?? null);
          navigate.go({ ...OTHER_KEYS, group: guid, meter: like?.index ?? null });
        }}
      />
      <Choice
        label="Meter"
        word="meter"
        value={String(address.meter ?? 0)}
        options={(group?.meters ?? []).map(meterOption)}
        onChoose={(index) => navigate.go({ meter: Number(index) })}
      />
    </>
  );

  function isChosen({ index }: MeterChoice): boolean {
    return index === address.meter;
  }
}

export const groupOptions = (groups: readonly GroupChoice[]): readonly ChoiceOption[] => [
  ...groups.filter(({ keyKind }) => keyKind !== 'CROSSKEY').map((group) => groupOption(group)),
  ...groups
    .filter(({ keyKind }) => keyKind === 'CROSSKEY')
    .map((group) => ({ ...groupOption(group), heading: 'Pairs' })),
];

const groupOption = ({ guid, name }: GroupChoice): ChoiceOption => ({ value: guid, label: name });

export const meterOption = ({ index, name, units, type }: MeterChoice): ChoiceOption => ({
  value: String(index),
  label: name.toLowerCase().includes(units.toLowerCase()) ? name : `${name} (${units})`,
  disabled: meterKind(type) === 'invalid',
});

/** Chooses the probe, if there is any. */
export function ProbeChoice({ address, navigate, choice }: ViewProps) {
  const probes = choice?.probes ?? [];
  if (probes.length === 0 && address.probe === null) return null;
  return (
    <Choice
      label="Probe"
      word="probe"
      value={address.probe ?? ''}
      options={[
        { value: '', label: 'All probes' },
        ...[...new Set([...probes, ...(address.probe ? [address.probe] : [])])].map((probe) => ({
          value: probe,
          label: probe,
        })),
      ]}
      onChoose={(probe) => navigate.go({ probe: probe || null })}
    />
  );
}
