import { shown } from '../../domain/errors.ts';
import { parseGuid } from '../../domain/text/guid.ts';
import { ToolFault } from '../tool-fault.ts';
import type { KnownContext, KnownGroup, NamedGroup } from './known-context.ts';
import { listText } from './list-text.ts';

/** Finds a group by GUID or by name, ignoring case. Error: `ToolFault`, which lists the groups. */
export function findGroup({ name, counterGroups }: KnownContext, given: string): KnownGroup {
  const groups = counterGroups.length === 0 ? 'none' : listText(counterGroups.map(groupName));
  return (
    chosenGroup(counterGroups, given) ??
    refuse(`No counter group ${shown(given)} in ${name}; the groups are: ${groups}`)
  );
}

/**
 * Finds the cross-key group to drill down into; the only one if none is given. Error: `ToolFault`,
 * which lists the group's drill-downs.
 */
export function findDrilldown(context: KnownContext, group: KnownGroup, given?: string) {
  const { drilldowns } = group;
  const first = drilldowns[0];
  if (!first) return refuse(`${group.name} has no drill-downs: no cross-key group has its keys`);
  const named = given === undefined ? null : chosenGroup(drilldowns, given);
  const only = given === undefined && drilldowns.length === 1 ? first : null;
  const chosen = named ?? only;
  if (chosen) return findGroup(context, chosen.guid);
  const options = listText(drilldowns.map(groupName));
  return refuse(
    given === undefined
      ? `crosskey is required: ${group.name} drills down to ${options}`
      : `No drill-down ${shown(given)} of ${group.name}; it drills down to: ${options}`,
  );
}

function chosenGroup<Group extends NamedGroup>(groups: readonly Group[], given: string) {
  const guid = parseGuid(given.trim());
  if (guid) return groups.find((group) => group.guid === guid) ?? null;
  const same = groups.filter(({ name }) => name.toLowerCase() === given.trim().toLowerCase());
  const exact = same.find(({ name }) => name === given) ?? null;
  if (exact || same.length < 2) return exact ?? same[0] ?? null;
  const guids = same.map((group) => `${group.name} ${group.guid}`).join(', ');
  return refuse(`Several groups are called ${shown(given)}, give a GUID: ${guids}`);
}

const groupName = ({ name }: NamedGroup): string => name;

function refuse(message: string): never {
  throw new ToolFault(message);
}
