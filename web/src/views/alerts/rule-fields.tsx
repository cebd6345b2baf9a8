import { useId } from 'preact/hooks';
import type { AlertComparison } from '../../../generated/operations.ts';
import { windowLengths } from '../../data/alerts/rule-texts.ts';
import { thresholdUnits } from '../../data/alerts/threshold-units.ts';
import { groupOf, likeMeter, meterOf } from '../../data/choices.ts';
import { addsUp, meterKind } from '../../data/meter-kind.ts';
import { longDuration } from '../../format/moment.ts';
import { Choice } from '../../parts/choice.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { groupOptions, meterOption } from '../controls/subject-choices.tsx';
import type { RuleFieldsProps } from './alerts-props.ts';
import { FilterFields } from './filter-fields.tsx';

/** All fields of a rule: what it watches, when it fires, which keys count, what it is called. */
export function RuleFields(props: RuleFieldsProps) {
  const { texts } = props;
  return (
    <>
      <WatchedFields {...props} />
      <ConditionFields {...props} />
      {texts.comparison !== 'SILENT_SECONDS' && <FilterFields {...props} />}
      <NameFields {...props} />
    </>
  );
}

function WatchedFields({ texts, choice, onChange }: RuleFieldsProps) {
  const group = groupOf(choice, texts.group);
  const probes = [...new Set([...choice.probes, ...(texts.probe ? [texts.probe] : [])])];
  return (
    <fieldset>
      <legend>What it watches</legend>
      <div class="rule-row">
        <Choice
          label="Group"
          value={texts.group}
          options={groupOptions(choice.counterGroups)}
          onChoose={(guid) => {
            const next = groupOf(choice, guid);
            const meter = next && likeMeter(next, meterOf(group, texts.meter));
            if (!next || !meter) return;
            onChange({
              group: guid,
              meter: meter.index,
              windowSeconds: fitting(texts.windowSeconds, next.topperBucketSize),
            });
          }}
        />
        <Choice
          label="Meter"
          value={String(texts.meter)}
          options={(group?.meters ?? []).map(meterOption)}
          onChoose={(meter) => onChange({ meter: Number(meter) })}
        />
        {probes.length > 0 && (
          <Choice
            label="Probe"
            value={texts.probe}
            options={[
              { value: '', label: 'All probes' },
              ...probes.map((probe) => ({ value: probe, label: probe })),
            ]}
            onChoose={(probe) => onChange({ probe })}
          />
        )}
      </div>
    </fieldset>
  );
}

/** The length itself if it is a multiple of the topper bucket, or else the next one that is. */
const fitting = (seconds: number, topperBucketSize: number): number =>
  Math.ceil(seconds / topperBucketSize) * topperBucketSize;

const CONDITIONS: readonly (readonly [AlertComparison, string])[] = [
  ['KEY_ABOVE', 'A key is above'],
  ['KEY_NEW_ABOVE', 'A new key is above'],
  ['KEY_GROWS_BY', 'A key grows by more than'],
  ['KEY_SHARE_ABOVE', 'A key has a share above'],
  ['KEY_IN_TOP', 'A key is among the largest'],
  ['TOTAL_ABOVE', 'The total is above'],
  ['TOTAL_BELOW', 'The total is below'],
  ['SILENT_SECONDS', 'No new data for more than'],
];

function ConditionFields(props: RuleFieldsProps) {
  const { texts, choice, faults, onChange } = props;
  const group = groupOf(choice, texts.group);
  const meter = meterOf(group, texts.meter);
  const isSum = meter === null || addsUp(meterKind(meter.type));
  const fault = faults.get('condition') ?? faults.get('meter') ?? faults.get('windowSeconds');
  return (
    <fieldset>
      <legend>When it fires</legend>
      <div class="rule-row">
        <Choice
          label="Condition"
          value={texts.comparison}
          options={CONDITIONS.filter(([value]) => isSum || value !== 'KEY_SHARE_ABOVE').map(
            ([value, label]) => ({ value, label }),
          )}
          onChoose={(value) => onChange({ comparison: value as AlertComparison })}
        />
        <ThresholdField {...props} />
        {texts.comparison !== 'SILENT_SECONDS' && (
          <Choice
            label="In a window of"
            value={String(texts.windowSeconds)}
            options={windowLengths(texts, group).map((seconds) => ({
              value: String(seconds),
              label: longDuration(seconds),
            }))}
            onChoose={(seconds) => onChange({ windowSeconds: Number(seconds) })}
          />
        )}
      </div>
      <p class="edit-fault" role="alert">
        {fault}
      </p>
    </fieldset>
  );
}

/** A number and its unit; below, what the server compares, in all digits. */
function ThresholdField({ texts, said, address, faults, onChange }: RuleFieldsProps) {
  const id = useId();
  const units = said ? thresholdUnits(said, address.units) : [];
  const fault = faults.get('threshold') ?? null;
  const chosen = units.find(({ name }) => name === texts.unit) ?? units[0];
  return (
    <div class="field">
      <label class="field-label" for={id}>
        Threshold
      </label>
      <div class="joined">
        <input
          id={id}
          class="rule-amount"
          type="text"
          inputMode="decimal"
          required
          autoComplete="off"
          value={texts.amount}
          aria-invalid={fault !== null}
          aria-describedby={`${id}-fault`}
          onInput={({ currentTarget }) => onChange({ amount: currentTarget.value })}
        />
        {units.length > 1 && (
          <select
            aria-label="Unit"
            value={chosen?.name}
            onChange={({ currentTarget }) => onChange({ unit: currentTarget.value })}
          >
            {units.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
        {units.length === 1 && chosen && chosen.name !== '' && (
          <span class="rule-unit">{chosen.name}</span>
        )}
      </div>
      <p class="edit-fault" id={`${id}-fault`} role="alert">
        {fault}
      </p>
    </div>
  );
}

function NameFields({ texts, faults, onChange }: RuleFieldsProps) {
  const field = (name: 'name' | 'severity' | 'description' | RowField) => ({
    value: texts[name],
    onInput: (value: string) => onChange({ [name]: value }),
    fault: faults.get(name) ?? null,
  });
  const isSilence = texts.comparison === 'SILENT_SECONDS';
  const isOfKeys = texts.comparison.startsWith('KEY_');
  return (
    <fieldset>
      <legend>What it is called</legend>
      <div class="rule-row">
        <TextField label="Name" required {...field('name')} />
        <TextField
          label="Severity"
          known={['critical', 'major', 'warning', 'minor', 'info']}
          {...field('severity')}
        />
      </div>
      <TextField label="Description" {...field('description')} />
      <div class="rule-row">
        {!isSilence && (
          <>
            <TextField label="Begins after windows in a row" {...field('forWindows')} />
            <TextField label="Ends after windows without" {...field('clearWindows')} />
          </>
        )}
        {isOfKeys && <TextField label="Most keys at once" {...field('maxKeys')} />}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={texts.enabled}
          onChange={({ currentTarget }) => onChange({ enabled: currentTarget.checked })}
        />
        Enabled
      </label>
    </fieldset>
  );
}

type RowField = 'forWindows' | 'clearWindows' | 'maxKeys';
