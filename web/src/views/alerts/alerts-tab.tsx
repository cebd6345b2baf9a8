import { countFiring, firingSentence, firingText } from '../../data/alerts/firing.ts';
import { urgencyOf } from '../../format/severity.ts';
import { Icon } from '../../parts/icon.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { IN_NO_VIEW, type ViewProps } from '../view-props.ts';

/** Shows in every view how much is firing, if the context is known, and links to the alerts. */
export function AlertsTab({ address, navigate, alerts, choice }: ViewProps) {
  const { rules, fault } = alerts;
  const firing = choice && rules && countFiring(rules);
  const urgency = firing?.worst ? `is-${urgencyOf(firing.worst.severity)}` : '';
  const known = firing ? firingSentence(firing) : choice ? 'Loading alerts' : 'No context';
  const target = { ...IN_NO_VIEW, view: 'alerts' } as const;
  return (
    <>
      <a
        class={`tab is-alerts ${urgency}`}
        href={navigate.link(target)}
        title={fault ? `${known}. This may be outdated: ${fault.message}.` : `${known}.`}
        aria-current={address.view === 'alerts' ? 'page' : undefined}
        onClick={onPlainClick(() => navigate.go(target))}
      >
        <Icon name="bell" />
        Alerts
        {choice && rules?.length !== 0 && (
          <span class="tab-badge">
            <span class="tab-firing">{firing ? firingText(firing) : '…'}</span>
            {fault && <span class="tab-note">may be outdated</span>}
          </span>
        )}
      </a>
      {/* Screen readers read this when it changes, except that nothing is firing. */}
      <span class="sr-only" role="status">
        {firing?.worst ? known : ''}
      </span>
    </>
  );
}
