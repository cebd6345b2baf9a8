import type { Address } from '../../address/address.ts';
import { groupOf, likeMeter, meterOf, OTHER_KEYS } from '../../data/choices.ts';
import type { Part } from '../../data/key-parts.ts';
import { isolated } from '../../format/isolated.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import type { ViewProps } from '../view-props.ts';
import type { KeyPanelProps } from './key-props.ts';

type PartLinkProps = KeyPanelProps & {
  readonly part: Part;
  /** The text of the link. */
  readonly label: string;
};

/** Links a part of a pair to its own panel, in its own group. */
export function PartLink({ part, label, ...props }: PartLinkProps) {
  const { navigate, choice } = props;
  const target = partTarget(part, props);
  if (!target) return <bdi>{label}</bdi>;
  return (
    <a
      href={navigate.link(target)}
      title={`${isolated(groupOf(choice, part.group)?.name ?? '')}: ${isolated(part.readable)}`}
      onClick={onPlainClick(() => navigate.go(target))}
    >
      <bdi>{label}</bdi>
    </a>
  );
}

/** Returns where a part of a pair is a key; null: its group is not there. */
export function partTarget(
  part: Part,
  { address, choice, group }: Pick<ViewProps, 'address' | 'choice' | 'group'>,
): Partial<Address> | null {
  const of = groupOf(choice, part.group);
  if (!of) return null;
  const meter = likeMeter(of, meterOf(group, address.meter));
  return {
    ...(of.guid !== address.group && OTHER_KEYS),
    // Flows show pairs only.
    ...(address.view === 'flows' && { view: 'top' }),
    group: of.guid,
    meter: meter?.index ?? 0,
    key: part.key,
  };
}
