import {
  type FloatValueNode,
  GraphQLError,
  type IntValueNode,
  Kind,
  type ValueNode,
} from 'graphql';
import { type Guid, parseGuid } from '../../domain/text/guid.ts';
import { builder } from '../builder.ts';

const refuse = (what: string, value: unknown): never => {
  // An object may have a member `toString`, so it cannot be put into a text as it is.
  throw new GraphQLError(`${what}, got ${JSON.stringify(value)}`);
};

/**
 * Drops fractions, which a division of milliseconds leaves. The field that takes the time checks
 * the range: its error names the field (section 10).
 */
function toSeconds(value: unknown): number {
  const seconds = typeof value === 'number' ? Math.floor(value) : Number.NaN;
  return Number.isSafeInteger(seconds)
    ? seconds
    : refuse('EpochSeconds must be an integer number of seconds since 1970-01-01T00:00:00Z', value);
}

builder.scalarType('EpochSeconds', {
  description: 'Seconds since 1970-01-01T00:00:00Z. A fraction on input is dropped.',
  serialize: Number,
  parseValue: toSeconds,
  parseLiteral: (node) => toSeconds(isNumber(node) ? Number(node.value) : textOf(node)),
});

builder.scalarType('BigInt', {
  description:
    'An integer of any size: a JSON number up to 2^53-1 in magnitude, a decimal string beyond.',
  serialize: (value) => {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  },
  parseValue: toBigInt,
  parseLiteral: (node) => toBigInt(textOf(node)),
});

function toBigInt(value: unknown): bigint {
  const isInteger =
    Number.isSafeInteger(value) || (typeof value === 'string' && /^-?\d+$/.test(value));
  return isInteger ? BigInt(String(value)) : refuse('BigInt must be an integer', value);
}

builder.scalarType('Guid', {
  description:
    "A counter group's identifier: `{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}`. Case and braces are " +
    'optional on input. A name such as `Hosts` is not a GUID: `counterGroups` of a context lists both.',
  serialize: String,
  parseValue: toGuid,
  parseLiteral: (node) => toGuid(node.kind === Kind.STRING ? node.value : textOf(node)),
});

function toGuid(value: unknown): Guid {
  const guid = typeof value === 'string' ? parseGuid(value) : null;
  return (
    guid ??
    refuse(
      'Guid must look like "{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}", case and braces optional; ' +
        '`counterGroups { guid name }` of a context lists the existing ones',
      value,
    )
  );
}

const isNumber = (node: ValueNode): node is IntValueNode | FloatValueNode =>
  node.kind === Kind.INT || node.kind === Kind.FLOAT;

/** Formats a literal for messages. */
const textOf = (node: ValueNode): string => ('value' in node ? String(node.value) : node.kind);
