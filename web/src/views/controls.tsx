import type { Comparison } from '../address/address.ts';
import { ITEMS } from '../address/address.ts';
import type { StreamState } from '../api/use-stream.ts';
import type { GroupChoice, MeterChoice } from '../data/choices.ts';
import { likeMeter } from '../data/choices.ts';
import { meterKind } from '../data/meter-kind.ts';
import type { ShownToppers } from '../data/shown-toppers.ts';
import { Choice, type ChoiceOption } from '../parts/choice.tsx';
import { FilterBox, FilterChips } from './filter-box.tsx';
import { RankingChoice } from './ranking-choice.tsx';
import type { ViewProps } from './view-props.ts';
import { WindowControls } from './window-controls.tsx';

type ControlsProps = ViewProps & {
  readonly shown: ShownToppers | null;
  readonly isLoading: boolean;
  readonly stream: StreamState;
  readonly isFilterRefused: boolean;
  readonly onReload: () => void;
};

const COMPARED: readonly { readonly value: Comparison; readonly label: string }[] = [
  { value: 'before', label: 'The time before' },
  { value: 'day', label: 'A day earlier' },
  { value: 'week', label: 'A week earlier' },
];

/** What is looked at: of which group, by which meter, when, and which of its keys. */
export function Controls(props: ControlsProps) {
  const { address, navigate, choice, group } = props;
  return (
    <fieldset class="controls" aria-label="What is shown">
      <Choice
        label="Group"
        value={address.group ?? ''}
        options={groupOptions(choice?.counterGroups ?? [])}
        onChoose={(guid) => {
          const next = choice?.counterGroups.find((each) => each.guid === guid) ?? null;
          const like = next && likeMeter(next, group?.meters.find(isChosen) ?? null);
          navigate.go({ ...OTHER_KEYS, group: guid, meter: like?.index ?? null });
        }}
      />
      <Choice
        label="Meter"
        value={String(address.meter ?? 0)}
        options={(group?.meters ?? []).map(meterOption)}
        onChoose={(index) => navigate.go({ meter: Number(index) })}
      />
      <RankingChoice {...props} />
      {choiceOfProbe(props)}
      <WindowControls {...props} />
      <Choice
        label="Compared with"
        value={address.compare}
        options={COMPARED}
        onChoose={(value) =>
          navigate.go({ compare: COMPARED.find((each) => each.value === value)?.value ?? 'before' })
        }
      />
      <Choice
        label="Keys"
        value={String(address.items)}
        options={ITEMS.map((count) => ({ value: String(count), label: `Top ${count}` }))}
        onChoose={(count) => navigate.go({ items: Number(count) })}
      />
      <FilterBox {...props} />
      <FilterChips {...props} />
    </fieldset>
  );

  function isChosen({ index }: MeterChoice): boolean {
    return index === address.meter;
  }
}

/** Keys of one group are none of another. */
const OTHER_KEYS = { filter: null, hidden: [], key: null } as const;

const groupOptions = (groups: readonly GroupChoice[]): readonly ChoiceOption[] => [
  ...groups.filter(({ keyKind }) => keyKind !== 'CROSSKEY').map((group) => groupOption(group)),
  ...groups
    .filter(({ keyKind }) => keyKind === 'CROSSKEY')
    .map((group) => ({ ...groupOption(group), heading: 'Pairs' })),
];

const groupOption = ({ guid, name }: GroupChoice): ChoiceOption => ({ value: guid, label: name });

const meterOption = ({ index, name, units, type }: MeterChoice): ChoiceOption => ({
  value: String(index),
  label: name.toLowerCase().includes(units.toLowerCase()) ? name : `${name} (${units})`,
  disabled: meterKind(type) === 'invalid',
});

/** Only where there is more than one to choose. */
function choiceOfProbe({ address, navigate, choice }: ControlsProps) {
  const probes = choice?.probes ?? [];
  if (probes.length === 0 && address.probe === null) return null;
  return (
    <Choice
      label="Probe"
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
