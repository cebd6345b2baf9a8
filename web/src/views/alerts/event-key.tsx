import { keylessText, reasonText } from '../../data/alerts/alert-words.ts';
import { eventAddress } from '../../data/alerts/event-address.ts';
import type { AlertEvent } from '../../data/alerts/firing.ts';
import { groupOf } from '../../data/choices.ts';
import { readableBeside, shownLabel } from '../../data/key-parts.ts';
import { isolated } from '../../format/isolated.ts';
import { KeyName, KeyText } from '../../parts/key-name.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import type { ViewProps } from '../view-props.ts';

type EventKeyProps = Pick<ViewProps, 'address' | 'navigate' | 'choice'> & {
  readonly event: AlertEvent;
};

/**
 * The key of an event, or what else it is about, as a link to the time around it, with why it fired
 * below.
 */
export function EventKey({ event, address, navigate, choice }: EventKeyProps) {
  const { key, alert } = event;
  const { counterGroup } = alert;
  const group = groupOf(choice, counterGroup.guid) ?? { crosskey: null };
  const target = eventAddress(event, choice?.totalWindow?.to ?? null);
  const label = key ? shownLabel(key, group) : keylessText(alert);
  return (
    <>
      <KeyName readable={key && readableBeside(key, group)}>
        <a
          class="key-link"
          href={navigate.link(target)}
          title={`Show ${isolated(label)} around this event`}
          onClick={onPlainClick(() => navigate.go(target))}
        >
          <KeyText text={label} />
        </a>
      </KeyName>
      <span class="event-reason">{reasonText(event, address.units)}</span>
    </>
  );
}
