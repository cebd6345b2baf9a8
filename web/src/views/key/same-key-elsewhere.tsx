import { likeMeter, meterOf } from '../../data/choices.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { OF_NO_GROUP } from '../view-props.ts';
import type { KeyViewProps } from './key-props.ts';

/**
 * Where the same key has partners, if its own group is not part of any cross-key group, or else who
 * had the traffic of the same time.
 */
export function SameKeyElsewhere({ address, navigate, choice, group }: KeyViewProps) {
  const others = choice.counterGroups.filter(
    ({ keyKind, drilldowns }) => keyKind === group?.keyKind && drilldowns.length > 0,
  );
  const meter = meterOf(group, address.meter);
  const overview = { ...OF_NO_GROUP, view: 'overview' } as const;
  const links =
    others.length > 0
      ? others.map((other) => ({
          text: other.name,
          target: { group: other.guid, meter: likeMeter(other, meter)?.index ?? 0 },
        }))
      : [{ text: 'the overview of this time', target: overview }];
  return (
    <p class="hint">
      No cross-key group contains the keys of this group, so nothing says whom this one communicated
      with. See {others.length > 0 ? 'the same key in ' : 'who did, and for what, in '}
      {links.map(({ text, target }, index) => (
        <span key={text}>
          {index > 0 && ' · '}
          <a href={navigate.link(target)} onClick={onPlainClick(() => navigate.go(target))}>
            <bdi>{text}</bdi>
          </a>
        </span>
      ))}
      .
    </p>
  );
}
