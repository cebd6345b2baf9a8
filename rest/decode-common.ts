import { malformed } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { parseInteger } from '../domain/numeric-text.ts';
import { choseTwice, type NodeChoice } from '../resolvers/nodes.ts';
import type { Parameters } from './parameters.ts';

/** Parameters that all three endpoints share, beside who asks for what. */
export type CommonOptions = { readonly probe: string | null; readonly node: NodeChoice };

export function decodeCommon(parameters: Parameters): CommonOptions {
  const node = {
    destinationNode: parameters.text('destination_node'),
    fromDr: parameters.boolean('get_from_dr', false),
  };
  if (node.fromDr && node.destinationNode !== null) throw choseTwice(node.destinationNode);
  return { probe: parameters.text('probe_id'), node };
}

/** What `timeout` is when it is left out, and what −1 stands for; null waits without limit. */
export type TimeoutRule = { readonly absent: number | null; readonly minusOne: number | null };

/** Seconds (decision 14); null waits without limit. */
export function decodeTimeout(parameters: Parameters, rule: TimeoutRule): number | null {
  const text = parameters.text('timeout');
  if (text === null) return rule.absent;
  const seconds = parseInteger(text);
  if (seconds === -1) return rule.minusOne;
  if (seconds === null || seconds < 1 || seconds > LIMITS.timeoutSeconds) {
    throw malformed('timeout', `-1 or an integer from 1 to ${LIMITS.timeoutSeconds}`, text);
  }
  return seconds;
}
