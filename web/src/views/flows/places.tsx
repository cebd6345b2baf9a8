import { Places } from '../../../generated/operations.ts';
import { windowInput } from '../../address/window-choice.ts';
import { faultOfProblem } from '../../api/fault.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { type GroupChoice, likeMeter, type MeterChoice, OTHER_KEYS } from '../../data/choices.ts';
import { distinctLabels } from '../../data/key-parts.ts';
import { meterKind } from '../../data/meter-kind.ts';
import { DRILLED, nodeOf } from '../../data/questions.ts';
import { measureOf } from '../../format/quantity.ts';
import { FaultNotice } from '../../parts/notice.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { PartList } from '../key/part-list.tsx';
import type { FlowsProps } from './flow-picture.tsx';

/** Where the flows go: the largest countries and networks, in contexts that know them. */
export function PlaceLists(props: FlowsProps) {
  const groups = (props.choice?.counterGroups ?? []).flatMap((group) => {
    const meter = PLACES.has(group.keyKind) ? likeMeter(group, props.shown.meter) : null;
    return meter ? [{ group, meter }] : [];
  });
  return groups.length === 0 ? null : (
    <div class="places">
      {groups.map((each) => (
        <PlaceList key={each.group.guid} {...props} of={each} />
      ))}
    </div>
  );
}

const PLACES: ReadonlySet<string> = new Set(['COUNTRY', 'ASN']);

type PlaceListProps = FlowsProps & {
  readonly of: { readonly group: GroupChoice; readonly meter: MeterChoice };
};

function PlaceList({ of: { group, meter }, address, navigate, session }: PlaceListProps) {
  const asked = useAnswer(
    Places,
    {
      ...nodeOf(address),
      group: group.guid,
      meter: meter.index,
      window: windowInput(address.window),
      timeZone: address.zone ?? 'UTC',
      probe: address.probe,
      items: DRILLED,
    },
    session,
  );
  const topper = asked.data?.context?.counterGroup?.topper ?? null;
  const [problem] = asked.problems;
  const fault = asked.fault ?? (problem && faultOfProblem(problem));
  const names = distinctLabels(topper?.keys ?? [], group);
  const terms = {
    kind: meterKind(meter.type),
    measure: measureOf(meter.units),
    units: address.units,
    topperBucketSize: group.topperBucketSize,
  };
  return (
    <section class="card drilldown" aria-label={group.name} aria-busy={asked.isLoading}>
      <div class="card-head">
        <h2>
          <bdi>{group.name}</bdi>{' '}
          <span>
            · by <bdi>{meter.name}</bdi>, all flows of this time; shares are of the group’s total
          </span>
        </h2>
      </div>
      {fault && <FaultNotice fault={fault} onRetry={asked.reload} />}
      {topper && (
        <PartList
          {...topper}
          rows={topper.keys}
          nameOf={({ key, label }) => {
            const target = {
              ...OTHER_KEYS,
              view: 'top',
              group: group.guid,
              meter: meter.index,
              key,
            } as const;
            return (
              <a href={navigate.link(target)} onClick={onPlainClick(() => navigate.go(target))}>
                <bdi>{names.get(key) ?? label}</bdi>
              </a>
            );
          }}
          terms={terms}
        />
      )}
    </section>
  );
}
