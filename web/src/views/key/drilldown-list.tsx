import { type GroupChoice, groupsWithKeysLike } from '../../data/choices.ts';
import { distinctPartLabels, otherParts, partName, partsOf } from '../../data/key-parts.ts';
import { meterKind } from '../../data/meter-kind.ts';
import type { Terms } from '../../data/row-figures.ts';
import type { Drilldown } from '../../data/shown-key.ts';
import { measureOf } from '../../format/quantity.ts';
import type { KeyViewProps } from './key-props.ts';
import { PartLink } from './part-link.tsx';
import { PartList } from './part-list.tsx';

type DrilldownProps = Omit<KeyViewProps, 'group'> & {
  /** The cross-key group. */
  readonly group: GroupChoice;
  /** The group of the key that the panel shows. */
  readonly own: GroupChoice | null;
  readonly drilldown: Drilldown;
};

/** The largest pairs that a key is part of: whom it communicated with, and over what. */
export function DrilldownList(props: DrilldownProps) {
  const { group, own, drilldown, address, rawKey, choice } = props;
  const { meter, keys, others, keyCount, total } = drilldown;
  const terms: Terms = {
    kind: meterKind(meter.type),
    measure: measureOf(meter.units),
    units: address.units,
    topperBucketSize: group.topperBucketSize,
  };
  const alike = own ? groupsWithKeysLike(choice, own) : [];
  const partsBy = new Map(keys.map((row) => [row, otherParts(partsOf(row, group), alike, rawKey)]));
  const labels = distinctPartLabels([...partsBy.values()].flat());
  return (
    <section class="drilldown" aria-label={`By ${group.name}`}>
      <h3>
        <bdi>{group.name}</bdi> <span>by {meter.name}</span>
      </h3>
      <PartList
        rows={keys}
        nameOf={(row) =>
          partsBy.get(row)?.map((part, index) => (
            <span key={partName(part)}>
              {index > 0 && ' × '}
              <PartLink
                {...props}
                group={own}
                part={part}
                label={labels.get(partName(part)) ?? part.label}
              />
            </span>
          ))
        }
        keyCount={keyCount}
        others={others}
        total={total}
        terms={terms}
      />
    </section>
  );
}
