import type { GroupChoice } from '../data/choices.ts';
import { otherParts, partsOf } from '../data/key-parts.ts';
import { addsUp, meterKind } from '../data/meter-kind.ts';
import { amountQuantity, type Terms, wholeQuantity } from '../data/row-figures.ts';
import type { Drilldown } from '../data/shown-key.ts';
import { partOf } from '../format/big-number.ts';
import { formatShare, measureOf } from '../format/quantity.ts';
import { Figure } from '../parts/figure.tsx';
import type { KeyViewProps } from './key-props.ts';
import { PartLink } from './part-link.tsx';

type DrilldownProps = Omit<KeyViewProps, 'group'> & {
  /** The cross-key group. */
  readonly group: GroupChoice;
  /** The group of the key whose panel it is. */
  readonly own: GroupChoice | null;
  readonly drilldown: Drilldown;
};

/** What a key did with whom, or by what: the largest of the pairs that it is part of. */
export function DrilldownList(props: DrilldownProps) {
  const { group, own, drilldown, address, rawKey } = props;
  const { meter, keys, others, keyCount, total } = drilldown;
  const kind = meterKind(meter.type);
  const terms: Terms = {
    ...{ kind, measure: measureOf(meter.units), units: address.units },
    topperBucketSize: group.topperBucketSize,
  };
  const isSum = addsUp(kind);
  return (
    <section class="drilldown" aria-label={`By ${group.name}`}>
      <h3>
        {group.name} <span>by {meter.name}</span>
      </h3>
      {keys.length === 0 ? (
        <p class="hint">Nothing in this window.</p>
      ) : (
        <ol>
          {keys.map((row) => (
            <li key={row.key}>
              <span class="drilldown-key">
                {otherParts(partsOf(row, group), own?.guid ?? '', rawKey).map((part, index) => (
                  <span key={`${part.group}${part.key}`}>
                    {index > 0 && ' × '}
                    <PartLink {...props} group={own} part={part} />
                  </span>
                ))}
              </span>
              <Figure quantity={amountQuantity(row, terms)} />
              {isSum && <Part share={partOf(row.metric, total)} />}
            </li>
          ))}
          {isSum && keyCount > keys.length && (
            <li class="is-rest">
              <span class="drilldown-key">{keyCount - keys.length} more</span>
              <Figure quantity={wholeQuantity(others, terms)} />
              <Part share={partOf(others, total)} />
            </li>
          )}
        </ol>
      )}
    </section>
  );
}

const Part = ({ share }: { readonly share: number }) => (
  <>
    <span class="number drilldown-share">{formatShare(share)}</span>
    <span class="share-track" aria-hidden="true">
      <span class="share-bar" style={{ width: `${Math.min(100, share * 100)}%` }} />
    </span>
  </>
);
