import { useEffect, useRef } from 'preact/hooks';
import type { Reading } from '../../data/understand-filter.ts';
import { isolated } from '../../format/isolated.ts';

/** A way to understand the text, or a key. Those with the same heading are listed together. */
export type SearchOption = Reading & { readonly heading: string };

type OptionListProps = {
  readonly id: string;
  readonly options: readonly SearchOption[];
  /** Index of the option that Enter chooses. */
  readonly active: number;
  readonly onChoose: (option: SearchOption) => void;
};

export const optionId = (id: string, index: number): string => `${id}-${index}`;

/** The options below the field, by their headings. */
export function OptionList({ id, options, active, onChoose }: OptionListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const headings = [...new Set(options.map(({ heading }) => heading))];
  return (
    <div ref={list} id={id} class="search-list" role="listbox" aria-label="Suggestions">
      {headings.map((heading, at) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox has groups of options (ARIA 1.2).
        <div key={heading} role="group" aria-labelledby={`${id}-heading-${at}`}>
          <p class="search-heading" id={`${id}-heading-${at}`}>
            {heading}
          </p>
          {options.map(
            (option, index) =>
              option.heading === heading && (
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
                <div
                  key={optionId(id, index)}
                  id={optionId(id, index)}
                  class="search-option"
                  role="option"
                  aria-selected={index === active}
                  // The field keeps the focus, or the list would close before the click.
                  onPointerDown={(event) => event.preventDefault()}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => onChoose(option)}
                >
                  {option.label && <span>{option.label}</span>}
                  <span class="search-value">{isolated(option.value)}</span>
                  {option.note && <span class="hint">{isolated(option.note)}</span>}
                </div>
              ),
          )}
        </div>
      ))}
    </div>
  );
}
