import { groupOf, likeMeter, meterOf } from '../../data/choices.ts';
import type { Part } from '../../data/key-parts.ts';
import { isolated } from '../../format/isolated.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import type { KeyPanelProps } from './key-props.ts';

type PartLinkProps = KeyPanelProps & {
  readonly part: Part;
  /** The text of the link. */
  readonly label: string;
};

/** Links a part of a pair to its own panel, in its own group. */
export function PartLink({ part, label, address, navigate, choice, group }: PartLinkProps) {
  const of = groupOf(choice, part.group);
  if (!of) return <bdi>{label}</bdi>;
  const meter = likeMeter(of, meterOf(group, address.meter));
  const target = {
    group: of.guid,
    meter: meter?.index ?? 0,
    key: part.key,
    ...(of.guid !== address.group && { prefix: null, filters: [], hidden: [] }),
  };
  return (
    <a
      href={navigate.link(target)}
      title={`${isolated(of.name)}: ${isolated(part.readable)}`}
      onClick={onPlainClick(() => navigate.go(target))}
    >
      <bdi>{label}</bdi>
    </a>
  );
}
