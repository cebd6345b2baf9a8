import type { Role, SaveGrantMutationVariables } from '../../../generated/operations.ts';
import type { GroupChoice } from '../choices.ts';
import { parseTags, tagsText } from '../edits/slice-tags.ts';
import type { Grant } from './accounts.ts';

/** A grant, as in the fields of its form. Lists are separated by commas. */
export type GrantTexts = {
  readonly context: string;
  readonly role: Role;
  readonly networks: string;
  readonly probes: string;
  readonly groups: string;
};

export const NEW_GRANT: GrantTexts = {
  context: '',
  role: 'READER',
  networks: '',
  probes: '',
  groups: '',
};

export const grantTexts = (grant: Grant, known: readonly GroupChoice[]): GrantTexts => ({
  context: grant.context,
  role: grant.role,
  networks: tagsText(grant.onlyNetworks ?? []),
  probes: tagsText(grant.onlyProbes ?? []),
  groups: tagsText((grant.onlyGroups ?? []).map((guid) => nameOf(guid, known))),
});

type SavedGrant = Omit<SaveGrantMutationVariables, 'user' | 'isGroup'>;

export const savedGrant = (texts: GrantTexts, known: readonly GroupChoice[]): SavedGrant => ({
  context: texts.context.trim(),
  role: texts.role,
  onlyNetworks: orNull(parseTags(texts.networks)),
  onlyProbes: orNull(parseTags(texts.probes)),
  onlyGroups: orNull(parseTags(texts.groups).map((text) => guidOf(text, known))),
});

/** null: all. */
const orNull = <T>(list: readonly T[]): readonly T[] | null => (list.length > 0 ? list : null);

/** A name that two groups have stands for neither. */
const named = (text: string, known: readonly GroupChoice[]): GroupChoice | null => {
  const [only, ...others] = known.filter(({ name }) => name.toLowerCase() === text.toLowerCase());
  return others.length === 0 ? (only ?? null) : null;
};

function nameOf(guid: string, known: readonly GroupChoice[]): string {
  const group = known.find((each) => each.guid === guid);
  return group && named(group.name, known) === group ? group.name : guid;
}

/** The server takes GUIDs, and explains why it refuses any other text. */
const guidOf = (text: string, known: readonly GroupChoice[]): string =>
  named(text, known)?.guid ?? text;

export type GrantField = Exclude<keyof GrantTexts, 'role'>;

/** Returns the field that a refusal of the server is about; null: none, or not a known one. */
export function refusedGrantField(message: string): GrantField | null {
  if (/There is no context|^context must be/.test(message)) return 'context';
  if (/A network must be|networks, got|^networks must be/.test(message)) return 'networks';
  if (/probes, got|^probes must be/.test(message)) return 'probes';
  if (/counter group|groups, got|GUID|^groups must be/i.test(message)) return 'groups';
  return null;
}

/** Returns a message of the server without the variable of the document that it is about. */
export const reasonOf = (message: string): string =>
  message.replace(/^Variable "\$\w+" got invalid value .*?; /, '');
