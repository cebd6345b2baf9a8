import { useState } from 'preact/hooks';
import {
  RECENT_SECONDS,
  WINDOW_NAMES,
  type WindowChoice,
  type WindowName,
} from '../../address/window-choice.ts';
import type { Span } from '../../data/choices.ts';
import { minuteField, parseMinuteField } from '../../format/moment.ts';
import { windowLabel } from '../../format/window-label.ts';
import type { ViewProps } from '../view-props.ts';
import { Calendar } from './calendar.tsx';

type WindowPickerProps = ViewProps & {
  /** The window that is shown now. */
  readonly span: Span | null;
  readonly onChoose: (window: WindowChoice) => void;
};

const NAMES = Object.keys(WINDOW_NAMES) as WindowName[];

/** Offers windows by name, by days of the calendar, or to the minute. */
export function WindowPicker({ address, moments, choice, span, onChoose }: WindowPickerProps) {
  const stored = choice?.totalWindow ?? null;
  // A live view moves on while the picker is open; the fields do not.
  const [first] = useState(span);
  const [from, setFrom] = useState(first ? minuteField(first.from, moments) : '');
  const [to, setTo] = useState(first ? minuteField(first.to, moments) : '');
  const [fault, setFault] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    const window = {
      from: parseMinuteField(from, first?.from ?? null, moments),
      to: parseMinuteField(to, first?.to ?? null, moments),
    };
    if (window.from === null || window.to === null) {
      setFault('Enter both a start and an end.');
    } else if (window.to <= window.from) {
      setFault('The end must be after the start.');
    } else {
      onChoose({ kind: 'interval', from: window.from, to: window.to });
    }
  };
  const preset = (window: WindowChoice) => (
    <li>
      <button
        type="button"
        class="preset"
        aria-pressed={JSON.stringify(window) === JSON.stringify(address.window)}
        onClick={() => onChoose(window)}
      >
        {windowLabel(window, moments)}
      </button>
    </li>
  );
  return (
    <div class="picker">
      <ul class="presets" aria-label="Named windows">
        {RECENT_SECONDS.map((seconds) => preset({ kind: 'recent', seconds }))}
        {NAMES.map((name) => preset({ kind: 'named', name }))}
      </ul>
      <div class="picker-days">
        <Calendar
          zone={moments.zone}
          from={from}
          to={to}
          stored={stored && { from: moments.field(stored.from), to: moments.field(stored.to - 1) }}
          onChoose={(first, last) => {
            setFrom(first);
            setTo(last);
            setFault('');
          }}
        />
        <form class="picker-fields" onSubmit={submit}>
          <MomentField label="From" value={from} onInput={setFrom} />
          <MomentField label="To" value={to} onInput={setTo} />
          <p class="picker-fault" role="alert">
            {fault}
          </p>
          <div class="picker-end">
            <p class="hint">
              Times are in {moments.zone.replaceAll('_', ' ')}. “Last …” windows end with the newest
              data
              {stored && `, ${moments.full(stored.to)}`}.
            </p>
            <button type="submit" class="button is-primary">
              Show
            </button>
          </div>
        </form>
      </div>
    </div>
  );
}

type MomentFieldProps = {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
};

function MomentField({ label, value, onInput }: MomentFieldProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <input
        type="datetime-local"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}
