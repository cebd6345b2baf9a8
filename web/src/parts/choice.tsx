import type { Word } from '../data/help/help-pages.ts';
import { Term } from './term.tsx';

/** A labelled list to choose one item from. */
export type ChoiceProps = {
  readonly label: string;
  /** What the label means, if not everybody knows. */
  readonly word?: Word;
  readonly value: string;
  readonly options: readonly ChoiceOption[];
  readonly onChoose: (value: string) => void;
  readonly class?: string;
};

export type ChoiceOption = {
  readonly value: string;
  readonly label: string;
  /** Options with the same heading are grouped. */
  readonly heading?: string;
  readonly disabled?: boolean;
};

export function Choice(props: ChoiceProps) {
  const { label, word, value, options, onChoose, class: className = '' } = props;
  const headings = [...new Set(options.map(({ heading }) => heading))];
  return (
    <label class={`field ${className}`}>
      <span class="field-label">{word ? <Term word={word}>{label}</Term> : label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {headings.map((heading) => {
          const list = options.filter((option) => option.heading === heading).map(optionOf);
          return heading ? (
            <optgroup key={heading} label={heading}>
              {list}
            </optgroup>
          ) : (
            list
          );
        })}
      </select>
    </label>
  );
}

const optionOf = ({ value, label, disabled = false }: ChoiceOption) => (
  <option key={value} value={value} disabled={disabled}>
    {label}
  </option>
);

type RadiosProps<T extends string | number> = {
  readonly legend: string;
  readonly name: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChoose: (value: T) => void;
};

/** A few choices that are all visible at once. */
export function Radios<T extends string | number>(props: RadiosProps<T>) {
  const { legend, name, value, options, onChoose } = props;
  return (
    <fieldset class="radios">
      <legend>{legend}</legend>
      <div class="radios-row">
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onChoose(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
