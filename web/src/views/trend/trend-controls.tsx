import { formatStep, parseStep } from '../../address/step.ts';
import { groupOf, type Span } from '../../data/choices.ts';
import { windowSeconds } from '../../data/questions.ts';
import type { Refusal } from '../../data/refusal.ts';
import { chooseEvery, offeredSteps } from '../../data/trend/choose-every.ts';
import { hiddenInTrend, TREND_ITEMS, trendItems } from '../../data/trend/trend-question.ts';
import { longDuration } from '../../format/moment.ts';
import { Choice } from '../../parts/choice.tsx';
import { ControlsLine } from '../controls/controls-line.tsx';
import { FilterBar } from '../controls/filter-bar.tsx';
import { ProbeChoice, SubjectChoices } from '../controls/subject-choices.tsx';
import { WindowControls } from '../controls/window-controls.tsx';
import type { ViewProps } from '../view-props.ts';

type TrendControlsProps = ViewProps & {
  readonly span: Span | null;
  readonly isLoading: boolean;
  readonly refusal: Refusal | null;
  readonly labels: ReadonlyMap<string, string>;
  readonly onReload: () => void;
};

/** Controls for what is shown, and for the steps. */
export function TrendControls(props: TrendControlsProps) {
  const { address, navigate } = props;
  return (
    <>
      <FilterBar {...props} address={{ ...address, hidden: hiddenInTrend(address) }} />
      <ControlsLine {...props}>
        <SubjectChoices {...props} />
        <ProbeChoice {...props} />
        <WindowControls {...props} stream={null} />
        <StepChoice {...props} />
        <Choice
          label="Keys"
          value={String(trendItems(address))}
          options={TREND_ITEMS.map((count) => ({ value: String(count), label: `Top ${count}` }))}
          onChoose={(count) => navigate.go({ items: Number(count) })}
        />
      </ControlsLine>
    </>
  );
}

function StepChoice({ address, navigate, choice }: ViewProps) {
  const seconds = windowSeconds(address, choice);
  const group = groupOf(choice, address.group);
  const lengths = new Set(offeredSteps(seconds, group));
  if (address.step !== null) lengths.add(address.step);
  return (
    <Choice
      label="Steps of"
      value={address.step === null ? '' : formatStep(address.step)}
      options={[
        { value: '', label: `${longDuration(chooseEvery(seconds, group))} (automatic)` },
        ...[...lengths]
          .sort((a, b) => a - b)
          .map((each) => ({ value: formatStep(each), label: longDuration(each) })),
      ]}
      onChoose={(text) => navigate.go({ step: parseStep(text) })}
    />
  );
}
