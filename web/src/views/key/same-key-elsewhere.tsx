import { likeMeter, meterOf } from '../../data/choices.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import type { KeyViewProps } from './key-props.ts';

/** Where the same key has partners, if its own group is not part of any cross-key group. */
export function SameKeyElsewhere({ address, navigate, choice, group }: KeyViewProps) {
  const others = choice.counterGroups.filter(
    ({ keyKind, drilldowns }) => keyKind === group?.keyKind && drilldowns.length > 0,
  );
  const meter = meterOf(group, address.meter);
  return (
    <p class="hint">
      No cross-key group contains the keys of this group, so nothing says whom this one communicated
      with.
      {others.length > 0 && ' See the same key in '}
      {others.map((other, index) => {
        const target = { group: other.guid, meter: likeMeter(other, meter)?.index ?? 0 };
        return (
          <span key={other.guid}>
            {index > 0 && ' · '}
            <a href={navigate.link(target)} onClick={onPlainClick(() => navigate.go(target))}>
              <bdi>{other.name}</bdi>
            </a>
          </span>
        );
      })}
      {others.length > 0 && '.'}
    </p>
  );
}
