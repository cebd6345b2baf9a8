import { useMemo } from 'preact/hooks';
import { COMPARISONS } from '../../address/address.ts';
import type { StreamState } from '../../api/use-stream.ts';
import { COMPARED } from '../../data/earlier.ts';
import { shownLabel } from '../../data/key-parts.ts';
import { itemsOf, offeredItems } from '../../data/questions.ts';
import type { Refusal } from '../../data/refusal.ts';
import type { ShownToppers } from '../../data/shown-toppers.ts';
import { Choice } from '../../parts/choice.tsx';
import type { ViewProps } from '../view-props.ts';
import { ControlsLine } from './controls-line.tsx';
import { FilterBar } from './filter-bar.tsx';
import { NetworksChoice } from './networks-choice.tsx';
import { RankingChoice } from './ranking-choice.tsx';
import { ProbeChoice, SubjectChoices } from './subject-choices.tsx';
import { WindowControls } from './window-controls.tsx';

type ControlsProps = ViewProps & {
  readonly shown: ShownToppers | null;
  readonly isLoading: boolean;
  readonly stream: StreamState;
  readonly refusal: Refusal | null;
  readonly onReload: () => void;
};

/** Controls for what is shown: group, meter, time, and which keys. */
export function Controls(props: ControlsProps) {
  const { address, navigate, shown } = props;
  return (
    <>
      <FilterBar {...props} labels={useLabels(shown)} />
      <ControlsLine {...props}>
        <SubjectChoices {...props} />
        <RankingChoice {...props} />
        <NetworksChoice {...props} />
        <ProbeChoice {...props} />
        <WindowControls {...props} span={shown?.table.window ?? null} />
        <Choice
          label="Compared with"
          value={address.compare}
          options={COMPARISONS.map((value) => ({ value, label: COMPARED[value] }))}
          onChoose={(value) =>
            navigate.go({ compare: COMPARISONS.find((each) => each === value) ?? 'before' })
          }
        />
        <Choice
          label="Keys"
          value={String(itemsOf(address))}
          options={offeredItems(address).map((count) => ({
            value: String(count),
            label: `Top ${count}`,
          }))}
          onChoose={(count) => navigate.go({ items: Number(count) })}
        />
      </ControlsLine>
    </>
  );
}

/** Returns the labels of keys that are listed or hidden, by raw and by readable key. */
function useLabels(shown: ShownToppers | null): ReadonlyMap<string, string> {
  return useMemo(
    () =>
      new Map([
        ...(shown?.table.keys ?? []).flatMap((row): [string, string][] => {
          const label = shownLabel(row, shown?.group ?? null);
          return [
            [row.readable, label],
            [row.key, label],
          ];
        }),
        ...(shown?.hidden ?? []).map(({ key, label }): [string, string] => [key, label]),
      ]),
    [shown],
  );
}
