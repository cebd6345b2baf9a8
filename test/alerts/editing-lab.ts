import { addUser } from '../../access/users.ts';
import { group } from '../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type Credentials, type TestService } from '../support/lab/service.ts';
import { GROUP, reading, startAlertLab } from './alert-lab.ts';

/** An editor who may see a part of the context. */
export const LIMITED: Credentials = { username: 'lin', token: 'lin-token' };
export const READER: Credentials = { username: 'rita', token: 'rita-token' };

export const OWN = '0A.01.00.01';
export const OTHER = '0A.02.00.01';

/** A service with a group of addresses, editors of all and of a part, and a reader. */
export async function startRuleLab() {
  const lab = await startAlertLab({ groups: [group(1, { key_kind: 'ip', name: 'Hosts' })] });
  await lab.write((to) => addUser(to, { name: ADA.username, contexts: [CONTEXT], role: 'editor' }));
  const { username: name, token } = LIMITED;
  const limit = { networks: ['10.1.0.0/16'], probes: [], groups: [] };
  await lab.write((to) => addUser(to, { name, token, contexts: [CONTEXT], role: 'editor', limit }));
  await lab.addUser(READER, [CONTEXT]);
  await lab.importSamples([reading(OWN, 0, 1), reading(OTHER, 0, 1)]);
  return lab;
}

/** An `AlertInput` with defaults for what is required. */
export const ruleOf = (fields: object = {}): object => ({
  name: 'big',
  counterGroup: GROUP,
  condition: 'KEY_ABOVE',
  threshold: 10,
  ...fields,
});

const RULE = `id name comparison threshold forWindows clearWindows maxKeys enabled severity
  description windowSeconds probe madeInPage madeBy silencedUntil silencedBy silenceReason
  filter { match exclude keys excludeKeys cidr excludeCidr search }`;

const SAVE = `mutation ($alert: AlertInput!, $ifId: ID) {
  it: saveAlert(context: "${CONTEXT}", alert: $alert, ifId: $ifId) { ${RULE} } }`;

export type ShownRule = { readonly id: string; readonly [field: string]: unknown };

type Asked = Pick<TestService, 'graphql'>;

/** Returns the result of a document with the one field `it`, or its error as `CODE: message`. */
export async function ask<T>(
  { graphql }: Asked,
  document: string,
  { as = ADA, ...variables }: { readonly as?: Credentials; readonly [name: string]: unknown } = {},
): Promise<T | string> {
  const { data, errors } = await graphql<{ it: T }>(document, variables, basic(as));
  const [error] = errors ?? [];
  return error ? `${error.extensions.code}: ${error.message}` : data.it;
}

export const save = (
  lab: Asked,
  alert: object,
  options: { readonly as?: Credentials; readonly ifId?: string } = {},
) => ask<ShownRule>(lab, SAVE, { alert, ...options });

export const silence = (lab: Asked, until: number | null, reason?: string) =>
  ask<ShownRule>(
    lab,
    `mutation ($until: EpochSeconds, $reason: String) {
      it: silenceAlert(context: "${CONTEXT}", name: "big", until: $until, reason: $reason) {
        name silencedUntil silencedBy silenceReason } }`,
    { until, reason },
  );

export const rulesOf = async ({ data }: Pick<TestService, 'data'>) => {
  const { context } = await data<{ context: { alerts: ShownRule[] } }>(
    `{ context(name: "${CONTEXT}") { alerts { ${RULE} } } }`,
  );
  return context.alerts;
};
