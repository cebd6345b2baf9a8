import { malformed } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { parseInteger } from '../../domain/text/numeric-text.ts';
import { choseTwice, type NodeChoice } from '../../resolvers/nodes.ts';
import { booleanParameter, type Parameter, textParameter } from './parameter.ts';
import type { Parameters } from './parameters.ts';

export const USERNAME = textParameter({
  name: 'username',
  meaning: 'the user; not needed if the `Authorization` header names one',
  example: 'demo',
});

export const API_TOKEN = textParameter({
  name: 'api_token',
  meaning: 'the token of that user; better sent in the `Authorization` header',
  schema: { format: 'password' },
  example: 'demo',
});

export const CONTEXT = textParameter({
  name: 'context',
  meaning: 'the data set',
  required: true,
  example: 'demo',
});

const PROBE = textParameter({
  name: 'probe_id',
  meaning: "only this probe's readings",
  example: 'p1',
});

const DESTINATION_NODE = textParameter({
  name: 'destination_node',
  meaning: 'the node that answers; `primary` is the primary',
  example: 'primary',
});

const FROM_DR = booleanParameter(
  {
    name: 'get_from_dr',
    meaning: 'whether the disaster-recovery node answers; not together with `destination_node`',
    example: false,
  },
  false,
);

/** The parameters of all endpoints, except `timeout`, which differs between endpoints. */
export const COMMON_PARAMETERS: readonly Parameter<unknown>[] = [
  USERNAME,
  API_TOKEN,
  CONTEXT,
  PROBE,
  DESTINATION_NODE,
  FROM_DR,
];

/** Errors: 400 for a pattern that cannot be used, with the parameter's name. */
export type CheckPattern = (pattern: string, name: string) => Promise<void>;

/** Parameters that all three endpoints share, apart from the caller and the context. */
export type CommonOptions = { readonly probe: string | null; readonly node: NodeChoice };

export function decodeCommon(parameters: Parameters): CommonOptions {
  const node = {
    destinationNode: DESTINATION_NODE.read(parameters),
    fromDr: FROM_DR.read(parameters),
  };
  if (node.fromDr && node.destinationNode !== null) throw choseTwice(node.destinationNode);
  return { probe: PROBE.read(parameters), node };
}

/** The timeout if `timeout` is omitted, and the meaning of −1; null waits without limit. */
export type TimeoutRule = { readonly absent: number | null; readonly minusOne: number | null };

/** Seconds (decision 14); null waits without limit. */
export function timeoutParameter(rule: TimeoutRule): Parameter<number | null> {
  const absent = rule.absent === rule.minusOne ? -1 : (rule.absent ?? -1);
  const atMinusOne =
    rule.minusOne === null ? 'waits' : `is the default of the server, ${rule.minusOne}`;
  return {
    name: 'timeout',
    form: `integer, -1 or 1 to ${LIMITS.timeoutSeconds}`,
    absent: String(absent),
    required: false,
    meaning: `seconds that the request may take; -1 ${atMinusOne}`,
    schema: {
      type: 'integer',
      minimum: -1,
      maximum: LIMITS.timeoutSeconds,
      not: { const: 0 },
      default: absent,
    },
    example: 30,
    read: (parameters) => readTimeout(rule, parameters),
  };
}

/** Reads what `timeoutParameter(rule).read` does; requests need only this, not the description. */
export function readTimeout(rule: TimeoutRule, parameters: Parameters): number | null {
  const text = parameters.text('timeout');
  if (text === null) return rule.absent;
  const seconds = parseInteger(text);
  if (seconds === -1) return rule.minusOne;
  if (seconds === null || seconds < 1 || seconds > LIMITS.timeoutSeconds) {
    throw malformed('timeout', `-1 or an integer from 1 to ${LIMITS.timeoutSeconds}`, text);
  }
  return seconds;
}
