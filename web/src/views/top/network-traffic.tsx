import { NetworkTraffic as Traffic } from '../../../generated/operations.ts';
import { windowInput } from '../../address/window-choice.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { type GroupChoice, likeMeter, type MeterChoice } from '../../data/choices.ts';
import { addsUp, meterKind } from '../../data/meter-kind.ts';
import { filterInput, nodeOf } from '../../data/questions.ts';
import { type Terms, wholeQuantity } from '../../data/row-figures.ts';
import { allDigits, partOf } from '../../format/big-number.ts';
import { isolated } from '../../format/isolated.ts';
import { formatShare } from '../../format/quantity.ts';
import { Figure } from '../../parts/figure.tsx';
import type { ViewProps } from '../view-props.ts';

type TrafficProps = Pick<ViewProps, 'address' | 'session'> & {
  readonly meter: MeterChoice;
  readonly terms: Terms;
  /** The groups of pairs of the networks' keys. */
  readonly pairs: readonly GroupChoice[];
};

/**
 * What networks have of the traffic. The sum of their hosts is more: it has what passes between two
 * of them twice.
 */
export function NetworkTraffic({ address, session, meter, terms, pairs }: TrafficProps) {
  const counted = onceIn(pairs, meter);
  const { data } = useAnswer(
    Traffic,
    counted && !address.live
      ? {
          ...nodeOf(address),
          group: counted.group.guid,
          meter: counted.meter.index,
          window: windowInput(address.window),
          timeZone: address.zone ?? 'UTC',
          probe: address.probe,
          filter: filterInput(address.filters, []),
        }
      : null,
    session,
  );
  const topper = data?.context?.counterGroup?.topper;
  if (!counted || !topper || address.live) return null;
  const { total, matching } = topper;
  return (
    <p>
      <strong>
        <Figure
          quantity={wholeQuantity(matching.total, terms)}
          title={`${allDigits(matching.total)} ${meter.units}`}
        />
      </strong>{' '}
      of traffic, {formatShare(partOf(matching.total, total))} of all: each byte counted once, as in{' '}
      {isolated(counted.group.name)}.
    </p>
  );
}

/** Returns the pairs of two keys of one group, with the same meter: there a flow counts once. */
function onceIn(pairs: readonly GroupChoice[], meter: MeterChoice) {
  const group = pairs.find(
    ({ crosskey }) =>
      crosskey && crosskey.parentGuid === crosskey.crosskeyGuid1 && !crosskey.crosskeyGuid2,
  );
  const like = group && likeMeter(group, meter);
  const isSame = like && like.name === meter.name && like.units === meter.units;
  return group && isSame && addsUp(meterKind(like.type)) ? { group, meter: like } : null;
}
