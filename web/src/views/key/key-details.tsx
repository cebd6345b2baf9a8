import { BY_METRIC } from '../../address/ranking.ts';
import type { GroupChoice } from '../../data/choices.ts';
import { earlierSpan } from '../../data/earlier.ts';
import { partsOf } from '../../data/key-parts.ts';
import { agoOf } from '../../data/questions.ts';
import { drilldownGroups } from '../../data/shown-key.ts';
import { FaultNotice, Notice } from '../../parts/notice.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { NewRuleLink } from '../alerts/new-rule-link.tsx';
import { DrilldownList } from './drilldown-list.tsx';
import { KeyAttributes } from './key-attributes.tsx';
import { KeyChart } from './key-chart.tsx';
import { KeyFacts } from './key-facts.tsx';
import type { KeyViewProps } from './key-props.ts';
import { NetworkParts } from './network-parts.tsx';
import { PartLink } from './part-link.tsx';
import { SameKeyElsewhere } from './same-key-elsewhere.tsx';

/** The key's figures, its chart, its parts, and what is known about it. */
export function KeyDetails(props: KeyViewProps) {
  const { shownKey, group, choice, rawKey, address, onReload } = props;
  const { figures, known, network, faults } = shownKey;
  const parts =
    known && group?.crosskey ? partsOf({ ...known, key: known.key || rawKey }, group) : [];
  const { shown: groups, more } = network
    ? NO_DRILLDOWNS
    : drilldownGroups(choice, group, address.by);
  return (
    <>
      {faults.rest && (
        <FaultNotice
          fault={faults.rest}
          missing="A part of the answer is missing."
          onRetry={onReload}
        />
      )}
      {parts.length > 0 && (
        <p class="panel-parts">
          {parts.map((part, index) => (
            <span key={`${part.group}${part.key}`}>
              {index > 0 && <span class="panel-times"> × </span>}
              <PartLink {...props} part={part} label={part.label} />
            </span>
          ))}
        </p>
      )}
      {figures ? (
        <>
          <KeyFacts {...props} figures={figures} />
          {faults.chart ? (
            <FaultNotice fault={faults.chart} missing="The chart is missing." onRetry={onReload} />
          ) : (
            <KeyChart {...props} figures={figures} />
          )}
          {props.mayEdit && known && !network && (
            <p>
              <NewRuleLink
                {...props}
                class=""
                text="Alert me about this key"
                about={known.readable}
              />
            </p>
          )}
          {network && <NetworkParts {...props} figures={figures} network={network} />}
          {groups.map((each) => (
            <DrilldownOf key={each.guid} {...props} by={each} />
          ))}
          {more.length > 0 && <MoreDrilldowns {...props} groups={more} />}
          {groups.length === 0 && !group?.crosskey && !network && <SameKeyElsewhere {...props} />}
        </>
      ) : (
        <NoReadings {...props} />
      )}
      {known ? (
        <KeyAttributes {...props} known={known} />
      ) : faults.known ? (
        <FaultNotice
          fault={faults.known}
          missing="The texts of this key are missing."
          onRetry={onReload}
        />
      ) : (
        <p class="hint">
          The group has no key <bdi>{rawKey}</bdi>.
        </p>
      )}
    </>
  );
}

/** The key's pairs of one cross-key group, or why they are missing. */
function DrilldownOf(props: KeyViewProps & { readonly by: GroupChoice }) {
  const { by, group, shownKey, onReload } = props;
  const { drilldowns, faults } = shownKey;
  const drilldown = drilldowns.find(({ counterGroup }) => counterGroup.guid === by.guid);
  const fault = faults.drilldowns.get(by.guid);
  if (drilldown) return <DrilldownList {...props} group={by} drilldown={drilldown} own={group} />;
  if (!fault) return null;
  return (
    <section class="drilldown" aria-label={`By ${by.name}`}>
      <h3>
        <bdi>{by.name}</bdi>
      </h3>
      <FaultNotice fault={fault} onRetry={onReload} />
    </section>
  );
}

/** Drill-downs are of addresses, not of networks. */
const NO_DRILLDOWNS = { shown: [], more: [] } as const;

/** A key that declined to zero is still listed: this links to its past. */
function NoReadings({ address, navigate, moments, shownKey }: KeyViewProps) {
  const span = shownKey.window && earlierSpan(shownKey.window, agoOf(address));
  const isGone = address.ranking.by === 'decline' && span !== null && span.from >= 0;
  return (
    <Notice
      title="No readings of this key in this window"
      actions={
        isGone && (
          <button
            type="button"
            class="button is-primary"
            onClick={() =>
              navigate.go({ window: { kind: 'interval', ...span }, ranking: BY_METRIC })
            }
          >
            Show {moments.range(span.from, span.to)}
          </button>
        )
      }
    >
      <p>
        {isGone
          ? 'It had readings in the earlier window.'
          : `Choose a longer window, or ${address.probe ? 'all probes' : 'another key'}.`}
      </p>
    </Notice>
  );
}

/** Links to the groups that did not fit into the question. */
function MoreDrilldowns({
  groups,
  navigate,
}: KeyViewProps & { readonly groups: readonly GroupChoice[] }) {
  return (
    <p class="hint">
      Also by{' '}
      {groups.map((each, index) => (
        <span key={each.guid}>
          {index > 0 && ' · '}
          <a
            href={navigate.link({ by: each.guid })}
            onClick={onPlainClick(() => navigate.go({ by: each.guid }))}
          >
            <bdi>{each.name}</bdi>
          </a>
        </span>
      ))}
    </p>
  );
}
