import { z } from 'zod';
import { LIMITS } from '../../domain/limits.ts';
import { isName, isStorable } from '../../domain/text/storable-text.ts';
import type { OidcSettings } from '../settings/sign-in-settings.ts';
import { SignInFault } from './sign-in-fault.ts';

/** A person of an identity provider: issuer and subject. The name is only shown. */
export type ProviderPerson = {
  readonly issuer: string;
  readonly subject: string;
  readonly shownName: string;
  readonly groups: readonly string[];
};

const Subject = z.string().min(1).max(LIMITS.subjectCharacters).refine(isStorable);

const ShownName = z.string().trim().min(1).max(LIMITS.nameLength).refine(isStorable);

/** Some providers write a single group as a text. */
const Groups = z.array(z.string()).or(z.string().transform((group) => [group]));

type ClaimSettings = Pick<OidcSettings, 'issuer' | 'userClaim' | 'groupsClaim'>;

/** Reads the claims of a person. Error: a `SignInFault` that says which claim is missing. */
export function personOf(
  claims: Readonly<Record<string, unknown>>,
  { issuer, userClaim, groupsClaim }: ClaimSettings,
): ProviderPerson {
  const groups = read(Groups.default([]), claims, groupsClaim).filter(isName);
  if (groups.length > LIMITS.groupsOfPerson) {
    const why = `the claim ${groupsClaim} has ${groups.length} groups, more than ${LIMITS.groupsOfPerson}`;
    throw new SignInFault('claims', why);
  }
  return {
    issuer,
    subject: read(Subject, claims, 'sub'),
    shownName: read(ShownName, claims, userClaim),
    groups,
  };
}

function read<T>(type: z.ZodType<T>, claims: Readonly<Record<string, unknown>>, name: string): T {
  const parsed = type.safeParse(claims[name]);
  if (parsed.success) return parsed.data;
  const what = claims[name] === undefined ? 'is missing' : 'is not what it should be';
  throw new SignInFault('claims', `the claim ${name} ${what}`);
}
