import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { groupOf, meterOf } from '../../data/choices.ts';
import { rankedBy } from '../../data/ranking-words.ts';
import { isolated } from '../../format/isolated.ts';
import { windowLabel } from '../../format/window-label.ts';
import { Icon } from '../../parts/icon.tsx';
import type { ViewProps } from '../view-props.ts';

type ControlsLineProps = ViewProps & { readonly children: ComponentChildren };

/**
 * The controls of a view. On a phone they are behind one button that says what they are set to, so
 * that the answer comes first.
 */
export function ControlsLine({ children, ...props }: ControlsLineProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div class={`controls-line ${isOpen ? 'is-open' : ''}`}>
      <button
        type="button"
        class="button has-caret controls-button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="edit" />
        <span class="controls-summary">{summaryOf(props)}</span>
      </button>
      <fieldset id={id} class="controls" aria-label="What is shown">
        {children}
      </fieldset>
    </div>
  );
}

function summaryOf({ address, choice, moments }: ViewProps): string {
  const group = groupOf(choice, address.group);
  const meter = meterOf(group, address.meter);
  return [
    isolated(group?.name ?? 'Group'),
    meter && isolated(meter.name),
    windowLabel(address.window, moments),
    address.view === 'top' && rankedBy(address.ranking),
    address.live && 'live',
  ]
    .filter(Boolean)
    .join(' · ');
}
